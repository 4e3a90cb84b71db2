import { availableParallelism } from 'node:os';
import { sum } from '../counts.mjs';
import { RELEASE } from '../paths.mjs';
import { run } from '../processes.mjs';
import { FOR_BUILDING, FOR_METAL, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { check } from './checks.mjs';
import { packageAgain } from './package_again.mjs';
import { DEEP, runGoogleTests } from './preset_tests.mjs';
import { runVitest } from './vitest.mjs';

/** Those of the bench itself, and of its suite of Metal; the preset metal-sim has been configured in the same folder. */
const BENCH = ['bench/native/all', 'emberline_metal_counts'];

/**
 * That they compile: nothing else in the tests needs them.
 * @param {string} log
 */
async function buildBench(log) {
  const failure = 'a native program of the bench does not compile.';
  const configure = (/** @type {'ON' | 'OFF'} */ bench) =>
    run('cmake', ['--preset', 'release', `-DEMBERLINE_BUILD_BENCH=${bench}`], { log, failure });
  const parallel = ['--parallel', String(availableParallelism())];
  const targets = BENCH.flatMap((target) => ['--target', target]);
  try {
    await configure('ON');
    await run('cmake', ['--build', RELEASE, ...parallel, ...targets], { log, failure });
  } finally {
    // The folder is the addon's, which goes on without them.
    await configure('OFF');
  }
}

/**
 * The tests that take long: every mutation of a kernel, a million draws, fifty thousand tokens, every set of kernels, hundreds of edits.
 * npm test has a sample of each, and of the embedded model on the simulated GPU small ones in its place. Also the tests for a Mac's own GPU, and that the package can be made again.
 * @type {import('./stage.mjs').Stage}
 */
export const proofs = {
  name: 'proofs',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_METAL],
  needs: ['addon', 'bundles', 'vsix', 'nativeTests', 'faultyAddon', 'metalTests', 'metalTestsOfMacs'],
  deep: true,
  platform: 'linux-x64',
  run: async (progress) =>
    sum([
      await runGoogleTests(progress, 'release', 'native proofs', { filter: DEEP }),
      // Programs with a filter of their own have none of these.
      await runGoogleTests(progress, 'metal-sim', 'proofs on a simulated GPU', {
        filter: DEEP,
        programs: /^metal_(sim_kernels|kernels|model)$/,
        // As in `metal`: the simulator runs on one processor.
        spread: true,
      }),
      await runGoogleTests(progress, 'metal-sim', 'what a Mac runs as well, on a simulated GPU', {
        programs: /^metal_gpu/,
        spread: true,
      }),
      await runVitest(progress, 'deep', 'proofs with the addon'),
      await check(progress, 'the native programs of the bench', buildBench),
      await check(progress, 'the same package again', () => packageAgain(progress)),
    ]),
};
