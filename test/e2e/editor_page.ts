/** One editor window in a browser, with the few things the tests do to it and see of it. */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Frame, Locator, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { workbenchUrl } from '../../scripts/editor/code_server.mjs';
import { LOGS } from '../../scripts/paths.mjs';
import { theBrowser } from './browser';
import type { EditorPlace } from './editor_place';

/** Generous: a machine under load is slow, not broken. */
const PATIENCE_MS = 60_000;
/** Of what a test polls. */
export const PATIENCE = { timeout: 45_000, interval: 50 };

/** What VS Code draws for a space in a line of text. */
const NO_BREAK_SPACE = /\u00a0/g;

export class EditorPage {
  readonly page: Page;
  private readonly place: EditorPlace;
  private readonly ghost: Locator;
  private opened: string;

  private constructor(page: Page, place: EditorPlace, file: string) {
    this.page = page;
    this.place = place;
    this.opened = file;
    this.ghost = page.locator('.ghost-text-decoration, .ghost-text-decoration-preview');
  }

  /** The file that was opened last, on disk. */
  get file(): string {
    return this.opened;
  }

  /**
   * Opens a new file of the workspace with `content` in a window of its own and waits until Emberline is ready; the cursor is at its end. The window
   * is closed when the test is over.
   */
  static async open(
    place: EditorPlace,
    name: string,
    content: string,
    window?: BrowserContextOptions,
  ): Promise<EditorPage> {
    const editor = await EditorPage.openOnly(place, name, content, window);
    await editor.focus();
    await editor.press('Control+End');
    return editor;
  }

