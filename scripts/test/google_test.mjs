import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.mjs';
import { BUILD, RELEASE, ROOT } from '../paths.mjs';
import { runForStatus } from '../processes.mjs';
import { noCounts, oneFailed, sum, summary } from './counts.mjs';

/** Tests with `Deep` in their name take long, and what they find beyond the others is rare: the deep tests run them (proofs.mjs). */
export const DEEP = '*Deep*';
/** All others. */
export const EVERYDAY = `-${DEEP}`;

/** Where a preset's test programs are built, other than in a folder of its own. @type {Record<string, string>} */
const TEST_FOLDERS = {
  release: join(RELEASE, 'test', 'native'),
  'metal-sim': join(RELEASE, 'test', 'metal-sim'),
};

/** @typedef {import('./counts.mjs').Counts} Counts */
/** @typedef {{ name: string, classname: string, status: string, result: string, failures?: unknown[] }} GoogleTest */
/** @typedef {{ testsuites: { testsuite: GoogleTest[] }[] }} GoogleTestReport */

/**
 * Runs the test programs of a CMake preset, one after the other.
 * @param {import('../progress.mjs').Progress} progress
 * @param {string} preset
 * @param {string} title
 * @param {{ env?: NodeJS.ProcessEnv, filter?: string, programs?: RegExp, shards?: number }} [options] `filter`: GoogleTest's, of those
 *   that run; default: EVERYDAY. `programs`: those whose names match; default: all. `shards`: in how many processes, side by side, a
 *   program's tests run
 * @returns {Promise<Counts>}
 */
export async function runGoogleTests(
  progress,
  preset,
  title,
  { env = process.env, filter = EVERYDAY, programs = /./, shards = 1 } = {},
) {
  return await progress.step(
    title,
    async (log) => {
      const parts = [];
      const filtered = { ...env, GTEST_FILTER: filter };
      for (const { name, command, isGoogleTest } of programsOf(preset)) {
        if (!programs.test(name)) continue;
        if (isGoogleTest) parts.push(await runShards(name, command, preset, log, filtered, shards));
        else parts.push(await runProgram(name, command, preset, log, env));
      }
      const counts = sum(parts);
      if (counts.passed + counts.failed === 0) throw new Failure(`The ${title} hold no test.`, log);
      if (counts.failed > 0) progress.showTail(log);
      return counts;
    },
    summary,
  );
}

/** @typedef {{ name: string, command: string[], isGoogleTest: boolean }} TestProgram */
/** @typedef {{ name: string, value: unknown }} Property */

/**
 * @param {string} preset
 * @returns {TestProgram[]} the test programs that CMake has noted; those labelled `program` are one test each
 */
function programsOf(preset) {
  const args = ['--test-dir', TEST_FOLDERS[preset] ?? join(BUILD, preset), '--show-only=json-v1'];
  const listing = execFileSync('ctest', args, { cwd: ROOT, encoding: 'utf8' });
  const { tests } = /** @type {{ tests: { name: string, command: string[], properties?: Property[] }[] }} */ (
    JSON.parse(listing)
  );
  return tests.map(({ name, command, properties = [] }) => {
    const labels = properties.find((property) => property.name === 'LABELS')?.value;
    return { name, command, isGoogleTest: !(Array.isArray(labels) && labels.includes('program')) };
  });
}

/**
 * One test, which passes when the program ends well.
 * @param {string} name
 * @param {readonly string[]} command
 * @param {string} preset
 * @param {string} log
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Counts>}
 */
async function runProgram(name, command, preset, log, env) {
  const [program = '', ...args] = command;
  const status = await runForStatus(program, args, { log, env });
  return status === 0
    ? { ...noCounts(), passed: 1 }
    : oneFailed(`native (${preset}) ${name}: ended with ${status}`);
}

/**
 * @param {string} name
 * @param {readonly string[]} command
 * @param {string} preset
 * @param {string} log
 * @param {NodeJS.ProcessEnv} env
 * @param {number} shards
 * @returns {Promise<Counts>}
 */
async function runShards(name, command, preset, log, env, shards) {
  if (shards === 1) return await runGoogleTest(name, command, preset, log, env);
  const environments = Array.from({ length: shards }, (_, index) => ({
    ...env,
    GTEST_TOTAL_SHARDS: String(shards),
    GTEST_SHARD_INDEX: String(index),
  }));
  return sum(
    await Promise.all(
      environments.map((own, index) => runGoogleTest(`${name}-${index + 1}`, command, preset, log, own)),
    ),
  );
}

/**
 * @param {string} name
 * @param {readonly string[]} command
 * @param {string} preset
 * @param {string} log
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Counts>}
 */
async function runGoogleTest(name, command, preset, log, env) {
  const [program = '', ...args] = command;
  const report = join(BUILD, 'results', `native-${preset}-${name}.json`);
  rmSync(report, { force: true });
  const status = await runForStatus(program, [...args, `--gtest_output=json:${report}`], { log, env });
  if (!existsSync(report))
    return oneFailed(`native (${preset}) ${name}: ended with ${status} before its tests were over`);
  const { testsuites } = /** @type {GoogleTestReport} */ (JSON.parse(readFileSync(report, 'utf8')));
  const counts = noCounts();
  for (const test of testsuites.flatMap((suite) => suite.testsuite)) {
    if (test.failures !== undefined) {
      counts.failed += 1;
      counts.failures.push(`native (${preset}) ${name}: ${test.classname}.${test.name}`);
    } else if (test.status === 'RUN' && test.result === 'COMPLETED') counts.passed += 1;
    else counts.skipped += 1;
  }
  // For example a leak, which is found after the last test.
  if (status !== 0 && counts.failed === 0) {
    counts.failed += 1;
    counts.failures.push(`native (${preset}) ${name}: ended with ${status} although no test failed`);
  }
  return counts;
}
