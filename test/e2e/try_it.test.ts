/** The first minutes of somebody new: the scratch file shows a suggestion by itself, and the keys that it names do what it says. */
import { expect, it } from 'vitest';
import { PATIENCE } from './editor_page';
import { sharedWindow } from './shared_window';

const window = sharedWindow({ width: 1200, height: 700 });

it('is paused from the menu of the status bar, and goes on with a click on it', async () => {
  const editor = await window.open('paused.py', '');
  await editor.run('Emberline: Show the Menu');
  // Another list takes the place of the first.
  await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Pause…' }).click();
  await editor.pick('For an hour');
  await editor.waitForStatus('Paused until ');
  await editor.picture('paused');
  await editor.page.locator('.statusbar-item', { hasText: /Emberline \d/ }).click();
  await editor.waitForStatus('Ready');
});

it('shows a suggestion that Ctrl+Right takes a word of, and Tab the rest', async () => {
  const editor = await window.open('new.txt', '');
  await editor.run('Emberline: Try It');
  await expect.poll(() => editor.ghostText(), PATIENCE).toBe('a * b');
  await editor.picture('try-it');
  await editor.press('Control+ArrowRight');
  await expect.poll(() => editor.ghostText(), PATIENCE).toBe(' * b');
  await editor.press('Tab');
  await expect.poll(() => editor.text(), PATIENCE).toMatch(/return a \* b$/m);
});
