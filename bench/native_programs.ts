/** Builds the bench's own native programs, from the same sources as the addon. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../cli/engine_options';
import { LOGS, NATIVE_BUILD } from './build_folder';
import { runProgram } from './program_run';

/** For `cmake --build`: without a number, Make starts every compiler at once. */
export const PARALLEL = ['--parallel', String(availableParallelism())] as const;

export type NativeProgram =
  | 'emberline_agreement_bench'
  | 'emberline_family_files'
  | 'emberline_forward_bench'
  | 'emberline_grammar_bench'
  | 'emberline_machine_limits'
  | 'emberline_sampling_bench';

const FAILURE = {
  code: 'NATIVE_BUILD_FAILED',
  message: 'The native programs of the bench could not be built; they need CMake and a C++20 compiler.',
};

/** Brings the program up to date with the sources and gives its path. Throws Failure. */
export async function buildNativeProgram(program: NativeProgram): Promise<string> {
  const log = join(LOGS, `${program}.log`);
  const cmake = (...args: string[]): Promise<void> =>
    runProgram({ program: 'cmake', args, log, failure: FAILURE });
  await cmake('-S', ROOT, '-B', NATIVE_BUILD, '-DCMAKE_BUILD_TYPE=Release', '-DEMBERLINE_BUILD_BENCH=ON');
  await cmake('--build', NATIVE_BUILD, '--config', 'Release', '--target', program, ...PARALLEL);
  const windows = process.platform === 'win32';
  // Visual Studio's generator puts programs into a folder of the configuration.
  return join(NATIVE_BUILD, 'bench', 'native', ...(windows ? ['Release', `${program}.exe`] : [program]));
}
