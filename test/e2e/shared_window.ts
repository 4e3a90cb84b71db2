/**
 * One window for the tests that need none of their own, of whatever file: that it loads is the most of what a short test takes. What a test has opened is
 * closed behind it, and the extension forgets it; behind one that failed, or left something unsaved, the next has a new window.
 */
import type { ViewportSize } from 'playwright-core';
import { inject, onTestFinished } from 'vitest';
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

/** While no test has it. It ends with the browser. */
let kept: EditorPage | undefined;

/** @param viewport What the tests of the calling file have of it, CSS pixels. */
export function sharedWindow(viewport: ViewportSize): SharedWindow {
  const place = inject('place');

  async function take(name: string, content: string): Promise<EditorPage> {
    const taken = kept ?? (await EditorPage.load(place, name, content, { viewport }));
    const isNew = kept === undefined;
    kept = undefined;
    onTestFinished(async ({ task }) => {
      const failed = task.result?.state === 'fail';
      if (failed) await taken.keepPicture(task.name);
      if (!failed && (await taken.closeFiles())) kept = taken;
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
    await kept?.leave();
    kept = undefined;
  };
  return { open, renew };
}
