/** An edit by instruction as a user sees it: asked for, previewed, accepted, undone. */
import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { PATIENCE } from './editor_page';
import { sharedWindow } from './shared_window';

const BEFORE = 'function add(total, b) {\n  return total + b;\n}\n';
const HALF = 'def half(number):\n    return number / 2\n';
const AFTER = 'function add(first, b) {\n  return first + b;\n}\n';

const window = sharedWindow({ width: 1_200, height: 420 });

it('is previewed, accepted and undone', async () => {
  const editor = await window.open('add.js', BEFORE);
  await editor.press('Control+a');
  await editor.run('Emberline: Edit Selection');
  await editor.answer('rename total to first');
  await editor.page.locator('.monaco-diff-editor .view-line', { hasText: 'return first' }).waitFor();
  expect(readFileSync(editor.file, 'utf8')).toBe(BEFORE);
  await editor.page.locator('.editor-actions [aria-label*="Apply the Edit"]').click();
  await editor.page.locator('.monaco-diff-editor').waitFor({ state: 'detached' });
  await editor.focus();
  await expect.poll(() => editor.savedText(), PATIENCE).toBe(AFTER);
  await editor.press('Control+z');
  await expect.poll(() => editor.savedText(), PATIENCE).toBe(BEFORE);
});

it('has other candidates, which are looked through, and is made again, but otherwise', async () => {
  const editor = await window.open('half.py', HALF);
  await editor.hideFiles();
  await editor.focus();
  await editor.press('Control+a');
  await editor.run('Emberline: Edit Selection');
  await editor.answer('add a docstring');
  const right = editor.page.locator('.monaco-diff-editor .editor.modified .view-line', { hasText: '"""' });
  const title = (end: string): Promise<void> =>
    editor.page.locator('.tab.active', { hasText: end }).waitFor();
  await right.waitFor();
  const first = await right.textContent();
  await editor.press('Alt+]');
  await title('(2 of 2)');
  await expect.poll(() => right.textContent(), PATIENCE).not.toBe(first);
  const second = await right.textContent();
  await editor.waitForStatus('Ready');
  await editor.picture('candidates');
  await editor.press('Alt+[');
  await title('(1 of 2)');
  await expect.poll(() => right.textContent(), PATIENCE).toBe(first);
  await editor.press('Alt+Enter');
  await editor.answer('shorter');
  await title('shorter (3 of 3)');
  // The new view takes the focus, and with it the keys, a moment after its title.
  await editor.waitForStatus('Ready');
  await editor.page.locator('.monaco-diff-editor .monaco-editor.focused').waitFor();
  await editor.picture('again');
  await editor.press('Alt+[');
  await title('(2 of 3)');
  await expect.poll(() => right.textContent(), PATIENCE).toBe(second);
  // The file's and the view's: those of the views before are closed.
  await expect.poll(() => editor.page.locator('.tab').count(), PATIENCE).toBe(2);
  expect(readFileSync(editor.file, 'utf8')).toBe(HALF);
  await editor.press('Control+Enter');
  await editor.page.locator('.monaco-diff-editor').waitFor({ state: 'detached' });
  await editor.focus();
  const shown = (second ?? '').replaceAll('\u00a0', ' ');
  await expect.poll(() => editor.savedText(), PATIENCE).toBe(HALF.replace('\n', `\n${shown}\n`));
  await editor.press('Control+z');
  await expect.poll(() => editor.savedText(), PATIENCE).toBe(HALF);
});

it('is decided on by keys that are pressed in its view, on both sides, and in no other diff view', async () => {
  const editor = await window.open('sum.js', BEFORE);
  await editor.hideFiles();
  const tab = (label: string): Locator => editor.page.locator('.tab', { hasText: label });
  const side = (name: string): Locator => editor.page.locator(`.monaco-diff-editor .editor.${name}`);
  const enter = async (name: string): Promise<void> => {
    await side(name).locator('.view-lines').click();
    await side(name).locator('.monaco-editor.focused').waitFor();
  };
  await editor.focus();
  await editor.press('Control+a');
  await editor.run('Emberline: Edit Selection');
  await editor.answer('rename total to first');
  await side('modified').locator('.view-line', { hasText: 'return first' }).waitFor();
  await editor.waitForStatus('Ready');
  await tab('sum.js').first().click();
  await editor.page.locator('.monaco-diff-editor').waitFor({ state: 'hidden' });
  await editor.run('File: Compare Active File with Saved');
  await tab('↔').and(editor.page.locator('.active')).waitFor();
  for (const name of ['original', 'modified']) {
    await enter(name);
    await editor.press('Escape');
  }
  await tab('rename total to first').click();
  await side('modified').locator('.view-line', { hasText: 'return first' }).waitFor();
  await enter('original');
  await editor.press('Control+Enter');
  await tab('rename total to first').waitFor({ state: 'detached' });
  await expect.poll(() => editor.savedText(), PATIENCE).toBe(AFTER);
});
