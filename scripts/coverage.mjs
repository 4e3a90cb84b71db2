/**
 * `npm run coverage`: which lines of the readers of untrusted bytes their tests and the corpora of the fuzzers reach, by file, and which
 * they do not, measured by clang 19 (source-based coverage). Exits with 1 where a reader has less than LEAST percent.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { buildPreset } from './build_preset.mjs';
import { runCommand, run } from './processes.mjs';
import { Progress } from './progress.mjs';
import { BUILD, ROOT } from './paths.mjs';
import { ensureDebianPackages, FOR_COVERAGE } from './setup/debian_packages.mjs';
import { keptCorpus, nameOf } from './fuzz_corpus.mjs';

const FOLDER = join(BUILD, 'coverage');
/** Percent of a reader's lines. */
const LEAST = 95;

/** The readers, and the files of each. @type {Readonly<Record<string, RegExp>>} */
const READERS = {
  GGUF: /^native\/gguf\//,
  'SafeTensors header': /^native\/safetensors\/safetensors_header\./,
  'config.json':
    /^native\/safetensors\/(config_metadata|gguf_terms|model_json|mlx_weights|model_folder|tensor_names)\./,
  'tokenizer.json': /^native\/safetensors\/(tokenizer_metadata|split_names)\./,
  GBNF: /^native\/grammar\/gbnf\//,
  'JSON, JSON Schema': /^native\/grammar\/(json|schema)\//,
  pattern: /^native\/grammar\/regular\/(pattern|character_class|code_points|format)/,
};

/** Test programs, with GoogleTest's filter of what concerns the readers. @type {Readonly<Record<string, string>>} */
const TESTS = {
  gguf: '*',
  safetensors: '*',
  tokenizer: '*',
  grammar: '-*Deep*',
  engine: 'ModelFolder*',
};
const FUZZERS = ['folder', 'gbnf', 'gguf', 'pattern', 'safetensors', 'schema', 'vocabulary'];

const testOf = (/** @type {string} */ name) => join(FOLDER, 'test', 'native', `test_${name}`);
const fuzzerOf = (/** @type {string} */ name) => join(FOLDER, 'test', 'fuzz', `fuzz_${name}`);
const profileOf = (/** @type {string} */ name) => join(FOLDER, `${name}.profraw`);

/** @param {Progress} progress */
async function build(progress) {
  await buildPreset(progress, 'coverage', {
    what: 'what is measured',
    targets: [
      ...Object.keys(TESTS).map((name) => `test_${name}`),
      ...FUZZERS.flatMap((name) => [`fuzz_${name}`, `${name}_corpus`]),
    ],
    needs: 'It needs clang++-19, its libFuzzer (libclang-rt-19-dev) and GoogleTest (libgtest-dev).',
  });
}

/** @param {Progress} progress */
async function runAll(progress) {
  const failure = 'A test fails, or an input of a corpus.';
  const env = (/** @type {string} */ name) => ({ ...process.env, LLVM_PROFILE_FILE: profileOf(name) });
  for (const [name, filter] of Object.entries(TESTS)) {
    await progress.step(`run the tests of ${name}`, async (log) => {
      await run(testOf(name), [`--gtest_filter=${filter}`], { log, failure, env: env(name) });
    });
  }
  for (const name of FUZZERS) {
    await progress.step(`run the corpus of ${name}`, async (log) => {
      const corpus = join(FOLDER, 'corpus', name);
      rmSync(corpus, { recursive: true, force: true });
      mkdirSync(corpus, { recursive: true });
      await run(join(FOLDER, 'test', 'fuzz', `${name}_corpus`), [corpus], {
        log,
        failure,
        env: env(`${name}_corpus`),
      });
      for (const input of keptCorpus(name)) writeFileSync(join(corpus, nameOf(input)), input);
      await run(fuzzerOf(name), ['-runs=0', corpus], { log, failure, env: env(`fuzz_${name}`) });
    });
  }
}

/** Lines of a file that hold code, and how often each is run. @typedef {Map<number, number>} Lines */

/**
 * @param {string} lcov
 * @returns {Map<string, Lines>} by path within the repository
 */
function linesOf(lcov) {
  const files = new Map();
  let lines = new Map();
  for (const line of lcov.split('\n')) {
    const [, kind, rest = ''] = /^(SF|DA):(.*)$/.exec(line) ?? [];
    if (kind === 'SF') files.set(relative(ROOT, rest), (lines = new Map()));
    if (kind === 'DA') {
      const [number = 0, times = 0] = rest.split(',').map(Number);
      lines.set(number, (lines.get(number) ?? 0) + times);
    }
  }
  return files;
}

/**
 * @param {Progress} progress
 * @returns {Promise<Map<string, Lines>>}
 */
async function measured(progress) {
  const merged = join(FOLDER, 'merged.profdata');
  const exported = join(FOLDER, 'lines.lcov');
  await progress.step('read what was run', async (log) => {
    const failure = 'The profiles could not be read; they need llvm-profdata-19 and llvm-cov-19.';
    const profiles = [...Object.keys(TESTS), ...FUZZERS.map((name) => `fuzz_${name}`)].map(profileOf);
    await run('llvm-profdata-19', ['merge', '-sparse', '-o', merged, ...profiles.filter(existsSync)], {
      log,
      failure,
    });
    const [first = '', ...others] = [...Object.keys(TESTS).map(testOf), ...FUZZERS.map(fuzzerOf)];
    const objects = others.flatMap((program) => ['-object', program]);
    rmSync(exported, { force: true });
    const args = ['export', '-format=lcov', `-instr-profile=${merged}`, first, ...objects];
    await run('llvm-cov-19', args, { log: exported, failure });
  });
  return linesOf(readFileSync(exported, 'utf8'));
}

/** @param {readonly Lines[]} files */
function percentOf(files) {
  const counts = files.flatMap((lines) => [...lines.values()]);
  return (100 * counts.filter((times) => times > 0).length) / counts.length;
}

/** @returns {Promise<number>} */
async function main() {
  const progress = new Progress();
  await ensureDebianPackages(FOR_COVERAGE, progress);
  await build(progress);
  await runAll(progress);
  const files = await measured(progress);
  let status = 0;
  for (const [reader, pattern] of Object.entries(READERS)) {
    const own = [...files].filter(([path]) => pattern.test(path)).sort(([a], [b]) => (a < b ? -1 : 1));
    const percent = percentOf(own.map(([, lines]) => lines));
    console.log(`\n${reader}: ${percent.toFixed(1)} %`);
    if (!(percent >= LEAST)) status = 1;
    for (const [path, lines] of own) {
      const missed = [...lines].filter(([, times]) => times === 0).map(([number]) => number);
      const where = missed.length > 0 ? `  not: ${missed.join(' ')}` : '';
      console.log(`  ${percentOf([lines]).toFixed(1).padStart(5)} %  ${path}${where}`);
    }
  }
  return status;
}

await runCommand(main);
