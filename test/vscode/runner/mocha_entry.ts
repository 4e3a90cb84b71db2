/**
 * What the extension host calls to run the tests, with mocha: every file of the folder beside this one that
 * EMBERLINE_TEST_SUITE names. The results go to the file that EMBERLINE_TEST_RESULTS names, because what an extension host
 * prints is hard to come by.
 */
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Mocha from 'mocha';

/** One test's outcome, as `scripts/test/editor.mjs` and `scripts/test_desktop.mjs` read it. */
export interface TestOutcome {
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** Why it failed, or did at its first try. */
  readonly error?: string | undefined;
}

const TEST_TIMEOUT_MS = 60_000;
/**
 * What the workbench draws, and when, hangs on its focus and on a browser that shares the processors: a test that fails
 * runs once more, and is named if it passes then. What is wrong with the extension fails twice.
 */
const RETRIES = 1;

export async function run(): Promise<void> {
  const results = process.env['EMBERLINE_TEST_RESULTS'];
  if (results === undefined) throw new Error('EMBERLINE_TEST_RESULTS names no file for the results.');
  const mocha = new Mocha({ ui: 'tdd', timeout: TEST_TIMEOUT_MS, retries: RETRIES, color: false });
  const suites = join(__dirname, '..', process.env['EMBERLINE_TEST_SUITE'] ?? 'suite');
  for (const name of readdirSync(suites)
    .filter((file) => file.endsWith('.test.cjs'))
    .sort()) {
    mocha.addFile(join(suites, name));
  }
  const outcomes: TestOutcome[] = [];
  const firstErrors = new Map<string, string>();
  const failures = await new Promise<number>((resolve) => {
    mocha
      .run(resolve)
      .on('retry', (test: Mocha.Test, error: Error) => firstErrors.set(test.fullTitle(), traceOf(error)))
      .on('pass', (test) => {
        const name = test.fullTitle();
        outcomes.push({ name, state: 'passed', error: firstErrors.get(name) });
      })
      .on('pending', (test) => outcomes.push({ name: test.fullTitle(), state: 'skipped' }))
      .on('fail', (test, error: Error) =>
        outcomes.push({ name: test.fullTitle(), state: 'failed', error: traceOf(error) }),
      );
  });
  // Renamed into place: a reader sees all of it or nothing.
  writeFileSync(`${results}.part`, JSON.stringify(outcomes, null, 2));
  renameSync(`${results}.part`, results);
  if (failures > 0) throw new Error(`${failures} tests failed.`);
}

function traceOf(error: Error): string {
  return error.stack ?? error.message;
}
