/**
 * Not a test: takes the README's moving picture of ghost text, and beside it those of the walkthrough
 * (`npm run test:e2e -- --screenshot media/ghost-text.gif`).
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { expect, inject, it } from 'vitest';
import { launchChromium } from '../../scripts/editor/chromium.mjs';
import { EditorPage } from './editor_page';

const NAME = 'settings.py';
const BEFORE = '"""Settings, kept as JSON beside the program."""\n\nimport json\n\n\n';
/** How long a picture stands, ms: behind a key, before a suggestion is taken, at the end. What a machine takes to take them is not seen. */
const KEY_MS = 80;
const LOOK_MS = 1_100;
const END_MS = 3_000;
/** What ghost text takes on a machine that does nothing else, and more, ms. */
const ANSWER_MS = 400;

it('takes the moving picture', async () => {
  const picture = pictureFile();
  const browser = await launchChromium();
  try {
    const place = inject('place');
    const context = await browser.newContext({
      viewport: { width: 800, height: 330 },
      deviceScaleFactor: 1.5,
    });
    const editor = await EditorPage.open(context, place, NAME, BEFORE);
    // The side bar takes room that the text needs.
    await editor.press('Control+b');
    await editor.waitForStatus('Ready');
    const film = new Film(editor);
    await film.take(LOOK_MS);
    await film.type('def load_settings(path):\nwith open(path) as file:\nreturn ');
    await film.accept();
    await film.press('Enter');
    await film.press('Enter');
    await film.press('Home');
    await film.type('def save_settings(path, settings):\nwith open');
    await film.accept();
    await film.press('Enter');
    await film.type('json.');
    await film.accept();
    await film.take(END_MS);
    await film.save(picture);
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
    const take = async (name: string): Promise<unknown> =>
      sharp(await editor.page.screenshot())
        .png({ palette: true, dither: 0 })
        .toFile(join(folder, `walkthrough-${name}.png`));
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

/** Pictures of an editor, one after the other. */
class Film {
  private readonly editor: EditorPage;
  private readonly pictures: Buffer[] = [];
  private readonly lasting: number[] = [];

  constructor(editor: EditorPage) {
    this.editor = editor;
  }

  async take(ms: number): Promise<void> {
    this.pictures.push(await this.editor.page.screenshot({ caret: 'initial' }));
    this.lasting.push(ms);
  }

  async press(key: string): Promise<void> {
    await this.editor.press(key);
    await this.editor.page.waitForTimeout(ANSWER_MS);
    await this.take(KEY_MS);
  }

  async type(text: string): Promise<void> {
    for (const key of text) await this.press(key === '\n' ? 'Enter' : key);
  }

  /** Looks at the suggestion, and takes it. */
  async accept(): Promise<void> {
    await expect.poll(() => this.editor.ghostText(), { timeout: 45_000 }).not.toBe('');
    await this.take(LOOK_MS);
    await this.press('Tab');
    await this.take(LOOK_MS);
  }

  async save(path: string): Promise<void> {
    mkdirSync(dirname(path), { recursive: true });
    await sharp(this.pictures, { join: { animated: true } })
      .gif({ delay: this.lasting, loop: 0, colours: 64, dither: 0, effort: 10 })
      .toFile(path);
  }
}

function pictureFile(): string {
  const picture = process.env['EMBERLINE_SCREENSHOT'];
  if (picture === undefined) throw new Error('EMBERLINE_SCREENSHOT names no file.');
  return picture;
}
