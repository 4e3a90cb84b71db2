/** Generating at the cursor as a user sees it: the text grows on screen, Escape stops it, one undo takes it back. */
import { expect, it } from 'vitest';
import type { EditorPage } from './editor_page';
import { sharedWindow } from './shared_window';

const PATIENCE = { timeout: 45_000, interval: 20 };

const window = sharedWindow({ width: 1_200, height: 420 });

/** A model goes on counting for seconds, with no line like another; in a file of code, or behind fewer lines, it soon comes to an end. */
const COUNT = `${Array.from({ length: 40 }, (_, i) => `value_${i + 1} = ${i + 1}\n`).join('')}value_41 =`;
/** A line that was not there; of a long text the last lines alone are in sight. */
const GROWN = /value_(4[2-9]|[5-9]\d|\d{3,}) = /;

/** Generates and presses Escape when there is something to see; answers the question with `answer`. */
async function generateAndStop(name: string, answer: 'Keep' | 'Drop'): Promise<EditorPage> {
  const editor = await window.open(name, COUNT);
  await editor.press('Shift+Alt+Backslash');
  await editor.waitForStatus('Generating');
  await expect.poll(() => editor.text(), PATIENCE).toMatch(GROWN);
  await editor.press('Escape');
  await editor.waitForStatus('Ready');
  await editor.pick(answer);
  return editor;
}

it('grows until Escape, and is one undo step', async () => {
  const editor = await generateAndStop('kept.txt', 'Keep');
  const kept = await editor.savedText();
  expect(kept.startsWith(COUNT)).toBe(true);
  expect(kept.length).toBeGreaterThan(COUNT.length);
  await editor.press('Control+z');
  expect(await editor.savedText()).toBe(COUNT);
});

it('goes when the user wants no part of it', async () => {
  const editor = await generateAndStop('dropped.txt', 'Drop');
  await expect.poll(() => editor.text(), PATIENCE).not.toMatch(GROWN);
  expect(await editor.savedText()).toBe(COUNT);
});

it('has others, which are looked through where it stands, and is made again, but otherwise', async () => {
  const before = 'def add(a, b):\n    return a + b\n\n\ndef subtract(a, b):\n';
  const editor = await window.open('others.py', before);
  await editor.press('ArrowUp');
  await editor.press('End');
  await editor.press('Shift+Alt+Backslash');
  await expect.poll(() => editor.text(), PATIENCE).toMatch(/return a - b$/m);
  await editor.waitForStatus('Ready');
  const first = await editor.savedText();
  await editor.press('Alt+]');
  await editor.page.locator('.statusbar-item', { hasText: 'text 2 of 2' }).waitFor();
  const second = await editor.savedText();
  expect(second).not.toBe(first);
  await editor.picture('generated-candidates');
  await editor.press('Alt+[');
  await editor.page.locator('.statusbar-item', { hasText: 'text 1 of 2' }).waitFor();
  expect(await editor.savedText()).toBe(first);
  await editor.press('Alt+Enter');
  await editor.picture('generated-again');
  await editor.answer('with a docstring');
  await editor.page.locator('.statusbar-item', { hasText: 'text 3 of 3' }).waitFor();
  const third = await editor.savedText();
  expect([first, second]).not.toContain(third);
  // Escape leaves what stands there.
  await editor.press('Escape');
  expect(await editor.savedText()).toBe(third);
  await editor.press('Control+z');
  await expect.poll(() => editor.savedText(), PATIENCE).toBe(before);
});
