/** Ghost text where no file of text is open: in a notebook's cell. */
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launchChromium } from '../../scripts/editor/chromium.mjs';
import { EditorPage } from './editor_page';

const PATIENCE = { timeout: 45_000, interval: 50 };
const place = { editorUrl: inject('editorUrl'), workspace: inject('workspace') };

const cell = (source: string): object => ({
  cell_type: 'code',
  execution_count: null,
  metadata: {},
  outputs: [],
  source: [source],
});
const NOTEBOOK = {
  cells: [cell('def add_pineapples(first, second):\n    return first + second'), cell('add_p')],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
};

let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  browser = await launchChromium();
  context = await browser.newContext({ viewport: { width: 1000, height: 500 } });
});

afterAll(async () => {
  await browser.close();
});

it('a cell of a notebook goes on from those above it', async () => {
  const editor = await EditorPage.openOnly(context, place, 'fruit.ipynb', JSON.stringify(NOTEBOOK));
  await editor.page.locator('.cell .monaco-editor .view-lines').last().click();
  await editor.press('Control+End');
  await editor.press('Backspace');
  await editor.type('p');
  await expect.poll(() => editor.ghostText(), PATIENCE).toMatch(/^ineapples/);
  const taken = await editor.ghostText();
  await editor.picture('notebook');
  await editor.press('Tab');
  await editor.save();
  const saved = JSON.parse(readFileSync(editor.file, 'utf8')) as typeof NOTEBOOK & {
    readonly cells: readonly { readonly source: readonly string[] }[];
  };
  expect(saved.cells[1]?.source.join('')).toBe(`add_p${taken}`);
});
