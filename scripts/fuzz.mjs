/**
 * Fuzzes a reader of untrusted bytes with libFuzzer, under the address and undefined-behaviour sanitizers:
 *   node scripts/fuzz.mjs all|folder|gbnf|gguf|pattern|safetensors|schema|text|token_walk|vocabulary... [--seconds 120] [--keep]
 * Several come one after the other, so many seconds each; one that fails does not keep the others from it.
 * The corpus begins with the kept one (fuzz_corpus.mjs) and grows in build/fuzz/corpus/<target>; --keep distils it and keeps that.
 * An input that fails stays in build/fuzz and is named at the end. Needs clang 19 and GoogleTest.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPreset } from './build_preset.mjs';
import { Failure } from './failure.mjs';
import { keepCorpus, keptCorpus, nameOf } from './fuzz_corpus.mjs';
import { BUILD } from './paths.mjs';
import { run, runCommand } from './processes.mjs';
import { Progress } from './progress.mjs';

export const TARGETS = [
  'folder',
  'gbnf',
  'gguf',
  'pattern',
  'safetensors',
  'schema',
  'text',
  'token_walk',
  'vocabulary',
];
/** Whoever gives a grammar may be anybody: at most 256 MB, and processor time as test/fuzz/time_limit.h says. */
const GRAMMARS = ['gbnf', 'pattern', 'schema', 'token_walk'];
const FOLDER = join(BUILD, 'fuzz');
// Among the sanitized tests, of the same objects.
const PROGRAMS = join(BUILD, 'asan', 'test', 'fuzz');
// What the address sanitizer keeps of freed memory counts as well.
const UNDER_FUZZER = { ASAN_OPTIONS: 'quarantine_size_mb=16' };

const fuzzerOf = (/** @type {string} */ target) => join(PROGRAMS, `fuzz_${target}`);
const corpusOf = (/** @type {string} */ target) => join(FOLDER, 'corpus', target);

/**
 * @param {Progress} progress
 * @param {readonly string[]} targets
 */
export async function buildFuzzers(progress, targets) {
  await buildPreset(progress, 'asan', {
    what: 'the fuzzers',
    targets: targets.flatMap((target) => [`fuzz_${target}`, `${target}_corpus`]),
    needs: 'They need clang++-19, its libFuzzer (libclang-rt-19-dev) and GoogleTest (libgtest-dev).',
  });
}

/**
 * Runs what is known of `target`, and what libFuzzer makes of it in the time.
 * @param {Progress} progress
 * @param {string} target whose fuzzer is built
 * @param {number} seconds
 */
export async function fuzz(progress, target, seconds) {
  const corpus = corpusOf(target);
  mkdirSync(corpus, { recursive: true });
  await progress.step(
    `fuzz ${target}`,
    async (log) => {
      const failure = 'An input fails; the log names the file in build/fuzz that holds it.';
      await run(join(PROGRAMS, `${target}_corpus`), [corpus], {
        log,
        failure: 'The corpus could not be written.',
      });
      for (const input of keptCorpus(target)) writeFileSync(join(corpus, nameOf(input)), input);
      // Seconds of the clock, which a busy machine stretches: for what never ends.
      const limits = GRAMMARS.includes(target)
        ? ['-timeout=120', '-rss_limit_mb=256']
        : ['-timeout=5', '-rss_limit_mb=1024'];
      const args = [
        `-max_total_time=${seconds}`,
        '-print_final_stats=1',
        '-max_len=8192',
        '-malloc_limit_mb=64',
        ...limits,
        `-artifact_prefix=${FOLDER}/`,
        corpus,
      ];
      await run(fuzzerOf(target), args, { log, env: { ...process.env, ...UNDER_FUZZER }, failure });
      return log;
    },
    (log) => {
      const [, runs = 'no'] = /number_of_executed_units: (\d+)/.exec(readFileSync(log, 'utf8')) ?? [];
      if (!(Number(runs) > 0)) throw new Failure('Nothing was run.', log);
      return `${runs} inputs, none fails`;
    },
  );
}

/**
 * Keeps of what was found as few inputs as reach as much.
 * @param {Progress} progress
 * @param {string} target
 */
async function distil(progress, target) {
  await progress.step(
    `distil what ${target} found`,
    async (log) => {
      const few = `${corpusOf(target)}-few`;
      rmSync(few, { recursive: true, force: true });
      mkdirSync(few);
      // By what they reach, not by how often.
      await run(fuzzerOf(target), ['-merge=1', '-use_counters=0', few, corpusOf(target)], {
        log,
        env: { ...process.env, ...UNDER_FUZZER },
        failure: 'The corpus could not be distilled.',
      });
      const inputs = readdirSync(few).map((name) => readFileSync(join(few, name)));
      keepCorpus(target, inputs);
      return inputs.length;
    },
    (count) => `${count} inputs are kept`,
  );
}

/** @returns {Promise<number>} */
async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seconds: { type: 'string', default: '120' }, keep: { type: 'boolean', default: false } },
  });
  const targets = positionals.includes('all') ? TARGETS : positionals;
  const seconds = Number(values.seconds);
  if (targets.length === 0 || !targets.every((target) => TARGETS.includes(target)) || !(seconds > 0)) {
    console.error(`usage: node scripts/fuzz.mjs all|${TARGETS.join('|')}... [--seconds N] [--keep]`);
    return 2;
  }
  const progress = new Progress();
  await buildFuzzers(progress, targets);
  let status = 0;
  for (const target of targets) {
    try {
      await fuzz(progress, target, seconds);
      if (values.keep) await distil(progress, target);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      console.error(error.message);
      status = 1;
    }
  }
  return status;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
