/**
 * Every allocation of every call of the addon fails once, in a process of its own: it lives, nothing is thrown, each promise is settled, with
 * OUT_OF_MEMORY or what there would have been, and what is called afterwards is right.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BenchModel, SHAPES } from '../../bench/shapes';
import { writeModelFile } from '../../bench/synthetic/model_file';
import { ROOT } from '../integration/embedded_model';
import { bundledProgram } from './bundled_program';
import type { Survey } from './addon_shortage/survey';

/** Built with allocations that fail: `cmake --build --preset release --target emberline_faulty_addon`. */
const ADDON = join(ROOT, 'build', 'addon', 'Release', 'emberline_faulty_addon.node');
const MOST_OUTPUT_BYTES = 16 * 2 ** 20;
const MOST_MS = 900_000;
/** More than the addon makes when it starts. */
const MOST_AT_START = 1_000;

const MODEL: BenchModel = {
  name: 'shortage-q8_0',
  shape: {
    ...SHAPES['smollm2-135m'],
    layers: 2,
    width: 64,
    hidden: 96,
    heads: 2,
    kvHeads: 1,
    headSize: 32,
    vocabulary: 400,
    contextLength: 256,
  },
  weights: 'q8_0',
  embedding: 'q8_0',
  real: false,
};

let folder: string;
let program: string;
let model: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emberline-shortage-'));
  model = join(folder, 'model.gguf');
  program = await bundledProgram('addon_shortage', folder);
  writeModelFile(model, MODEL);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = promisify(execFile);

it('each call survives that any of its allocations fails', async () => {
  const last = join(folder, 'last');
  const options = { maxBuffer: MOST_OUTPUT_BYTES, timeout: MOST_MS };
  const ended = run(process.execPath, ['--expose-gc', program, ADDON, model, '1', last], options);
  const { stdout } = await ended.catch(async (error: unknown) => {
    throw new Error(`The process died at: ${await readFile(last, 'utf8')}`, { cause: error });
  });
  const surveys = JSON.parse(stdout) as Survey[];
  expect(surveys.flatMap(({ complaints }) => complaints)).toEqual([]);
  for (const { name, refused } of surveys) expect(refused, name).toBeGreaterThan(0);
  const failed = surveys.reduce((sum, { allocations }) => sum + allocations, 0);
  expect(failed).toBeGreaterThan(5_000);
});

it('the addon starts or says that it cannot, whichever allocation of its start fails', async () => {
  const script = `
    const addon = require(${JSON.stringify(ADDON)});
    const failed = addon.restoreAllocations();
    if (!failed && typeof addon.loadModel !== 'function') throw new Error('no surface');
    process.stdout.write(failed ? 'failed' : 'reached the end');
  `;
  let first = 1;
  for (let ended = false; !ended && first < MOST_AT_START; first++) {
    const env = { ...process.env, EMBERLINE_START_FAILS_AT: String(first) };
    const { stdout } = await run(process.execPath, ['-e', script], { env }).catch((error: unknown) => {
      throw new Error(`The process died of allocation ${first}`, { cause: error });
    });
    ended = stdout === 'reached the end';
  }
  expect(first).toBeGreaterThan(10);
  expect(first).toBeLessThan(MOST_AT_START);
});
