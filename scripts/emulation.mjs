/** Native tests on processors that this machine is not: run by qemu, which ends a program at an instruction that the processor lacks. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Failure } from './failure.mjs';
import { runForStatus } from './processes.mjs';
import { sideBySide } from './side_by_side.mjs';

/** @typedef {{ name: string, passed: number, failed: number }} Row one program, or one system */

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
 * a range as it gets. A test reads a file of five gibibytes.
 */
const MOST_ADDRESSES = 12 * 2 ** 30;

/**
 * @param {Emulator} emulator
 * @param {string} processor
 * @param {string} program
 * @returns {[string, ...string[]]} the command that runs the program there, to which its arguments are added
 */
export function onProcessor({ program: emulator, args }, processor, program) {
  return ['prlimit', `--as=${MOST_ADDRESSES}`, emulator, ...args, '-cpu', processor, program];
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
 * A part of a program's tests on a processor.
 * @typedef {{ processor: Processor, program: string, shard: number }} Part
 */

/**
 * Runs test programs on emulated processors, a part of one's tests a core: whole programs would leave cores idle behind the longest.
 * @param {Emulator} emulator
 * @param {readonly { processor: Processor, programs: readonly string[] }[]} runs in the order they are begun
 * @param {string} folder for reports and logs
 * @param {import('./progress.mjs').Progress} progress
 * @returns {Promise<Row[]>} a row a program and processor
 */
export async function runEmulated(emulator, runs, folder, progress) {
  mkdirSync(folder, { recursive: true });
  for (const { processor } of runs) requireHonestEmulator(emulator, processor, folder);
  const parts = runs.flatMap(({ processor, programs }) =>
    programs.flatMap((program) =>
      Array.from({ length: SHARDS }, (_, shard) => ({ processor, program, shard })),
    ),
  );
  /** @type {Map<string, Row>} */
  const rows = new Map();
  for (const { name, passed, failed } of await sideBySide(parts, (part) =>
    runPart(emulator, part, folder, progress),
  )) {
    const row = rows.get(name) ?? { name, passed: 0, failed: 0 };
    rows.set(name, { name, passed: row.passed + passed, failed: row.failed + failed });
  }
  return [...rows.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/**
 * @param {Emulator} emulator
 * @param {Part} part
 * @param {string} folder
 * @param {import('./progress.mjs').Progress} progress
 * @returns {Promise<Row>}
 */
async function runPart(emulator, { processor, program, shard }, folder, progress) {
  const title = basename(program);
  const name = `${processor.name} ${title}`;
  const file = join(folder, `${processor.name}-${title}-${shard}`);
  const [log, report] = [`${file}.log`, `${file}.json`];
  for (const old of [log, report]) rmSync(old, { force: true });
  const [command, ...args] = onProcessor(emulator, processor.name, program);
  const filter = `--gtest_filter=-${processor.leftOut}`;
  const status = await runForStatus(command, [...args, filter, `--gtest_output=json:${report}`], {
    log,
    cwd: folder,
    env: { ...process.env, GTEST_TOTAL_SHARDS: String(SHARDS), GTEST_SHARD_INDEX: String(shard) },
  });
  const row = { name, ...countReport(report, status) };
  if (row.failed > 0) progress.showTail(log);
  return row;
}

/**
 * @param {string} report
 * @param {number | null} status
 * @returns {Omit<Row, 'name'>}
 */
function countReport(report, status) {
  // No report: it ended before its last test, as it does at an illegal instruction.
  if (!existsSync(report)) return { passed: 0, failed: 1 };
  /** @type {{ tests: number, failures: number, disabled: number }} */
  const { tests, failures, disabled } = JSON.parse(readFileSync(report, 'utf8'));
  const failed = failures > 0 || status === 0 ? failures : 1;
  return { passed: Math.max(tests - disabled - failed, 0), failed };
}

/** @param {readonly Row[]} rows */
export function total(rows) {
  const passed = rows.reduce((sum, row) => sum + row.passed, 0);
  const failed = rows.reduce((sum, row) => sum + row.failed, 0);
  return `${passed} passed, ${failed} failed`;
}
