/** Ghost text where no file of text is open: in a notebook's cell, and in the box of a commit's message. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { makeFruitRepository } from '../fruit_repository';
import { EditorPage, PATIENCE } from './editor_page';
import { sharedWindow } from './shared_window';

const VIEWPORT = { width: 1000, height: 500 };
const window = sharedWindow(VIEWPORT);
const place = inject('place');

const cell = (source: string): object => ({
  cell_type: 'code',
  execution_count: null,
  metadata: {},
  outputs: [],
  source: [source],
});
const NOTEBOOK = {
  cells: [cell('def count_words(text):\n    return len(text.split())'), cell('print(count_w')],
  metadata: { language_info: { name: 'python' } },
  nbformat: 4,
  nbformat_minor: 5,
};

it('a cell of a notebook goes on from those above it', async () => {
  const notebook = join(place.workspace, 'fruit.ipynb');
  writeFileSync(notebook, JSON.stringify(NOTEBOOK));
  const editor = await window.open('fruit.txt', 'Fruit.\n');
  // A file that opens with the window is text where the editor has not heard of notebooks yet.
  await editor.openByName('fruit.ipynb');
  await editor.page.locator('.cell .monaco-editor .view-lines').last().click();
  await editor.press('Control+End');
  await editor.press('Backspace');
  await editor.type('w');
  await expect.poll(() => editor.ghostText(), PATIENCE).toMatch(/^ords/);
  const taken = await editor.ghostText();
  await editor.picture('notebook');
  await editor.press('Tab');
  await editor.save();
  const saved = JSON.parse(readFileSync(notebook, 'utf8')) as typeof NOTEBOOK & {
    readonly cells: readonly { readonly source: readonly string[] }[];
  };
  expect(saved.cells[1]?.source.join('')).toBe(`print(count_w${taken}`);
});

it('a message is offered in the commit box to who asks, of what is staged', async () => {
  const repository = join(inject('scratch'), 'fruit');
  // Of a first try.
  rmSync(repository, { recursive: true, force: true });
  mkdirSync(join(repository, '.vscode'), { recursive: true });
  writeFileSync(join(repository, '.vscode', 'settings.json'), '{ "git.enabled": true }\n');
  makeFruitRepository(repository)('quandongs');
  const editor = await EditorPage.openOnly({ ...place, workspace: repository }, 'notes.txt', 'Fruit.\n', {
    viewport: VIEWPORT,
  });
  await editor.press('Control+Shift+g');
  const box = editor.page.locator('.scm-editor .monaco-editor .view-lines');
  await box.click();
  await editor.press('Alt+Backslash');
  await expect.poll(() => editor.ghostText(), PATIENCE).toMatch(/^fruit: /);
  const taken = await editor.ghostText();
  await editor.picture('commit-message');
  await editor.press('Tab');
  await expect.poll(async () => (await box.textContent())?.replace(/\u00a0/g, ' '), PATIENCE).toBe(taken);
});
