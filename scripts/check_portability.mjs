/**
 * Checks that the engine runs on processors and systems other than this one:
 *   node scripts/check_portability.mjs
 * - The native tests run in an emulator of an x86-64 without AVX (Nehalem) and of one with AVX2 but no AVX-512 (Haswell): wide
 *   code that leaks into the portable path ends there with an illegal instruction. Tests of the embedded model and of many draws are left out:
 *   emulated, they take minutes. They are those whose name contains `RealModel`, and `DrawLaw`.
 * - Objects compiled for a wider instruction set than the rest hold no function that the linker may take for another object's
 *   of the same name: which of the two it takes depends on the order of its input, so a test run alone cannot show this.
 * - Every layer but the addon is compiled for Windows.
 * Prints a line a program, `portability PLACE PROGRAM: N passed, N failed`; the status is 1 when anything failed.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from './failure.mjs';
import { BUILD, LOGS, ROOT } from './paths.mjs';
import { run, runCommand, runForStatus } from './processes.mjs';
import { Progress } from './progress.mjs';
import {
  ensureDebianPackages,
  FOR_BUILDING,
  FOR_NATIVE_TESTS,
  FOR_PORTABILITY,
} from './setup/debian_packages.mjs';

/** @typedef {{ name: string, passed: number, failed: number }} Row one program, or one system */

/** Too slow to emulate: the 98 MB model, and statistics over millions of draws of integer arithmetic. */
const LEFT_OUT = '-*RealModel*:DrawLaw.*';
const PROCESSORS = /** @type {const} */ (['Nehalem', 'Haswell']);
const FOLDER = join(BUILD, 'portability');
const JOBS = String(availableParallelism());

/**
 * What it needs is in FOR_PORTABILITY, FOR_NATIVE_TESTS and FOR_BUILDING of setup/debian_packages.mjs.
 * @param {Progress} progress
 * @returns {Promise<Row[]>}
 */
export async function checkPortability(progress) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Failure('Portability is checked on x86-64 Linux; run this there.');
  }
  mkdirSync(FOLDER, { recursive: true });
  const programs = await progress.step(
    'build the native tests',
    buildTests,
    (found) => `${found.length} programs`,
  );
  /** @type {Row[]} */
  const rows = [];
  for (const processor of PROCESSORS) {
    const ofProcessor = await progress.step(
      `run the native tests on an emulated ${processor}`,
      () => runAllEmulated(processor, programs, progress),
      total,
    );
    rows.push(...ofProcessor);
  }
  rows.push(await progress.step('look for wide code that may leak', findWideCode, (row) => total([row])));
  rows.push(await progress.step('compile for Windows', compileForWindows, (row) => total([row])));
  return rows;
}

/**
 * @param {string} log
 * @returns {Promise<string[]>} the paths of the test programs
 */
async function buildTests(log) {
  const failure = 'The native tests could not be built.';
  await run('cmake', ['--preset', 'release'], { log, failure });
  await run('cmake', ['--build', '--preset', 'release', '--parallel', JOBS], { log, failure });
  const folder = join(BUILD, 'release', 'test', 'native');
  const programs = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^test_\w+$/.test(entry.name))
    .map((entry) => join(folder, entry.name));
  if (programs.length === 0) throw new Failure(`No test programs were built in ${folder}.`);
  return programs.sort();
}

/**
 * Sees that the emulator refuses the instructions that the processor lacks, and runs those it has: otherwise a green run would
 * show nothing.
 * @param {typeof PROCESSORS[number]} processor
 */
function requireHonestEmulator(processor) {
  const lacks = { Nehalem: 'vxorps %ymm0, %ymm0, %ymm0', Haswell: 'vpaddd %zmm0, %zmm0, %zmm0' };
  const has = { Nehalem: 'pcmpgtq %xmm0, %xmm0', Haswell: 'vfmadd231ps %ymm0, %ymm0, %ymm0' };
  if (emulatesInstruction(processor, lacks[processor])) {
    throw new Failure(`qemu runs instructions that a ${processor} does not have; use version 7.2 or newer.`);
  }
  if (!emulatesInstruction(processor, has[processor])) {
    throw new Failure(`qemu does not run the instructions of a ${processor}; use version 7.2 or newer.`);
  }
}

/**
 * @param {string} processor
 * @param {string} instruction
 */
