/** Several lines at once: a body below its signature, taken with one Tab and given back with one undo; and the line after a finished one. */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launchChromium } from '../../scripts/editor/chromium.mjs';
import { EditorPage } from './editor_page';

const PATIENCE = { timeout: 45_000, interval: 50 };
const place = inject('place');
const BEFORE = 'class Box:\n';
const SIGNATURE = '    def __init__(self, width, height, depth):';

let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  browser = await launchChromium();
  context = await browser.newContext({ viewport: { width: 1200, height: 700 } });
});

afterAll(async () => {
  await browser.close();
});

async function open(name: string): Promise<EditorPage> {
  const editor = await EditorPage.open(context, place, name, BEFORE);
  await editor.type(SIGNATURE);
  return editor;
}

/**
 * Waits for a line of those below the cursor's. On a machine that is busy the time for them may be over before it; who asks again has those that were made at once, and
 * more, once the editor no longer shows what it has.
 */
async function offers(editor: EditorPage, line: string): Promise<void> {
  const seen = async (): Promise<string[]> => {
    const lines = await editor.furtherGhostLines();
    if (!lines.includes(line)) {
      await editor.press('Escape');
      await editor.press('Alt+Backslash');
    }
    return lines;
  };
  await expect.poll(seen, { ...PATIENCE, interval: 3_000 }).toContain(line);
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
  const editor = await EditorPage.open(context, place, 'body.js', 'class Point {\n');
  await editor.type('  constructor(x, y, z) {');
  await editor.press('Enter');
  await expect.poll(() => editor.ghostText(), PATIENCE).toBe('this.x = x;');
  await offers(editor, '    this.z = z;');
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
  const editor = await open('next_line.py');
  await offers(editor, '        self.width = width');
  await editor.picture('next-line');
  await editor.press('Tab');
  await savedAs(editor, (text) => text.includes(`${BEFORE}${SIGNATURE}\n        self.width = width`));
});
