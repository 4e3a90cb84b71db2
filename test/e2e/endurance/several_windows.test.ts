/**
 * Several windows of one editor, each with an extension host and an engine of its own: the weights are one file that all of them map, so that a window costs
 * what is its own; each completes, and none works while nobody types. `EMBERLINE_WINDOWS=10` for ten of them. Linux tells what is whose
 * (proc(5), smaps and smaps_rollup).
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EditorPage } from '../editor_page';
import { extensionHosts, type OwnEditor, startOwnEditor } from '../own_editor';

const WINDOWS = Number(process.env['EMBERLINE_WINDOWS'] ?? 4);
const MOST_MS = 120_000;
const PATIENCE = { timeout: 60_000, interval: 100 };
/** Idle windows are watched so long, ms. */
const WATCHED_MS = 2_000;
/** Of a processor, for a host and what the editor and other extensions do in it. */
const MOST_IDLE = 0.05;
/** Clock ticks a second (proc(5)). */
const TICKS = 100;
const KIB = 1_024;
const MIB = 2 ** 20;

let own: OwnEditor;

beforeAll(async () => {
  own = await startOwnEditor('windows', {
    'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  });
});
afterAll(async () => {
  await own.stop();
});

/** Bytes. */
interface HostMemory {
  /** Its own, and its share of what others have as well. */
  readonly proportional: number;
  /** Its own alone. */
  readonly unshared: number;
  /** Of the packed weights: mapped, in memory, and its share and its own of that. */
  readonly weights: {
    readonly mapped: number;
    readonly resident: number;
    readonly proportional: number;
    readonly unshared: number;
  };
}

function memoryOf(id: number): HostMemory {
  const rollup = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
  const weights = mappingsOf(readFileSync(`/proc/${id}/smaps`, 'utf8')).filter(({ path }) =>
    path.endsWith('.packed'),
  );
  const ofWeights = (field: string): number =>
    weights.reduce((sum, { text }) => sum + bytesIn(text, field), 0);
  return {
    proportional: bytesIn(rollup, 'Pss'),
    unshared: bytesIn(rollup, 'Private_Clean') + bytesIn(rollup, 'Private_Dirty'),
    weights: {
      mapped: ofWeights('Size'),
      resident: ofWeights('Rss'),
      proportional: ofWeights('Pss'),
      unshared: ofWeights('Private_Clean') + ofWeights('Private_Dirty'),
    },
  };
}

function mappingsOf(smaps: string): { readonly path: string; readonly text: string }[] {
  return smaps
    .split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
    .map((text) => ({ path: text.slice(0, text.indexOf('\n')).trim(), text }));
}

function bytesIn(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * KIB;
}

/** Seconds of a processor. */
function processorTimeOf(id: number): number {
  const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

const mib = (bytes: number): string => (bytes / MIB).toFixed(0);
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

it(
  `${WINDOWS} windows share the weights, all complete, and rest while nobody types`,
  async ({ annotate }) => {
    const window = { viewport: { width: 900, height: 600 } };
    const editors: EditorPage[] = [];
    for (let at = 0; at < WINDOWS; at++) {
      const text = `"""Window ${at}."""\n\n\ndef add(a, b):\n    return `;
      const editor = await EditorPage.open(own.place, `window_${at}.py`, text, window);
      await editor.press('Alt+\\');
      await expect.poll(() => editor.ghostText(), PATIENCE).not.toBe('');
      editors.push(editor);
    }
    await expect.poll(() => extensionHosts(own).length, PATIENCE).toBe(WINDOWS);
    const hosts = extensionHosts(own);

    // The first one packed them, in memory of its own; started anew it maps the copy as the others do.
    const [first] = editors;
    const alone = hosts.map(memoryOf);
    if (alone.some(({ weights }) => weights.mapped === 0)) {
      await first?.run('Emberline: Restart the Engine');
      await first?.waitForStatus('Ready');
    }
    await expect
      .poll(() => hosts.map((id) => memoryOf(id).weights.mapped), PATIENCE)
      .toSatisfy((all: number[]) => all.every((mapped) => mapped > 0));
    const memories = hosts.map(memoryOf);
    const mapped = memories.map(({ weights }) => weights.mapped);
    // All of one file, in memory once: none has a page of it for itself, and the shares come to what one has.
    expect(new Set(mapped).size).toBe(1);
    const resident = Math.max(...memories.map(({ weights }) => weights.resident));
    expect(resident).toBeGreaterThan(Math.max(...mapped) / 2);
    for (const { weights } of memories) expect(weights.unshared).toBeLessThan(resident / 20);
    expect(sum(memories.map(({ weights }) => weights.proportional))).toBeLessThan(1.05 * resident);
    // What a window has of its own is not another copy of them.
    const unshared = memories.map((one) => one.unshared);
    for (const one of unshared) expect(one).toBeLessThan(Math.min(...unshared) + resident / 2);

    // What they do for themselves after a key is over soon; then nothing goes on.
    let busy: number[] = [];
    const watch = async (): Promise<number> => {
      const before = hosts.map(processorTimeOf);
      await delay(WATCHED_MS);
      busy = hosts.map((id, at) => (processorTimeOf(id) - (before[at] ?? 0)) / (WATCHED_MS / 1_000));
      return Math.max(...busy);
    };
    await expect.poll(watch, PATIENCE).toBeLessThan(MOST_IDLE);
    await annotate(
      [
        `${WINDOWS} windows: weights ${mib(resident)} MiB once,`,
        `private ${unshared.map(mib).join(', ')} MiB a host,`,
        `all hosts together ${mib(sum(memories.map((one) => one.proportional)))} MiB (PSS),`,
        `idle ${busy.map((part) => (100 * part).toFixed(1)).join(', ')} % of a processor`,
      ].join(' '),
    );
  },
  MOST_MS * WINDOWS,
);
