/**
 * Calls of the addon in random order with random arguments, in a process of its own: it lives, nothing is thrown, and what is refused is
 * refused with a code. `EMBERLINE_CALLS_SEED=N` makes those of that seed again. `EMBERLINE_CALLS_ADDON` is another addon than the built one, and
 * `EMBERLINE_CALLS_PRELOAD` the sanitizers' library, which it was built for then.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADDON, MODEL } from '../integration/embedded_model';
import { writeBigramModel } from '../models/bigram_model';
import { bundledProgram } from './bundled_program';
import type { Called } from './random_calls/caller';

const CALLS = 20_000;
const GIVEN = process.env['EMBERLINE_CALLS_SEED'];
const CALLED = process.env['EMBERLINE_CALLS_ADDON'] ?? ADDON;
const SANITIZERS = process.env['EMBERLINE_CALLS_PRELOAD'];
const SEEDS = GIVEN === undefined ? [1, 2, 3] : [Number(GIVEN)];
const MOST_OUTPUT_BYTES = 16 * 2 ** 20;
/** A call that never answers. */
const MOST_MS = 600_000;

let folder: string;
let program: string;
let models: string[];
let vocabulary: number;

beforeAll(async () => {
  // Where the addon were none for them, they would check nothing.
  if (SANITIZERS !== undefined) expect((await readFile(CALLED)).includes('__asan_report')).toBe(true);
  folder = await mkdtemp(join(tmpdir(), 'emberline-calls-'));
  program = await bundledProgram('random_calls', folder);
  const toy = join(folder, 'toy.gguf');
  // With the whole vocabulary seven eighths of the time would go into reading it.
  vocabulary = await writeBigramModel(toy, MODEL, { firstTokens: 2_048 });
  // One ends among the vocabulary, one among the weights.
  const [cut = '', cutLater = ''] = await Promise.all(
    [10_000, 400_000].map(async (bytes) => {
      const path = join(folder, `cut-${bytes}.gguf`);
      await writeFile(path, (await readFile(toy)).subarray(0, bytes));
      return path;
    }),
  );
  models = [toy, toy, cut, cutLater, folder, join(folder, 'missing.gguf')];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each(SEEDS)(`${CALLS} calls of seed %i give results or codes, and end no process`, async (seed) => {
  const last = join(folder, `last-${seed}`);
  const run = promisify(execFile)(
    process.execPath,
    ['--expose-gc', program, CALLED, String(seed), String(CALLS), last, String(vocabulary), ...models],
    {
      maxBuffer: MOST_OUTPUT_BYTES,
      timeout: MOST_MS,
      env: SANITIZERS === undefined ? process.env : { ...process.env, LD_PRELOAD: SANITIZERS },
    },
  );
  const { stdout } = await run.catch(async (error: unknown) => {
    throw new Error(`The process died at call ${await readFile(last, 'utf8')}`, { cause: error });
  });
  const { calls, outcomes, complaints } = JSON.parse(stdout) as Called;
  expect(complaints).toEqual([]);
  expect(calls).toBe(CALLS);
  // What is shown is shown of calls that worked, too.
  for (const name of [
    'loadModel',
    'model.createSession',
    'session.complete',
    'session.fork',
    'compileGrammar',
  ])
    for (const outcome of ['OK', 'INVALID_ARGUMENT'])
      if (name !== 'session.fork' || outcome === 'OK')
        expect(outcomes[`${name} ${outcome}`], `${name} ${outcome}`).toBeGreaterThan(0);
});
