/** Suggestions with code right of the cursor: between it, or in the place of what they say again. */
import { expect, it } from 'vitest';
import { type EditorPage, PATIENCE } from './editor_page';
import { sharedWindow } from './shared_window';

const window = sharedWindow({ width: 1000, height: 500 });

const CHECK = `function area(width, height) {
  if (width < 0) {
    throw new Error("width");
  }
  if (!) {
    throw new Error("height");
  }
  return width * height;
}
`;
const DOUBLE = `def area(width, height):
    return width * height


def double_area(width, height):
    return 2width
`;

/** Deletes the unit left of a place, as somebody does who writes something else there. */
async function deleteAt(name: string, content: string, line: number, column: number): Promise<EditorPage> {
  const editor = await window.open(name, content);
  await editor.goTo(line, column);
  await editor.press('Backspace');
  return editor;
}

it('a condition is offered between its brackets', async () => {
  const editor = await deleteAt('check.js', CHECK, 5, 8);
  await expect.poll(() => editor.ghostText(), PATIENCE).toBe('height < 0');
  await editor.picture('condition');
  await editor.press('Tab');
  expect(await editor.savedText()).toBe(CHECK.replace('if (!)', 'if (height < 0)'));
});

it('what is right of the cursor is not said twice', async () => {
  const editor = await deleteAt('double.py', DOUBLE, 6, 13);
  // The word stands there: the rest is shown behind it.
  await expect.poll(() => editor.ghostText(), PATIENCE).toBe(' * height');
  await editor.picture('word-right-of-the-cursor');
  await editor.press('Tab');
  expect(await editor.savedText()).toBe(DOUBLE.replace('2width', 'width * height'));
});
