/**
 * Not a test: takes the README's moving picture of ghost text, beside it those of the walkthrough, and those of docs/
 * (`npm run test:e2e -- --screenshot media/ghost-text.gif`).
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { expect, inject, it } from 'vitest';
import { ROOT } from '../../scripts/paths.mjs';
import { startStandIn } from '../remote/stand_in_server';
import { EditorPage } from './editor_page';

const NAME = 'settings.py';
const BEFORE = '"""Settings, kept as JSON beside the program."""\n\nimport json\n\n\n';
const LOADING = 'def load_settings(path):\n    with open(path) as file:\n        return ';
/** How long a picture stands, ms: behind a key, before a suggestion is taken, at the end. What a machine takes to take them is not seen. */
const KEY_MS = 80;
const LOOK_MS = 1_100;
const END_MS = 3_000;
/** What ghost text takes on a machine that does nothing else, and more, ms. */
const ANSWER_MS = 400;

it('takes the moving picture', async () => {
  const picture = pictureFile();
  const place = inject('place');
  const window = {
    viewport: { width: 800, height: 330 },
    deviceScaleFactor: 1.5,
  };
  const editor = await EditorPage.open(place, NAME, BEFORE, window);
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
});

it('takes those of the walkthrough', async () => {
  const folder = dirname(pictureFile());
  mkdirSync(folder, { recursive: true });
  const place = inject('place');
  const window = { viewport: { width: 640, height: 480 } };
  const editor = await EditorPage.open(place, 'walkthrough.py', '', window);
  await editor.press('Control+b');
  await editor.run('Emberline: Try It');
  await expect.poll(() => editor.ghostText(), { timeout: 45_000 }).toBe('a * b');
  await editor.waitForStatus('Ready');
  const take = (name: string): Promise<void> => still(editor, join(folder, `walkthrough-${name}.png`));
  await take('see');
  await editor.press('Control+ArrowRight');
  await expect.poll(() => editor.ghostText(), { timeout: 45_000 }).toBe(' * b');
  await take('take');
  await editor.run('Emberline: Show the Menu');
  await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'Pause' }).first().waitFor();
  await take('charge');
});

it('takes those of the pages in docs/', async () => {
  const folder = join(ROOT, 'docs');
  const server = await startStandIn('llama-server');
  try {
    const place = inject('place');
    const window = { viewport: { width: 900, height: 560 } };
    const editor = await EditorPage.open(place, 'pages.py', `${BEFORE}${LOADING}`, window);
    await editor.press('Control+b');
    const rows = editor.page.locator('.quick-input-list .monaco-list-row');
    await editor.run('Emberline: Download Model');
    await rows.filter({ hasText: 'Qwen2.5-Coder 1.5B' }).waitFor();
    await still(editor, join(folder, 'download_model.png'));
    await editor.press('Escape');
    await editor.run('Emberline: Use a Remote Engine');
    await editor.answer(server.url);
    // It wants no key.
    await editor.page.locator('.quick-input-widget .quick-input-title', { hasText: 'Key for' }).waitFor();
    await editor.press('Enter');
    await rows.filter({ hasText: 'Send nothing' }).waitFor();
    await still(editor, join(folder, 'remote_preview.png'));
    await editor.press('Escape');
  } finally {
    await server.stop();
  }
});

async function still(editor: EditorPage, path: string): Promise<void> {
  // Lists fade in.
  await editor.page.waitForTimeout(ANSWER_MS);
  await sharp(await editor.page.screenshot())
    .png({ palette: true, dither: 0 })
    .toFile(path);
}

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
