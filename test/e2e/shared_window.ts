/**
 * One window for the tests of a file that need none of their own: that it loads is the most of what a short test takes. What a test has opened is closed
 * behind it, and the extension forgets it; behind one that failed, or left something unsaved, the next has a new window.
 */
import type { Browser, BrowserContext, ViewportSize } from 'playwright-core';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { launchChromium } from '../../scripts/editor/chromium.mjs';
import { EditorPage } from './editor_page';

/** Enough for some sixty files: those of all tests. */
const LIST_HEIGHT = 1_500;

export interface SharedWindow {
  /**
   * Opens a new file of the workspace with `content` and waits until Emberline is ready; the cursor is at its end. No other file is open. One test at a
   * time.
   */
  readonly open: (name: string, content: string) => Promise<EditorPage>;
  /** Has the next one be new, for who changes what an editor reads when it starts. */
  readonly renew: () => Promise<void>;
}

/** For all tests of the file that calls it; there before the first and gone after the last. */
export function sharedWindow(viewport: ViewportSize): SharedWindow {
  const place = inject('place');
  let browser: Browser;
  let context: BrowserContext;
  let editor: EditorPage | undefined;

  beforeAll(async () => {
    browser = await launchChromium();
    context = await browser.newContext({ viewport });
  });

  afterAll(async () => {
    await browser.close();
  });

  /** Puts the window away while a test has it. */
  async function take(name: string, content: string): Promise<EditorPage> {
    const taken = editor ?? (await EditorPage.load(context, place, name, content));
    const isNew = editor === undefined;
    editor = undefined;
    onTestFinished(async ({ task }) => {
      const failed = task.result?.state === 'fail';
      if (failed) await taken.keepPicture(task.name);
      if (!failed && (await taken.closeFiles())) editor = taken;
      else await taken.leave();
    });
    if (!isNew) {
      // The list draws no more files than there is room for.
      await taken.page.setViewportSize({ ...viewport, height: LIST_HEIGHT });
      await taken.openNew(name, content);
      await taken.page.setViewportSize(viewport);
    }
    return taken;
  }

  const open = async (name: string, content: string): Promise<EditorPage> => {
    const taken = await take(name, content);
    await taken.waitForFile(name);
    await taken.focus();
    await taken.press('Control+End');
    return taken;
  };
  const renew = async (): Promise<void> => {
    await editor?.leave();
    editor = undefined;
  };
  return { open, renew };
}
