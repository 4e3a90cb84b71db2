/** An edit by instruction as a user sees it: asked for, previewed, accepted, undone. */
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launchChromium } from '../../scripts/editor/chromium.mjs';
import { EditorPage } from './editor_page';

const PATIENCE = { timeout: 45_000, interval: 50 };
const BEFORE = 'function add(total, b) {\n  return total + b;\n}\n';
const AFTER = 'function add(first, b) {\n  return first + b;\n}\n';

const place = { editorUrl: inject('editorUrl'), workspace: inject('workspace') };

let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});

afterAll(async () => {
  await browser.close();
});

it('is previewed, accepted and undone', async () => {
  const editor = await EditorPage.open(await browser.newContext(), place, 'add.js', BEFORE);
  await editor.press('Control+a');
  await editor.run('Emberline: Edit Selection');
  await editor.answer('rename total to first');
  await editor.page.locator('.monaco-diff-editor .view-line', { hasText: 'return first' }).waitFor();
  expect(readFileSync(editor.file, 'utf8')).toBe(BEFORE);
  await editor.page.locator('.editor-actions [aria-label*="Apply the Edit"]').click();
  await editor.page.locator('.monaco-diff-editor').waitFor({ state: 'detached' });
  await editor.focus();
  await expect.poll(() => savedText(editor), PATIENCE).toBe(AFTER);
  await editor.press('Control+z');
  await expect.poll(() => savedText(editor), PATIENCE).toBe(BEFORE);
});

async function savedText(editor: EditorPage): Promise<string> {
  await editor.save();
  return readFileSync(editor.file, 'utf8');
}
