/** The metal suite: what a token costs a GPU, counted on the simulated one of test/metal-sim. */
import { join } from 'node:path';
import { ROOT } from '../cli/engine_options';
import { Failure } from '../cli/failure';
import { LOGS, METAL_BUILD } from './build_folder';
import { parsedLines } from './json_lines';
import { PARALLEL } from './native_programs';
import { outputOf, runProgram } from './program_run';
import { ownRow, type Row } from './report';

const PROGRAM = 'emberline_metal_counts';

/** Unit of each row, and the most it may be where something is promised. */
const ROWS: Readonly<Record<string, { readonly unit: string; readonly most: number | null }>> = {
  'dispatches-per-layer': { unit: 'commands', most: 5 },
  'qwen3-dispatches-per-layer': { unit: 'commands', most: 6 },
  'gemma3-dispatches-per-layer': { unit: 'commands', most: 6 },
  'dispatches-per-token': { unit: 'commands', most: 4 },
  'dispatches-per-sampled-token': { unit: 'commands', most: 5 },
  'bytes-per-weight-byte': { unit: 'bytes', most: 1 },
  'q4_k-bytes-per-weight-byte': { unit: 'bytes', most: 1 },
  'q6_k-bytes-per-weight-byte': { unit: 'bytes', most: 1 },
  'bytes-per-kv-byte': { unit: 'bytes', most: 1 },
  'activation-bytes-reread': { unit: 'bytes', most: null },
  'logit-bytes-reread': { unit: 'bytes', most: null },
  'sampled-bytes-per-weight-byte': { unit: 'bytes', most: 1 },
  'sampled-bytes-per-kv-byte': { unit: 'bytes', most: 1 },
  'sampled-activation-bytes-reread': { unit: 'bytes', most: null },
  'sampled-logit-bytes-reread': { unit: 'bytes', most: null },
  'submissions-per-chunk': { unit: 'submissions', most: 1 },
  'waits-per-chunk': { unit: 'waits', most: 1 },
  'matrix-threadgroups-after-stop': { unit: 'threadgroups', most: 0 },
  'commands-after-stop': { unit: 'commands', most: null },
  'encode-us-per-dispatch': { unit: 'us', most: 1.5 },
};

const FAILURE = {
  code: 'NATIVE_BUILD_FAILED',
  message: 'The simulated GPU could not be built; it needs CMake, GoogleTest and Clang 19 on x86-64 Linux.',
};

/** Counts per token are those behind a layer's share. Throws Failure. */
export async function runMetal(): Promise<Row[]> {
  const log = join(LOGS, `${PROGRAM}.log`);
  const cmake = (...args: string[]): Promise<void> =>
    runProgram({ program: 'cmake', args, log, failure: FAILURE });
  const options = ['BUILD_METAL_SIM', 'BUILD_BENCH'].map((name) => `-DEMBERLINE_${name}=ON`);
  await cmake(
    '-S',
    ROOT,
    '-B',
    METAL_BUILD,
    '-DCMAKE_BUILD_TYPE=Release',
    '-DCMAKE_CXX_COMPILER=clang++-19',
    ...options,
  );
  await cmake('--build', METAL_BUILD, '--target', PROGRAM, ...PARALLEL);
  return metalRows(await outputOf(join(METAL_BUILD, 'test', 'metal-sim', PROGRAM)));
}

/** The rows of the program's output: a line of JSON each, {name: value}. */
export function metalRows(output: string): Row[] {
  const lines = parsedLines(output) as Record<string, number>[];
  return lines.flatMap((line) =>
    Object.entries(line).map(([name, value]) => {
      const row = ROWS[name];
      if (row === undefined)
        throw new Failure({ code: 'WORKER_FAILED', message: `There is no row ${name}.` });
      return ownRow(`metal/${name}`, row.unit, value, row.most);
    }),
  );
}
