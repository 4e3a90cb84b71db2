/** The first minutes of somebody new: the scratch file shows a suggestion by itself, and the keys that it names do what it says. */
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { launchChromium } from '../../scripts/editor/chromium.mjs';
import { EditorPage } from './editor_page';

const PATIENCE = { timeout: 45_000, interval: 50 };

const place = inject('place');
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  browser = await launchChromium();
  context = await browser.newContext({ viewport: { width: 1200, height: 700 } });
});
afterAll(() => browser.close());

it('shows a suggestion that Ctrl+Right takes a word of, and Tab the rest', async () => {
  const editor = await EditorPage.open(context, place, 'new.txt', '');
  await editor.run('Emberline: Try It');
  await expect.poll(() => editor.ghostText(), PATIENCE).toBe('a * b');
  await editor.picture('try-it');
  await editor.press('Control+ArrowRight');
  await expect.poll(() => editor.ghostText(), PATIENCE).toBe(' * b');
  await editor.press('Tab');
  await expect.poll(() => editor.text(), PATIENCE).toMatch(/return a \* b$/m);
});

it('is paused from the menu of the status bar, and goes on with a click on it', async () => {
  const editor = await EditorPage.open(context, place, 'paused.py', '');
  await editor.run('Emberline: Show the Menu');
  // Another list takes the place of the first.
  await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Pause…' }).click();
  await editor.pick('For an hour');
  await editor.waitForStatus('Paused until ');
  await editor.picture('paused');
  await editor.page.locator('.statusbar-item', { hasText: /Emberline \d/ }).click();
  await editor.waitForStatus('Ready');
});
