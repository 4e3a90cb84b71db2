import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { sayRetried, summary } from '../counts.mjs';
import { Failure } from '../failure.mjs';
import { BUILD, ROOT } from '../paths.mjs';
import { runForStatus } from '../processes.mjs';

/** @typedef {import('../counts.mjs').Counts} Counts */
/** @typedef {{ fullName: string, status: string, failureMessages?: string[] }} Assertion */
/** @typedef {{ name: string, status: string, assertionResults: Assertion[] }} FileResult */

/**
 * Runs one project of vitest.config.mts.
 * @param {import('../progress.mjs').Progress} progress
 * @param {string} project
 * @param {string} title
 * @param {{ args?: readonly string[], env?: NodeJS.ProcessEnv }} [options] `env`: besides this process's
 * @returns {Promise<Counts>}
 */
export async function runVitest(progress, project, title, { args = [], env = {} } = {}) {
  return await progress.step(
    title,
    async (log) => {
      const report = join(BUILD, 'results', `vitest-${project}.json`);
      rmSync(report, { force: true });
      const status = await runForStatus(
        process.execPath,
        [
          join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
          ...[
            'run',
            '--project',
            project,
            '--reporter=verbose',
            '--reporter=json',
            `--outputFile.json=${report}`,
          ],
          ...args,
        ],
        { log, env: { ...process.env, ...env } },
      );
      if (!existsSync(report))
        throw new Failure(`The ${title} did not run: vitest ended with ${status}.`, log);
      const { testResults } = /** @type {{ testResults: FileResult[] }} */ (
        JSON.parse(readFileSync(report, 'utf8'))
      );
      const counts = countFiles(testResults);
      sayRetried(progress, retried(testResults));
      for (const figure of annotations(readFileSync(log, 'utf8'))) progress.say(`  ${figure}`);
      // For example an error that no test caught.
      if (status !== 0 && counts.failed === 0) {
        counts.failed += 1;
        counts.failures.push(`${title}: vitest ended with ${status} although no test failed`);
      }
      if (counts.failed > 0) progress.showTail(log);
      return counts;
    },
    summary,
  );
}

/**
 * @param {readonly FileResult[]} files
 * @returns {Counts}
 */
export function countFiles(files) {
  const tests = files.flatMap((file) =>
    file.assertionResults.map((test) => ({
      ...test,
      fullName: `${relative(ROOT, file.name)}: ${test.fullName}`,
    })),
  );
  // One that does not load has no tests to fail; those behind a hook that fails are skipped.
  const broken = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const failures = [
    ...tests.filter((test) => test.status === 'failed').map((test) => test.fullName),
    ...broken.map(
      ({ name, assertionResults }) =>
        `${relative(ROOT, name)}: ${assertionResults.length === 0 ? 'does not load' : 'fails outside its tests'}`,
    ),
  ];
  const passed = tests.filter((test) => test.status === 'passed').length;
  return {
    passed,
    failed: failures.length,
    skipped: tests.length + broken.length - passed - failures.length,
    failures,
  };
}

/**
 * @param {string} output of the verbose reporter; the JSON has none of them
 * @returns {string[]} what tests measured
 */
function annotations(output) {
  return [...output.matchAll(/^ *↳ (.+)$/gm)].map(([, figure = '']) => figure);
}

/**
 * @param {readonly FileResult[]} files
 * @returns {string[]} tests that failed, ran again and passed
 */
function retried(files) {
  return files
    .flatMap((file) => file.assertionResults)
    .filter((test) => test.status === 'passed' && (test.failureMessages ?? []).length > 0)
    .map((test) => test.fullName);
}
