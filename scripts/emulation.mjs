/** Native tests on processors that this machine is not: run by qemu, which ends a program at an instruction that the processor lacks. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { sum } from './counts.mjs';
import { Failure } from './failure.mjs';
import { runGoogleTest, shardsOf } from './google_test.mjs';
import { sideBySide } from './side_by_side.mjs';

/** @typedef {import('./counts.mjs').Row} Row */

/**
 * An architecture that can be emulated: the emulator and its arguments without the processor's name, a compiler, and assembly that ends a
 * program with status 0.
 * @typedef {{ program: string, args: readonly string[], compiler: string, exit: string }} Emulator
 */

/** @type {Emulator} */
export const X86_64 = {
  program: 'qemu-x86_64',
  args: [],
  compiler: 'c++',
  exit: 'mov $60, %eax\nxor %edi, %edi\nsyscall',
};

/** @type {Emulator} */
export const AARCH64 = {
  program: 'qemu-aarch64',
  args: ['-L', '/usr/aarch64-linux-gnu'],
  compiler: 'aarch64-linux-gnu-gcc',
  exit: 'mov x8, #93\nmov x0, #0\nsvc #0',
};

/**
 * What an emulated program may take of addresses: the emulator keeps an entry for each page of a range, and every model reserves as large
 * a range as it gets. With six times as many, tests that make models take a quarter longer. The largest range that a
 * test asks for by itself is of one gibibyte.
 */
const MOST_ADDRESSES = 2 * 2 ** 30;
/** A test of this program reads a file of eleven gibibytes. */
const OF_LARGE_FILES = 'test_gguf';
const MOST_OF_LARGE_FILES = 12 * 2 ** 30;

/**
 * @param {Emulator} emulator
 * @param {string} processor
 * @param {string} program
 * @returns {[string, ...string[]]} the command that runs the program there, to which its arguments are added
 */
export function onProcessor({ program: emulator, args }, processor, program) {
  const most = basename(program) === OF_LARGE_FILES ? MOST_OF_LARGE_FILES : MOST_ADDRESSES;
  return ['prlimit', `--as=${most}`, emulator, ...args, '-cpu', processor, program];
}

/**
 * Left out on every emulated processor: models of weights in other formats than float32, which are computed by the reference device alone,
 * in plain double precision. npm test runs them.
 */
export const OF_THE_REFERENCE = ['F16', 'BF16', '*_*', 'MXFP4']
  .map((type) => `*EveryToy.*/${type}`)
  .join(':');

/**
 * Mixtures of experts whose weights are in blocks of 256: their matrices have sixty times the numbers of the others'. Where this is left
 * out, the products of each of these formats are compared, and mixtures of Q4_K and of the smaller blocks.
 */
export const LARGE_EXPERTS = ['Q2_K', 'Q3_K', 'Q5_K', 'Q6_K', 'IQ4_XS']
  .map((type) => `*ExpertsOp.*_${type}`)
  .join(':');

/** A program's tests run in so many processes, for no core to wait long for another's last. */
const SHARDS = 8;

/**
 * A processor under test: `has` and `lacks` are instructions, for seeing that the emulator keeps to it; `leftOut` is a GoogleTest
 * pattern.
 * @typedef {{ name: string, has: string, lacks?: string, leftOut: string }} Processor
 */

/**
 * Sees that the emulator refuses what the processor lacks, and runs what it has: otherwise a green run would show nothing.
 * @param {Emulator} emulator
 * @param {Processor} processor
 * @param {string} folder for temporary files
 */
function requireHonestEmulator(emulator, { name, has, lacks }, folder) {
  if (lacks !== undefined && runsInstruction(emulator, name, lacks, folder)) {
    throw new Failure(
      `${emulator.program} runs instructions that a ${name} does not have; use version 7.2 or newer.`,
    );
  }
  if (!runsInstruction(emulator, name, has, folder)) {
    throw new Failure(
      `${emulator.program} does not run the instructions of a ${name}; use version 7.2 or newer.`,
    );
  }
}

/**
 * @param {Emulator} emulator
 * @param {string} processor
 * @param {string} instruction
 * @param {string} folder
 */
function runsInstruction(emulator, processor, instruction, folder) {
  const { compiler, exit } = emulator;
  const program = join(folder, 'instruction');
  writeFileSync(`${program}.s`, `.globl _start\n_start:\n${instruction}\n${exit}\n`);
  const built = spawnSync(compiler, ['-nostdlib', '-static', `${program}.s`, '-o', program], {
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Failure(`The compiler does not assemble \`${instruction}\`.`);
  const [command, ...args] = onProcessor(emulator, processor, program);
  return spawnSync(command, args, { cwd: folder }).status === 0;
}

/** What a system does without memory and with files that are cut off: an emulator does it itself, its own way. */
const OF_THE_SYSTEM = 'test_faults';

/**
 * @param {string} build a CMake build folder
 * @returns {string[]} the paths of its test programs that an emulator can run
 */
export function testPrograms(build) {
  const folder = join(build, 'test', 'native');
  const programs = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^test_\w+$/.test(entry.name))
    .filter(({ name }) => name !== OF_THE_SYSTEM)
    .map((entry) => join(folder, entry.name));
  if (programs.length === 0) throw new Failure(`No test programs were built in ${folder}.`);
  return programs.sort();
}

/**
 * Runs test programs on emulated processors, a part of one's tests a core: whole programs would leave cores idle behind the longest.
 * @param {Emulator} emulator
 * @param {readonly { processor: Processor, programs: readonly string[] }[]} runs in the order they are begun
 * @param {string} folder where programs run, and for temporary files and logs
 * @param {string} log
 * @param {import('./progress.mjs').Progress} progress
 * @returns {Promise<Row[]>} a row a program and processor
 */
export async function runEmulated(emulator, runs, folder, log, progress) {
  mkdirSync(folder, { recursive: true });
  for (const { processor } of runs) requireHonestEmulator(emulator, processor, folder);
  const parts = runs.flatMap(({ processor, programs }) =>
    programs.flatMap((path) => {
      const [place, program] = [processor.name, basename(path)];
      const command = onProcessor(emulator, place, path);
      const env = { ...process.env, GTEST_FILTER: `-${processor.leftOut}` };
      return shardsOf(env, SHARDS).map((shard, index) => ({
        row: `${place} ${program}`,
        run: { place, name: `${program}-${index + 1}`, command, env: shard, cwd: folder },
        own: join(folder, `${place}-${program}-${index + 1}.log`),
      }));
    }),
  );
  const counts = await sideBySide(parts, async ({ run, own }) => {
    rmSync(own, { force: true });
    const count = await runGoogleTest(run, log, own);
    // The last test that is named there met the instruction that the processor lacks.
    if (count.failed > 0) progress.showTail(own);
    return count;
  });
  return [...new Set(parts.map(({ row }) => row))]
    .sort()
    .map((name) => ({ name, ...sum(counts.filter((_, index) => parts[index]?.row === name)) }));
}
