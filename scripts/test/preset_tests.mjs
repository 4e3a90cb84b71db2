import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { oneFailed, onePassed, sum, summary } from '../counts.mjs';
import { Failure } from '../failure.mjs';
import { runGoogleTest, shardsOf } from '../google_test.mjs';
import { BUILD, RELEASE, ROOT } from '../paths.mjs';
import { runForStatus } from '../processes.mjs';
import { sideBySide } from '../side_by_side.mjs';

/** Tests with `Deep` in their name take long, and what they find beyond the others is rare: the deep tests run them (proofs.mjs). */
export const DEEP = '*Deep*';
/** All others. */
const EVERYDAY = `-${DEEP}`;

/** Where a preset's test programs are built, other than in a folder of its own. @type {Record<string, string>} */
const TEST_FOLDERS = {
  release: join(RELEASE, 'test', 'native'),
  'metal-sim': join(RELEASE, 'test', 'metal-sim'),
};

/** @typedef {import('../counts.mjs').Counts} Counts */

/** Processes that run the tests of a program that is spread. */
const SHARDS = 4;

/**
 * Runs the test programs of a CMake preset, one after the other, or as `spread` says.
 * @param {import('../progress.mjs').Progress} progress
 * @param {string} preset
 * @param {string} title
 * @param {{ env?: NodeJS.ProcessEnv, filter?: string, programs?: RegExp, spread?: boolean }} [options] `env`: besides this
 *   process's. `filter`: GoogleTest's, of those that run; default: EVERYDAY. `programs`: those whose names match; default: all. `spread`: in SHARDS processes each, which run side by side:
 *   where a program uses one processor
 * @returns {Promise<Counts>}
 */
export async function runGoogleTests(
  progress,
  preset,
  title,
  { env = {}, filter = EVERYDAY, programs = /./, spread = false } = {},
) {
  return await progress.step(
    title,
    async (log) => {
      const all = { ...process.env, ...env };
      const filtered = { ...all, GTEST_FILTER: filter };
      const parts = programsOf(preset)
        .filter(({ name }) => programs.test(name))
        .flatMap(({ name, command, isGoogleTest }) => {
          if (!isGoogleTest) return [() => runProgram(name, command, preset, log, all)];
          const run = { place: preset, name, command, env: filtered };
          if (!spread) return [() => runGoogleTest(run, log)];
          return shardsOf(filtered, SHARDS).map((shard, index) => {
            const part = { ...run, name: `${name}-${index + 1}`, env: shard };
            return () => runGoogleTest(part, log);
          });
        });
      const counts = sum(await sideBySide(parts, (part) => part(), spread ? undefined : 1));
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
  return status === 0 ? onePassed() : oneFailed(`native (${preset}) ${name}: ended with ${status}`);
}
