/**
 * Not a test: measures how long a key takes until its character is painted, with suggestions on and off in turn, in one window and one document
 * (`npm run test:e2e -- --paint 300`).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { expect, inject, it } from 'vitest';
import { quantile } from '../../bench/statistics';
import { EditorPage, PATIENCE } from './editor_page';

/** Keys of one kind at a time: what the machine does meanwhile is then much the same for both. */
const BLOCK = 30;
/** Ghost text comes and goes between two keys at this pace, ms. */
const PACE_MS = 200;
// Without brackets, of which the editor writes the second.
const LINES = ['import os', 'import sys', 'import json'];
/** After so many keys ghost text is waited for, at most so long, ms. */
const RESTS_AFTER = 5;
const REST_MS = 3_000;
const KEY_WATCH = join(import.meta.dirname, 'page', 'key_watch.ts');

it('measures key to paint', async ({ annotate }) => {
  const keys = Number(process.env['EMBERLINE_PAINT']);
  if (!Number.isInteger(keys) || keys < BLOCK) expect.fail(`EMBERLINE_PAINT is no number from ${BLOCK} on.`);
  const place = inject('place');
  const window = { viewport: { width: 1_200, height: 700 } };
  const editor = await EditorPage.open(place, 'paint.py', `${LINES.join('\n')}\n\n`, window);
  const { code } = await transform(readFileSync(KEY_WATCH, 'utf8'), { loader: 'ts', format: 'iife' });
  await editor.page.evaluate(code);
  const painted = (): Promise<number[]> => editor.page.evaluate('globalThis.keysPainted.splice(0)');
  const count = (): Promise<number> => editor.page.evaluate('globalThis.keysPainted.length');
  const spent = { on: [] as number[], off: [] as number[] };
  let shown = 0;
  for (let block = 0; Math.min(spent.on.length, spent.off.length) < keys; block++) {
    const which = block % 2 === 0 ? 'off' : 'on';
    await switchTo(editor, which);
    await painted();
    let typed = 0;
    const line = LINES[(block >> 1) % LINES.length] ?? '';
    for (const key of line.padEnd(BLOCK, ', re').slice(0, BLOCK)) {
      await editor.page.keyboard.press(key);
      await editor.page.waitForTimeout(PACE_MS);
      // On a machine that is busy.
      await expect.poll(count, PATIENCE).toBe(++typed);
      if (which === 'on' && typed % RESTS_AFTER === 0) await rest(editor);
      if (which === 'on' && (await editor.ghostText()) !== '') shown++;
    }
    spent[which].push(...(await painted()));
    await editor.press('Escape');
    await editor.press('Enter');
  }
  const row = (of: readonly number[]): string =>
    [0.5, 0.95, 0.99].map((share) => quantile(of, share).toFixed(1)).join(' / ');
  const difference = quantile(spent.on, 0.95) - quantile(spent.off, 0.95);
  await annotate(
    `key to paint, ms (median / 95 of 100 / 99 of 100): on ${row(spent.on)}, off ${row(spent.off)}, of ${spent.on.length} and ${spent.off.length} keys, ${shown} with ghost text; 95 of 100 differ by ${difference.toFixed(1)} ms`,
  );
  // Otherwise it says nothing of ghost text.
  expect(shown).toBeGreaterThan(0);
  await editor.save();
}, 3_600_000);

/** Waits for ghost text, so that the next key is one that finds it on the screen; a machine that is busy shows none between two keys. */
async function rest(editor: EditorPage): Promise<void> {
  const deadline = performance.now() + REST_MS;
  while ((await editor.ghostText()) === '' && performance.now() < deadline)
    await editor.page.waitForTimeout(50);
}

async function switchTo(editor: EditorPage, which: 'on' | 'off'): Promise<void> {
  await editor.run(which === 'on' ? 'Emberline: Enable' : 'Emberline: Disable');
  await editor.waitForStatus(which === 'on' ? 'Ready' : 'Turned off here');
  await editor.focus();
  await editor.press('Control+End');
  await expect.poll(() => editor.ghostText(), PATIENCE).toBe('');
}