  /** The same without the cursor in the text. */
  static async openOnly(
    place: EditorPlace,
    name: string,
    content: string,
    window?: BrowserContextOptions,
  ): Promise<EditorPage> {
    const editor = await EditorPage.load(place, name, content, window);
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') await editor.keepPicture(task.name);
      await editor.leave();
    });
    await editor.waitForFile(name);
    return editor;
  }

  /** Opens a window with a new file of the workspace, and waits for neither. It shares nothing that a browser keeps with any other. */
  static async load(
    place: EditorPlace,
    name: string,
    content: string,
    window: BrowserContextOptions = {},
  ): Promise<EditorPage> {
    const file = join(place.workspace, name);
    writeFileSync(file, content);
    const browser = await theBrowser();
    const page = await browser.newPage(window);
    page.setDefaultTimeout(PATIENCE_MS);
    const server = { url: place.editorUrl };
    const remoteFile = `vscode-remote://${new URL(place.editorUrl).host}${file}`;
    await page.goto(workbenchUrl(server, place.workspace, [['openFile', remoteFile]]), {
      waitUntil: 'domcontentloaded',
    });
    return new EditorPage(page, place, file);
  }

  /** Waits until a file is open and in front, and Emberline ready. */
  async waitForFile(name: string): Promise<void> {
    await this.waitForTab(name);
    await this.waitForStatus('Ready');
  }

  /** Waits until the status bar item says `sentence`. */
  async waitForStatus(sentence: string): Promise<void> {
    await this.page.locator(`.statusbar-item [aria-label*="Emberline: ${sentence}"]`).waitFor();
  }

  /** Waits until the status bar item, pointed at, names a model that begins so. */
  async waitForModel(name: string): Promise<void> {
    const item = this.page.locator('.statusbar-item', {
      has: this.page.locator('[aria-label*="Emberline: Ready"]'),
    });
    const hover = this.page.locator('.monaco-hover', { hasText: new RegExp(`\\n?${name}.* on `) });
    await expect
      .poll(
        async () => {
          await item.hover();
          return hover.first().isVisible();
        },
        { timeout: PATIENCE_MS, interval: 500 },
      )
      .toBe(true);
    await this.page.mouse.move(0, 0);
  }

  /** Types like a person in a hurry: a key every 30 ms. Line breaks are typed with Enter, so the editor indents. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text, { delay: 30 });
  }

  async press(key: string): Promise<void> {
    await this.page.keyboard.press(key);
  }

  /** Puts the cursor at a line and a column, both from 1. */
  async goTo(line: number, column: number): Promise<void> {
    await this.press('Control+g');
    await this.page.locator('.quick-input-widget').waitFor();
    await this.page.keyboard.type(`${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    await this.page.locator('.statusbar-item', { hasText: `Ln ${line}, Col ${column}` }).waitFor();
  }

  /** Keeps a picture of what is on screen, where somebody wants them. */
  async picture(name: string): Promise<void> {
    const folder = process.env['EMBERLINE_SCREENSHOTS'];
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await this.page.screenshot({ path: join(folder, `${name}.png`) });
  }

  /** The ghost text on screen; empty when there is none. */
  async ghostText(): Promise<string> {
    return (await this.ghost.allTextContents()).join('').replace(NO_BREAK_SPACE, ' ');
  }

  /** The lines of ghost text below the cursor's, of a suggestion of several. */
  async furtherGhostLines(): Promise<string[]> {
    const lines = await this.page.locator('.suggest-preview-text .view-line').allTextContents();
    return lines.map((line) => line.replace(NO_BREAK_SPACE, ' '));
  }

  /** The text on screen. */
  async text(): Promise<string> {
    const lines = await this.page.locator('.editor-instance .view-line').allTextContents();
    return lines.join('\n').replace(NO_BREAK_SPACE, ' ');
  }

  /** Runs a command by its title, from the command palette. */
  async run(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    await this.page.locator('.quick-input-widget').waitFor();
    await this.page.keyboard.type(title);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Opens a file of the workspace by its name. */
  async openByName(name: string): Promise<void> {
    await this.press('Control+p');
    await this.page.locator('.quick-input-widget').waitFor();
    await this.page.keyboard.type(name);
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.waitForTab(name);
    this.opened = join(this.place.workspace, name);
  }

  /** Writes a file of the workspace, and opens it from the list of its files. */
  async openNew(name: string, content: string): Promise<void> {
    this.opened = join(this.place.workspace, name);
    writeFileSync(this.opened, content);
    // Behind its name stands how far away it is.
    await this.page.locator(`.explorer-folders-view [role="treeitem"][aria-label^="${name}"]`).dblclick();
    await this.waitForTab(name);
  }

  /** Hides the list of files until the test is over: whoever has the window next opens one from it. */
  async hideFiles(): Promise<void> {
    await this.press('Control+b');
    onTestFinished(() => this.press('Control+b'));
  }

  /** Closes all files. False, and nothing is closed, where something is not saved. */
  async closeFiles(): Promise<boolean> {
    if ((await this.page.locator('.tab.dirty').count()) > 0) return false;
    await this.press('Control+k');
    await this.press('Control+w');
    await this.page.locator('.tab').first().waitFor({ state: 'detached' });
    return true;
  }

  /** Opens the dashboard, and waits until it is drawn with at least one request: until then it may still take the focus. */
  async showDashboard(): Promise<Frame> {
    await this.run('Emberline: Show Dashboard');
    let frame: Frame | undefined;
    const look = async (): Promise<boolean> => {
      for (const one of this.page.frames()) {
        // A frame may be gone by now.
        const tables = await one
          .locator('#requests table')
          .count()
          .catch(() => 0);
        if (tables > 0) frame = one;
      }
      return frame !== undefined;
    };
    await expect.poll(look, { timeout: PATIENCE_MS, interval: 50 }).toBe(true);
    return frame ?? expect.fail('no frame');
  }

  /** Answers a question of the extension. */
  async answer(text: string): Promise<void> {
    await this.page.locator('.quick-input-widget .quick-input-title', { hasText: 'Emberline' }).waitFor();
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Enter');
  }

  /** Puts the cursor back into the text. */
  async focus(): Promise<void> {
    await this.page.locator('.editor-instance .monaco-editor .view-lines').first().click();
  }

  /** Picks the entry of a list that the extension shows. */
  async pick(entry: string): Promise<void> {
    await this.page.locator('.quick-input-list .monaco-list-row', { hasText: entry }).click();
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  /** Saves, which writes the file though nothing has changed, and waits until that is done: a tab may not say yet that it is dirty. */
  async save(): Promise<void> {
    const written = (): bigint => statSync(this.opened, { bigint: true }).mtimeNs;
    const before = written();
    await this.page.keyboard.press('Control+s');
    await expect.poll(written, { timeout: PATIENCE_MS, interval: 20 }).not.toBe(before);
    await this.page.locator('.tab.active:not(.dirty)').waitFor();
  }

  /** Saves, and reads what was written. */
  async savedText(): Promise<string> {
    await this.save();
    return readFileSync(this.opened, 'utf8');
  }

  /** Keeps what is on screen among the logs, for whoever wants to know why a test failed. */
  async keepPicture(title: string): Promise<void> {
    await this.page.screenshot({ path: join(LOGS, `e2e-${title.replace(/\W+/g, '-')}.png`) });
  }

  /**
   * Closes the window. What is typed and not saved, or was saved just now, the editor has a copy of: the next window would bring it back into the same
   * file.
   */
  async leave(): Promise<void> {
    if (!this.page.isClosed()) await this.page.close();
    rmSync(this.place.backups, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  private async waitForTab(name: string): Promise<void> {
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
  }
}
