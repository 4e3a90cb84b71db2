/** Three minutes of a soak in a process of its own: nothing grows, and each document is what was typed. What hangs on time is not looked at. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { Soaked, Verdict } from '../../bench/soak/verdicts';
import { ROOT } from '../integration/embedded_model';

const MINUTES = 3;
const MOST_OUTPUT_BYTES = 64 * 2 ** 20;

interface Printed extends Soaked {
  readonly verdicts: readonly Verdict[];
}

it('keeps memory, handles, threads, documents and log within their limits', async () => {
  const bench = join(ROOT, 'dist', 'bench.cjs');
  const soak = ['--expose-gc', bench, 'soak', '--minutes', String(MINUTES), '--json'];
  // A broken limit ends it with 1, and what it printed is looked at all the same.
  const { stdout } = await promisify(execFile)(process.execPath, soak, {
    maxBuffer: MOST_OUTPUT_BYTES,
  }).catch((error: unknown) => error as { stdout: string });
  const { verdicts, done } = JSON.parse(stdout) as Printed;
  for (const what of ['accept', 'undo', 'cancelled', 'generate', 'edit', 'reload', 'from elsewhere', 'close'])
    expect(done[what], what).toBeGreaterThan(0);
  const held = verdicts.filter(({ timing }) => !timing);
  expect(held.length).toBeGreaterThan(6);
  // Where there is no /proc, threads and descriptors are not known.
  const known = process.platform === 'linux' ? [true] : [true, undefined];
  expect(held.filter(({ holds }) => !known.includes(holds))).toEqual([]);
});
