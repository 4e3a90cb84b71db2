/**
 * Not a test: takes the README's picture of ghost text, and beside it those of the walkthrough
 * (`npm run test:e2e -- --screenshot media/ghost-text.png`).
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { launchChromium } from '../../scripts/editor/chromium.mjs';
import { EditorPage } from './editor_page';
import { completionBetween } from './terminal';

const NAME = 'settings.py';
const BEFORE = '"""Settings, kept as JSON beside the program."""\n\nimport json\n\n\n';
const TYPED = 'def load_settings(path):\nwith open(path) as file:\nreturn ';
const LEFT = 'def load_settings(path):\n    with open(path) as file:\n        return ';

it('takes the picture', async () => {
  const picture = pictureFile();
  const suggestion = completionBetween(join(inject('scratch'), 'expected'), NAME, BEFORE + LEFT, '');
  expect(suggestion).not.toBe('');
  const browser = await launchChromium();
  try {
    const place = inject('place');
    const context = await browser.newContext({
      viewport: { width: 800, height: 290 },
      deviceScaleFactor: 2,
    });
    const editor = await EditorPage.open(context, place, NAME, BEFORE);
    // The side bar takes room that the text needs.
    await editor.press('Control+b');
    await editor.type(TYPED);
    await expect.poll(() => editor.ghostText(), { timeout: 45_000 }).toBe(suggestion);
    await editor.waitForStatus('Ready');
    mkdirSync(dirname(picture), { recursive: true });
    await editor.page.screenshot({ path: picture });
  } finally {
    await browser.close();
  }
});

it('takes those of the walkthrough', async () => {
  const folder = dirname(pictureFile());
  mkdirSync(folder, { recursive: true });
  const browser = await launchChromium();
  try {
    const place = inject('place');
    const context = await browser.newContext({ viewport: { width: 640, height: 480 } });
    const editor = await EditorPage.open(context, place, 'walkthrough.py', '');
    await editor.press('Control+b');
    await editor.run('Emberline: Try It');
    await expect.poll(() => editor.ghostText(), { timeout: 45_000 }).toBe('a * b');
    await editor.waitForStatus('Ready');
    const take = (name: string): Promise<Buffer> =>
      editor.page.screenshot({ path: join(folder, `walkthrough-${name}.png`) });
    await take('see');
    await editor.press('Control+ArrowRight');
    await expect.poll(() => editor.ghostText(), { timeout: 45_000 }).toBe(' * b');
    await take('take');
    await editor.run('Emberline: Show the Menu');
    await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Pause' }).first().waitFor();
    await take('charge');
  } finally {
    await browser.close();
  }
});

function pictureFile(): string {
  const picture = process.env['EMBERLINE_SCREENSHOT'];
  if (picture === undefined) throw new Error('EMBERLINE_SCREENSHOT names no file.');
  return picture;
}
