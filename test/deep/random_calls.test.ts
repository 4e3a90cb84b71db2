/**
 * Calls of the addon in random order with random arguments, in a process of its own: it lives, nothing is thrown, and what is refused is
 * refused with a code. `EMBERLINE_CALLS_SEED=N` makes those of that seed again. `EMBERLINE_CALLS_ADDON` is another addon than the built one, and
 * `EMBERLINE_CALLS_PRELOAD` the sanitizers' library, which it was built for then.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine';
import { ADDON, MODEL, valueOf } from '../integration/embedded_model';
import { COUNTED, ENDLESS, writeBigramModel } from '../models/bigram_model';
import { bundledProgram } from './bundled_program';
import type { Called } from './random_calls/caller';

interface Run {
  readonly seed: number;
  readonly calls: number;
  /** Of the model: the whole vocabulary takes seven eighths of a run's time to read, in which other calls come. */
  readonly firstTokens?: number;
}

/** More than the logits that a softmax goes through at once. */
const FIRST_TOKENS = 4_096;
const RUNS: readonly Run[] = [
  ...[1, 2, 3].map((seed) => ({ seed, calls: 20_000, firstTokens: FIRST_TOKENS })),
  { seed: 4, calls: 2_000 },
];
const GIVEN = process.env['EMBERLINE_CALLS_SEED'];
const CALLED = process.env['EMBERLINE_CALLS_ADDON'] ?? ADDON;
const SANITIZERS = process.env['EMBERLINE_CALLS_PRELOAD'];
const MOST_OUTPUT_BYTES = 16 * 2 ** 20;
/** A call that never answers. */
const MOST_MS = 600_000;

function runOf(seed: number): Run {
  return RUNS.find((run) => run.seed === seed) ?? { seed, calls: 20_000, firstTokens: FIRST_TOKENS };
}

let folder: string;
let program: string;

beforeAll(async () => {
  // Where the addon were none for them, they would check nothing.
  if (SANITIZERS !== undefined) expect((await readFile(CALLED)).includes('__asan_report')).toBe(true);
  folder = await mkdtemp(join(tmpdir(), 'emberline-calls-'));
  program = await bundledProgram('random_calls', folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('is made of a model that goes on until it is cancelled', async () => {
  const toy = join(folder, 'toy.gguf');
  expect(await writeBigramModel(toy, MODEL, { firstTokens: FIRST_TOKENS })).toBeGreaterThan(FIRST_TOKENS);
  const engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: toy, device: 'cpu' }));
  const { text } = valueOf(await engine.complete({ prompt: ENDLESS, maxTokens: 12 }));
  await engine.dispose();
  expect(text).toBe(` ${COUNTED} ${COUNTED}`);
});

const runs = GIVEN === undefined ? RUNS : [runOf(Number(GIVEN))];
it.each(runs)('$calls calls of seed $seed give results or codes, and end no process', async (asked) => {
  const { seed, calls } = asked;
  const toy = join(folder, `toy-${seed}.gguf`);
  const vocabulary = await writeBigramModel(toy, MODEL, asked);
  const written = await readFile(toy);
  // One ends among the vocabulary, one among the weights.
  const cut = [10_000, written.length - 100_000].map((bytes) => {
    const path = join(folder, `cut-${seed}-${bytes}.gguf`);
    writeFileSync(path, written.subarray(0, bytes));
    return path;
  });
  const models = [toy, toy, ...cut, folder, join(folder, 'missing.gguf')];
  const last = join(folder, `last-${seed}`);
  const run = promisify(execFile)(
    process.execPath,
    ['--expose-gc', program, CALLED, String(seed), String(calls), last, String(vocabulary), ...models],
    {
      maxBuffer: MOST_OUTPUT_BYTES,
      timeout: MOST_MS,
      env: SANITIZERS === undefined ? process.env : { ...process.env, LD_PRELOAD: SANITIZERS },
    },
  );
  const { stdout } = await run.catch(async (error: unknown) => {
    throw new Error(`The process died at call ${await readFile(last, 'utf8')}`, { cause: error });
  });
  const { calls: made, outcomes, complaints } = JSON.parse(stdout) as Called;
  expect(complaints).toEqual([]);
  expect(made).toBe(calls);
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
