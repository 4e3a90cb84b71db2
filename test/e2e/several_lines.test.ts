/** Several lines at once: a body below its signature, taken with one Tab and given back with one undo; and the line after a finished one. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { EditorPage } from './editor_page';
import { sharedWindow } from './shared_window';

const PATIENCE = { timeout: 20_000, interval: 50 };
/** Longer than lines are made. */
const SOME_PATIENCE = { ...PATIENCE, timeout: 8_000 };
const MOST_TIMES = 5;
const window = sharedWindow({ width: 1200, height: 700 });
const BEFORE = 'class Box:\n';
const SIGNATURE = '    def __init__(self, width, height, depth):';

/**
 * Types until a line is offered below the cursor's. On a machine that is busy the time for lines may be over before it: those that were made come at once
 * when the same is typed again, and more.
 * @param line Where it is typed, from 1; the rest of the text is typed, or written by the editor.
 */
async function typeUntilOffered(
  editor: EditorPage,
  line: number,
  type: () => Promise<void>,
  offered: string,
): Promise<void> {
  for (let time = 1; ; time++) {
    await type();
    const lines = expect.poll(() => editor.furtherGhostLines(), time < MOST_TIMES ? SOME_PATIENCE : PATIENCE);
    try {
      await lines.toContain(offered);
      return;
    } catch (error) {
      if (time === MOST_TIMES) throw error;
    }
    await editor.goTo(line, 1);
    await editor.press('Control+Shift+End');
    await editor.press('Delete');
  }
}

/** Saves until the file has it: a Tab that meets a suggestion which is just being replaced takes effect a moment later. */
async function savedAs(editor: EditorPage, matches: (text: string) => boolean): Promise<void> {
  const seen = async (): Promise<string> => {
    await editor.press('Control+s');
    return readFileSync(editor.file, 'utf8');
  };
  await expect.poll(seen, PATIENCE).toSatisfy(matches);
}

it('a body is offered where it begins; Tab takes all of it, and one undo gives it back', async () => {
  const editor = await window.open('body.js', 'class Point {\n');
  const type = async (): Promise<void> => {
    await editor.type('  constructor(x, y, z) {');
    await editor.press('Enter');
  };
  await typeUntilOffered(editor, 2, type, '    this.z = z;');
  expect(await editor.ghostText()).toBe('this.x = x;');
  await editor.picture('body');
  await editor.press('Tab');
  const head = 'class Point {\n  constructor(x, y, z) {\n';
  await savedAs(editor, (text) =>
    text.startsWith(`${head}    this.x = x;\n    this.y = y;\n    this.z = z;\n`),
  );
  await editor.press('Control+z');
  await savedAs(editor, (text) => /^\s*}\s*$/.test(text.slice(head.length)) && text.startsWith(head));
});

it('the next line is offered from the end of one that is complete', async () => {
  const editor = await window.open('next_line.py', BEFORE);
  await typeUntilOffered(editor, 2, () => editor.type(SIGNATURE), '        self.width = width');
  await editor.picture('next-line');
  await editor.press('Tab');
  await savedAs(editor, (text) => text.includes(`${BEFORE}${SIGNATURE}\n        self.width = width`));
});
