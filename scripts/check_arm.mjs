/**
 * Checks that the engine runs on 64-bit Arm, from any x86-64 Linux:
 *   node scripts/check_arm.mjs
 * - The native tests are cross-compiled and run on emulated processors, from one of ARMv8.0 to one with every extension. Each
 *   runs the tests of the kernel set that it is the first to have, and must offer just the sets it can run: an instruction that leaks
 *   into the path of an older processor ends its run.
 * - No object compiled for a wider instruction set holds functions that may be taken for another's (wide_code.mjs).
 * Prints a line a program, `arm PROCESSOR PROGRAM: N passed, N failed, N skipped`; the status is 1 when anything failed.
 */
import { spawnSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPreset } from './build_preset.mjs';
import { oneFailed, onePassed, sum, summary, tellRows } from './counts.mjs';
import {
  AARCH64,
  LARGE_EXPERTS,
  OF_THE_REFERENCE,
  onProcessor,
  runEmulated,
  testPrograms,
} from './emulation.mjs';
import { BUILD } from './paths.mjs';
import { runCommand } from './processes.mjs';
import { Progress } from './progress.mjs';
import { ensureDebianPackages, FOR_ARM, FOR_BUILDING, FOR_NATIVE_TESTS } from './setup/debian_packages.mjs';
import { findWideCode } from './wide_code.mjs';

/** @typedef {import('./counts.mjs').Row} Row */
/** @typedef {import('./emulation.mjs').Processor & { kernelSets: string[], layers?: string[] }} ArmProcessor */

const BUILD_FOLDER = join(BUILD, 'aarch64');
const FOLDER = join(BUILD, 'arm');

/**
 * Too slow to emulate, or about time: the 98 MB model; statistics over millions of draws; whole completions, whose parts are
 * tested below them; what threads and batches decide in long contexts; threads that meet at many moments, whose memory the emulator orders as
 * this machine does; what makes dozens of models; and of random grammars what takes longest. All run on emulated or real x86-64
 * processors.
 */
const SLOW = [
  '*RealModel*',
  'AcceptanceDraws.*',
  'DrawLaw.*',
  'NoiseDraw.*',
  'TopP.Every*',
  'RandomStreams.*',
  'GumbelNoise.TheLargest*',
  'Sampler.KeepsAndDrawsWhatTheLawSays',
  'Sampler.AgreesWithTheLawOnAWholeVocabulary',
  '*LinearTime',
  'Generation.*',
  'ForkedGeneration.*',
  'Healing.*',
  'DraftModel*.*',
  '*DraftedGeneration*',
  '*RememberingGeneration.*',
  'DraftedLaw*',
  'Session.*',
  'SessionFork.AnySequence*',
  'WindowedCache.*',
  '*AttentionOps.ARow*HasTheSameBitsInAnyBatch*',
  '*AttentionOps.ARowSeesTheLastPositionsOfItsWindow*',
  'ExpertModel.NeitherSlicesNorThreads*',
  '*ThreadsDecideNothing*',
  'GbnfRandom.ProgramsAcceptWhatTheirGrammarsDo',
  'StateSpaceRandom.EveryStateOfUniqueItems*',
  'StateSpaceRandom.EveryStateWithWitnesses*',
  'TokenMasksRandom.OfUniqueItems*',
  'Threads.AModelIsClosedAtAnyMoment',
  'ThreadsDeep.*',
  OF_THE_REFERENCE,
].join(':');

/**
 * A pattern of the tests of a kernel set, which have its name and may have a weight type's.
 * @param {string} set
 */
const testsOf = (set) =>
  ['', '_Q*', '_IQ*', '_MX*', '_F*', '_BF16'].map((type) => `*/${set}${type}`).join(':');

/** Oldest first. `layers`: those whose code depends on the processor, or all of them. @type {ArmProcessor[]} */
const PROCESSORS = [
  {
    name: 'cortex-a72',
    has: 'fmla v0.4s, v0.4s, v0.4s',
    lacks: '.arch armv8.2-a+dotprod\nsdot v0.4s, v0.16b, v0.16b',
    kernelSets: ['portable', 'neon_mull'],
    layers: ['base', 'device', 'sampling'],
    leftOut: [SLOW, LARGE_EXPERTS].join(':'),
  },
  {
    name: 'neoverse-n1',
    has: '.arch armv8.2-a+dotprod\nsdot v0.4s, v0.16b, v0.16b',
    lacks: '.arch armv8.2-a+i8mm\nsmmla v0.4s, v0.16b, v0.16b',
    kernelSets: ['portable', 'neon_mull', 'neon'],
    layers: ['base', 'device'],
    leftOut: [SLOW, LARGE_EXPERTS, testsOf('portable'), testsOf('neon_mull')].join(':'),
  },
  {
    name: 'max',
    has: '.arch armv8.2-a+i8mm\nsmmla v0.4s, v0.16b, v0.16b',
    kernelSets: ['portable', 'neon_mull', 'neon', 'neon_i8mm'],
    leftOut: [SLOW, testsOf('portable'), testsOf('neon_mull'), testsOf('neon')].join(':'),
  },
];

/**
 * Runs what was built of the preset `aarch64`.
 * @param {Progress} progress
 * @returns {Promise<Row[]>}
 */
export async function checkArm(progress) {
  const programs = testPrograms(BUILD_FOLDER);
  const runs = PROCESSORS.map((processor) => {
    const { layers } = processor;
    const isOfLayer = (/** @type {string} */ path) =>
      layers?.includes(basename(path).slice('test_'.length)) ?? true;
    return { processor, programs: programs.filter(isOfLayer) };
  });
  const rows = await progress.step(
    `run the native tests on emulated Arm processors`,
    (log) => runEmulated(AARCH64, runs, FOLDER, log, progress),
    (all) => summary(sum(all)),
  );
  rows.push(...PROCESSORS.map(checkKernelSets));
  rows.push(
    await progress.step(
      'look for wide code that may leak on Arm',
      (log) => findWideCode(BUILD_FOLDER, 'aarch64-linux-gnu-nm', log),
      summary,
    ),
  );
  return rows;
}

/**
 * Whether a processor offers the sets it should, as the names of the device's tests tell.
 * @param {ArmProcessor} processor
 * @returns {Row}
 */
function checkKernelSets({ name, kernelSets }) {
  const program = join(BUILD_FOLDER, 'test', 'native', 'test_device');
  const [command, ...args] = onProcessor(AARCH64, name, program);
  const { stdout } = spawnSync(command, [...args, '--gtest_list_tests'], { encoding: 'utf8' });
  const offered = [...stdout.matchAll(/ ExpHandlesTheEnds\/(\w+)/g)].map((match) => match[1]);
  const right = offered.join() === kernelSets.join();
  const wrong = `${name} should offer the kernels ${kernelSets.join(', ')}, not ${offered.join(', ')}.`;
  return { name: `${name} kernel sets`, ...(right ? onePassed() : oneFailed(wrong)) };
}

/** @returns {Promise<number>} */
async function main() {
  const progress = new Progress();
  await ensureDebianPackages([...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_ARM], progress);
  await buildPreset(progress, 'aarch64');
  const rows = await checkArm(progress);
  return tellRows('arm', rows);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
