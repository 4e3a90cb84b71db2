/**
 * A machine that sleeps and wakes: every process of the editor but the browser stands still in the middle of what the engine does, and goes on. Unlike in real
 * sleep all clocks go on meanwhile, which is the harder case. `EMBERLINE_SLEEP=60` to sleep for a minute each time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { family, processTable } from '../../../scripts/process_table.mjs';
import { EditorPage } from '../editor_page';
import { extensionHosts, type OwnEditor, startOwnEditor } from '../own_editor';

const SECONDS = Number(process.env['EMBERLINE_SLEEP'] ?? 3);
const MOST_MS = 120_000;
const PATIENCE = { timeout: 60_000, interval: 50 };

/** So long after it was asked for ghost text, or its engine restarted, it falls asleep, ms: before the answer, in it and after it. */
const MOMENTS = [0, 10, 40, 160, 1_000] as const;

let own: OwnEditor;

beforeAll(async () => {
  own = await startOwnEditor('sleeping', {
    // What is typed is what stands there.
    'editor.autoClosingBrackets': 'never',
    'editor.autoIndent': 'none',
    'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  });
});
afterAll(async () => {
  await own.stop();
});

async function sleep(): Promise<void> {
  const ids = family(processTable(), own.server.processId).map(({ id }) => id);
  for (const id of ids) signal(id, 'SIGSTOP');
  await delay(SECONDS * 1_000);
  for (const id of ids) signal(id, 'SIGCONT');
}

function signal(id: number, name: NodeJS.Signals): void {
  try {
    process.kill(id, name);
  } catch {
    // It has ended already.
  }
}

it(
  `a machine that sleeps for ${SECONDS} s goes on where it was`,
  async () => {
    const window = { viewport: { width: 1_100, height: 700 } };
    let text = 'def add(a, b):\n    return ';
    const editor = await EditorPage.open(own.place, 'sleeping.py', text, window);
    const hosts = extensionHosts(own);
    for (const work of ['complete', 'restart'] as const) {
      for (const ms of MOMENTS) {
        if (work === 'complete') await editor.press('Alt+\\');
        else await editor.run('Emberline: Restart the Engine');
        await delay(ms);
        await sleep();
        await editor.waitForStatus('Ready');
        await editor.focus();
        await editor.press('Control+End');
        await editor.press('Alt+\\');
        await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe('');
        await editor.press('Escape');
        const typed = `a + b\n\ndef add_${work}_${ms}(a, b):\n    return `;
        await editor.type(typed);
        text += typed;
      }
    }
    // The same ones, and nothing was said to be wrong.
    expect(extensionHosts(own)).toEqual(hosts);
    expect(await editor.page.locator('.notification-toast', { hasText: 'Emberline' }).count()).toBe(0);
    await editor.press('Escape');
    expect(await editor.savedText()).toBe(text);
  },
  MOST_MS * MOMENTS.length,
);
