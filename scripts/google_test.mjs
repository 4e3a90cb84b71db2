/** Runs a test program of GoogleTest, on this processor or on another, and counts by what it reports. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { noCounts, oneFailed } from './counts.mjs';
import { BUILD } from './paths.mjs';
import { runForStatus } from './processes.mjs';

/** @typedef {import('./counts.mjs').Counts} Counts */
/** @typedef {{ name: string, classname: string, status: string, result: string, failures?: unknown[] }} GoogleTest */
/** @typedef {{ testsuites: { testsuite: GoogleTest[] }[] }} GoogleTestReport */

/**
 * A program's tests, or a part of them.
 * @typedef {object} TestRun
 * @property {string} place where it runs: a CMake preset, or a processor
 * @property {string} name of the program, or of its part
 * @property {readonly string[]} command
 * @property {NodeJS.ProcessEnv} env GTEST_FILTER says which tests
 * @property {string} [cwd]
 */

/**
 * The environments of so many processes that run a program's tests together: tests take unequally long, and more parts fill every
 * processor to the end.
 * @param {NodeJS.ProcessEnv} env
 * @param {number} count
 * @returns {NodeJS.ProcessEnv[]}
 */
export const shardsOf = (env, count) =>
  Array.from({ length: count }, (_, index) => ({
    ...env,
    GTEST_TOTAL_SHARDS: String(count),
    GTEST_SHARD_INDEX: String(index),
  }));

/**
 * @param {TestRun} run
 * @param {string} log of the step that it is a part of
 * @param {string} [own] where it prints to; default: `log`
 * @returns {Promise<Counts>}
 */
export async function runGoogleTest({ place, name, command, env, cwd }, log, own = log) {
  const [program = '', ...args] = command;
  const title = `native (${place}) ${name}`;
  const report = join(BUILD, 'results', `native-${place}-${name}.json`);
  rmSync(report, { force: true });
  const options = { log: own, charged: log, env, ...(cwd === undefined ? {} : { cwd }) };
  const status = await runForStatus(program, [...args, `--gtest_output=json:${report}`], options);
  // As at an illegal instruction.
  if (!existsSync(report)) return oneFailed(`${title}: ended with ${status} before its tests were over`);
  const { testsuites } = /** @type {GoogleTestReport} */ (JSON.parse(readFileSync(report, 'utf8')));
  const counts = noCounts();
  for (const test of testsuites.flatMap((suite) => suite.testsuite)) {
    if (test.failures !== undefined) {
      counts.failed += 1;
      counts.failures.push(`${title}: ${test.classname}.${test.name}`);
    } else if (test.status === 'RUN' && test.result === 'COMPLETED') counts.passed += 1;
    else counts.skipped += 1;
  }
  // For example a leak, which is found after the last test.
  if (status !== 0 && counts.failed === 0) {
    counts.failed += 1;
    counts.failures.push(`${title}: ended with ${status} although no test failed`);
  }
  return counts;
}
