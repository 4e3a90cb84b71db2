/**
 * Not a test: measures how late the event loop of the extension host is while somebody types, accepts, has the dashboard open beside and downloads a model
 * (`npm run test:e2e -- --delay 600`).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CATALOGUE, type CatalogueModel } from '../../core/models/catalogue';
import { ROOT } from '../../scripts/paths.mjs';
import { beginAnew, delaysIn, recordingDelays } from './delays/delay_record';
import { EditorPage, PATIENCE } from './editor_page';
import { startMirror } from './model_mirror';
import { startOwnEditor } from './own_editor';

const [MODEL] = CATALOGUE as readonly [CatalogueModel, ...CatalogueModel[]];
const MODEL_BYTES = 512 * 2 ** 20;
const PIECE_BYTES = 65_536;
/** The download outlasts what is measured. */
const SLACK = 1.2;
/** A person's pace, and the pauses in which ghost text comes, ms. */
const KEY_MS = 120;
const PAUSE_MS = 600;
/** What is typed: a file of this repository, line by line, behind its first ones. Of the suggestions in the middle of its lines, one of so many is taken. */
const TYPED = join(ROOT, 'training', 'trainer.py');
const GIVEN_LINES = 20;
const TAKEN_OF = 3;
const RECORD = 'delays.json';

it('measures the delay of the event loop', async ({ annotate }) => {
  const seconds = Number(process.env['EMBERLINE_DELAY']);
  if (!(seconds >= 1)) expect.fail(`EMBERLINE_DELAY is no number from 1 on.`);
  const lines = readFileSync(TYPED, 'utf8').split('\n');
  const given = lines.slice(0, GIVEN_LINES);
  const typed = lines.slice(GIVEN_LINES).filter((line) => line.trim() !== '');
  const pieces = MODEL_BYTES / PIECE_BYTES;
  const mirror = await startMirror(MODEL, Buffer.alloc(MODEL_BYTES), {
    pieceBytes: PIECE_BYTES,
    pieceMs: (SLACK * seconds * 1_000) / pieces,
  });
  const settings = {
    'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
    'editor.autoIndent': 'none',
    // The server's editor looks for open ports all the while, which starts processes from the extension host; no other editor does.
    'remote.autoForwardPorts': false,
    'remote.autoForwardPortsSource': 'output',
    'editor.autoClosingBrackets': 'never',
    'editor.autoClosingQuotes': 'never',
    'emberline.model.mirror': mirror.address,
  };
  const own = await startOwnEditor('delays', settings, ({ folder }) => recordingDelays(join(folder, RECORD)));
  const record = join(own.profile.folder, RECORD);
  try {
    const window = { viewport: { width: 1_400, height: 800 } };
    const editor = await EditorPage.open(own.place, 'delays.py', `${given.join('\n')}\n`, window);
    await editor.run('Emberline: Download Model');
    await editor.pick(MODEL.name);
    const dialog = editor.page.locator('.monaco-dialog-box', { hasText: 'is what 127.0.0.1' });
    await dialog.getByRole('button', { name: /^(Download|Go On)$/ }).click();
    await editor.focus();
    await editor.press('Alt+Backslash');
    await editor.showDashboard();
    await editor.run('View: Move Editor into Right Group');
    await editor.focus();
    await editor.press('Control+End');
    await beginAnew(record);
    const until = performance.now() + seconds * 1_000;
    let keys = 0;
    let pauses = 0;
    let shown = 0;
    while (performance.now() < until) {
      const line = typed[pauses % typed.length] ?? '';
      const half = line.slice(0, Math.ceil(line.length / 2));
      await editor.page.keyboard.type(half, { delay: KEY_MS });
      await editor.page.waitForTimeout(PAUSE_MS);
      pauses++;
      keys += half.length;
      const isShown = (await editor.ghostText()) !== '';
      if (isShown) shown++;
      if (isShown && shown % TAKEN_OF === 0) await editor.press('Tab');
      else {
        await editor.page.keyboard.type(line.slice(half.length), { delay: KEY_MS });
        keys += line.length - half.length;
      }
      await editor.press('Enter');
    }
    const { count, p50, p99, p999, max } = await delaysIn(record);
    const dashboard = await editor.page.locator('.tab', { hasText: 'Emberline' }).count();
    await editor.picture('delays');
    const late = [p50, p99, p999, max].map((value) => value.toFixed(1)).join(' / ');
    await annotate(
      `event loop late by, ms (median / 99 of 100 / 99.9 of 100 / most): ${late}, of ${count} timers in ${seconds} s; ${keys} keys, ghost text at ${shown} of ${pauses} pauses`,
    );
    expect({ shown: shown > 0, dashboard }).toEqual({ shown: true, dashboard: 1 });
    await expect.poll(() => mirror.asked.length, PATIENCE).toBeGreaterThan(2);
  } finally {
    await own.stop();
    await mirror.stop();
  }
}, 3_600_000);
