/**
 * Checks that the engine runs on x86-64 processors and systems other than this one:
 *   node scripts/check_portability.mjs
 * - The native tests run in an emulator of an x86-64 without AVX (Nehalem) and of one with AVX2 but no AVX-512 (Haswell): wide
 *   code that leaks into the portable path ends there with an illegal instruction. The Nehalem runs the programs that wide code is linked into;
 *   the others hold none, and are the same on every x86-64. The Haswell runs the kernels and operations alone. Tests of the embedded
 *   model and of many draws are left out: emulated, they take minutes. They are in LEFT_OUT.
 * - Every layer but the addon is compiled for Windows.
 * Prints a line a program, `portability PLACE PROGRAM: N passed, N failed, N skipped`; the status is 1 when anything failed.
 * The other architecture has its own: check_arm.mjs.
 */
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneFailed, onePassed, sum, summary, tellRows } from './counts.mjs';
import { LARGE_EXPERTS, OF_THE_REFERENCE, runEmulated, testPrograms, X86_64 } from './emulation.mjs';
import { Failure } from './failure.mjs';
import { BUILD, RELEASE, ROOT } from './paths.mjs';
import { run, runCommand, runForStatus } from './processes.mjs';
import { Progress } from './progress.mjs';
import {
  ensureDebianPackages,
  FOR_BUILDING,
  FOR_NATIVE_TESTS,
  FOR_PORTABILITY,
} from './setup/debian_packages.mjs';
import { ensureNodePackages, requireNode } from './setup/node_packages.mjs';
import { Preparations } from './test/preparations.mjs';

/** @typedef {import('./counts.mjs').Row} Row */

/**
 * Too slow to emulate: the 98 MB model; statistics over millions of draws; megabytes of random weights; of whole completions, whose parts
 * are tested below them, the longest; of attention what one long context after the other decides; and what makes dozens of models.
 */
const LEFT_OUT = [
  '*RealModel*',
  'AcceptanceDraws.*',
  'DrawLaw.*',
  'GumbelNoise.TheLargest*',
  'NoiseDraw.*',
  'RandomStreams.*',
  'TopP.Every*',
  'TopP.TheChoosersGuessIsRightOrTakenBack',
  'PackMatrices.Every*',
  'ExpertModel.NeitherSlicesNorThreads*',
  'FamilyAgreement.*',
  'DraftModel*.*',
  '*DraftedGeneration*',
  'DraftedLaw*',
  'ForkedGeneration.*',
  '*RememberingGeneration.*',
  'Healing.*',
  'Session.ACancelAnywhere*',
  'WindowedCache.*',
  '*AttentionOps.ARow*HasTheSameBitsInAnyBatch*',
  '*AttentionOps.ARowSeesTheLastPositionsOfItsWindow*',
  OF_THE_REFERENCE,
  LARGE_EXPERTS,
].join(':');
/** What a Nehalem has run, and attention, large experts and whole models: the emulator computes each fused multiply-add by hand. */
const NOT_OF_AVX2 =
  '*portable*:*AttentionOps*:*ExpertsOp.*_Q4_K:*ThreadsDecideNothing*:*SmallModel*:Chain.*:GumbelNoise.*:PlanRun.*:Sampler.*';
/** @type {(import('./emulation.mjs').Processor & { programs: RegExp })[]} */
const PROCESSORS = [
  {
    name: 'Nehalem',
    has: 'pcmpgtq %xmm0, %xmm0',
    lacks: 'vxorps %ymm0, %ymm0, %ymm0',
    leftOut: LEFT_OUT,
    programs: /test_(base|simd|device|sampling|model|decode|engine)$/,
  },
  {
    name: 'Haswell',
    has: 'vfmadd231ps %ymm0, %ymm0, %ymm0',
    lacks: 'vpaddd %zmm0, %zmm0, %zmm0',
    leftOut: `${LEFT_OUT}:${NOT_OF_AVX2}`,
    programs: /test_(base|device|sampling)$/,
  },
];
const FOLDER = join(BUILD, 'portability');
const JOBS = String(availableParallelism());

/**
 * The preset `release` is built. What else it needs is in FOR_PORTABILITY of setup/debian_packages.mjs.
 * @param {Progress} progress
 * @returns {Promise<Row[]>}
 */
export async function checkPortability(progress) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Failure('Portability is checked on x86-64 Linux; run this there.');
  }
  const programs = testPrograms(RELEASE);
  const runs = PROCESSORS.map((processor) => ({
    processor,
    programs: programs.filter((program) => processor.programs.test(program)),
  }));
  const names = PROCESSORS.map(({ name }) => name).join(' and ');
  const rows = await progress.step(
    `run the native tests on an emulated ${names}`,
    (log) => runEmulated(X86_64, runs, FOLDER, log, progress),
    (all) => summary(sum(all)),
  );
  rows.push(await progress.step('compile for Windows', compileForWindows, summary));
  return rows;
}

/**
 * @param {string} log
 * @returns {Promise<Row>} with a layer as a test
 */
async function compileForWindows(log) {
  const folder = join(BUILD, 'windows_objects');
  const toolchain = `-DCMAKE_TOOLCHAIN_FILE=${join(ROOT, 'cmake', 'mingw_w64.cmake')}`;
  // Nothing of it runs here: as it compiles fastest, each file by itself, which finds an include that is missing, and without archives, for
  // which binutils takes long.
  const options = [
    '-DCMAKE_BUILD_TYPE=Debug',
    '-DCMAKE_CXX_FLAGS_DEBUG=',
    '-DEMBERLINE_UNITY_BUILD=OFF',
    '-DCMAKE_AR=/bin/true',
    '-DCMAKE_RANLIB=/bin/true',
  ];
  const configure = ['-S', ROOT, '-B', folder, '-G', 'Ninja', toolchain, ...options];
  await run('cmake', configure, { log, failure: 'CMake does not configure for Windows.' });
  const layers = readdirSync(join(ROOT, 'native'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'addon')
    .map((entry) => entry.name);
  const build = (/** @type {readonly string[]} */ of) => {
    const targets = of.flatMap((layer) => ['--target', `emberline_${layer}`]);
    // -k 0: on behind what does not compile.
    return runForStatus('cmake', ['--build', folder, '--parallel', JOBS, ...targets, '--', '-k', '0'], {
      log,
    });
  };
  // All at once, for no core to wait at the end of each; then one by one, for which of them compile.
  await build(layers);
  const counts = [];
  for (const layer of layers) {
    const compiled = (await build([layer])) === 0;
    counts.push(compiled ? onePassed() : oneFailed(`native/${layer} does not compile for Windows`));
  }
  return { name: 'Windows layers', ...sum(counts) };
}

/** @returns {Promise<number>} */
async function main() {
  const progress = new Progress();
  requireNode();
  await ensureDebianPackages([...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_PORTABILITY], progress);
  await ensureNodePackages(progress);
  await new Preparations(progress).get('nativeTests');
  const rows = await checkPortability(progress);
  return tellRows('portability', rows);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