function emulatesInstruction(processor, instruction) {
  const program = join(FOLDER, 'instruction');
  const exit = 'mov $60, %eax\nxor %edi, %edi\nsyscall';
  writeFileSync(`${program}.s`, `.globl _start\n_start:\n${instruction}\n${exit}\n`);
  const built = spawnSync('c++', ['-nostdlib', '-static', `${program}.s`, '-o', program], {
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Failure(`The compiler does not assemble \`${instruction}\`.`);
  return spawnSync('qemu-x86_64', ['-cpu', processor, program], { cwd: FOLDER }).status === 0;
}

/**
 * As many programs at a time as there are cores.
 * @param {typeof PROCESSORS[number]} processor
 * @param {readonly string[]} programs
 * @param {Progress} progress
 */
async function runAllEmulated(processor, programs, progress) {
  requireHonestEmulator(processor);
  /** @type {Row[]} */
  const rows = [];
  const left = [...programs];
  const work = async () => {
    for (let program = left.shift(); program !== undefined; program = left.shift())
      rows.push(await runEmulated(processor, program, progress));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return rows.sort((a, b) => a.name.localeCompare(b.name));
}

/**
 * @param {string} processor
 * @param {string} program
 * @param {Progress} progress
 * @returns {Promise<Row>}
 */
async function runEmulated(processor, program, progress) {
  const title = basename(program);
  const name = `${processor} ${title}`;
  const log = join(FOLDER, `${processor}-${title}.log`);
  const report = join(FOLDER, `${processor}-${title}.json`);
  for (const old of [log, report]) rmSync(old, { force: true });
  const args = ['-cpu', processor, program, `--gtest_filter=${LEFT_OUT}`, `--gtest_output=json:${report}`];
  const status = await runForStatus('qemu-x86_64', args, { log, cwd: FOLDER });
  // No report: it ended before its last test, as it does at an illegal instruction.
  let row = { name, passed: 0, failed: 1 };
  if (existsSync(report)) {
    /** @type {{ tests: number, failures: number, disabled: number }} */
    const { tests, failures, disabled } = JSON.parse(readFileSync(report, 'utf8'));
    const failed = failures > 0 || status === 0 ? failures : 1;
    row = { name, passed: Math.max(tests - disabled - failed, 0), failed };
  }
  if (row.failed > 0) progress.showTail(log);
  return row;
}

/**
 * @param {string} log
 * @returns {Promise<Row>} with an object file as a test
 */
async function findWideCode(log) {
  const folder = join(BUILD, 'release');
  /** @type {{ command: string, directory: string }[]} */
  const objects = JSON.parse(readFileSync(join(folder, 'compile_commands.json'), 'utf8'));
  const wide = objects.filter(({ command }) => / -m(avx|fma|f16c|bmi|arch=)/.test(command));
  if (wide.length === 0)
    throw new Failure('No object is compiled for a wider instruction set; look for its new options.');
  const row = { name: 'wide objects', passed: 0, failed: 0 };
  for (const { command, directory } of wide) {
    const [, output = ''] = / -o (\S+)/.exec(command) ?? [];
    const { status, stdout } = spawnSync('nm', ['-C', join(directory, output)], { encoding: 'utf8' });
    if (status !== 0) throw new Failure(`nm does not read ${output}.`);
    // W, V, u: defined here, and in any other object that wants it.
    const shared = stdout.split('\n').filter((line) => /^[0-9a-f]+ [WVu] /.test(line));
    if (shared.length === 0) row.passed++;
    else row.failed++;
    appendFileSync(
      log,
      `${output}: ${shared.length} functions that may be taken for others\n${shared.join('\n')}\n`,
    );
  }
  return row;
}

/**
 * @param {string} log
 * @returns {Promise<Row>} with a layer as a test
 */
async function compileForWindows(log) {
  const folder = join(BUILD, 'mingw');
  const toolchain = `-DCMAKE_TOOLCHAIN_FILE=${join(ROOT, 'cmake', 'mingw_w64.cmake')}`;
  const configure = ['-S', ROOT, '-B', folder, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release', toolchain];
  await run('cmake', configure, { log, failure: 'CMake does not configure for Windows.' });
  const layers = readdirSync(join(ROOT, 'native'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'addon')
    .map((entry) => entry.name);
  const row = { name: 'Windows layers', passed: 0, failed: 0 };
  for (const layer of layers) {
    const build = ['--build', folder, '--parallel', JOBS, '--target', `emberline_${layer}`];
    if ((await runForStatus('cmake', build, { log })) === 0) row.passed++;
    else row.failed++;
  }
  return row;
}

/** @param {Row[]} rows */
function total(rows) {
  const passed = rows.reduce((sum, row) => sum + row.passed, 0);
  const failed = rows.reduce((sum, row) => sum + row.failed, 0);
  return `${passed} passed, ${failed} failed`;
}

/** @returns {Promise<number>} */
async function main() {
  const progress = new Progress();
  await ensureDebianPackages([...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_PORTABILITY], progress);
  const rows = await checkPortability(progress);
  for (const row of rows) console.log(`portability ${row.name}: ${row.passed} passed, ${row.failed} failed`);
  const failed = rows.some((row) => row.failed > 0);
  if (failed) console.log(`What was printed is in ${LOGS}.`);
  return failed ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
