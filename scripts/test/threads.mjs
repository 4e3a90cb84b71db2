import { join } from 'node:path';
import { sum } from '../counts.mjs';
import { ROOT } from '../paths.mjs';
import { FOR_BUILDING, FOR_NATIVE_TESTS, FOR_SANITIZERS } from '../setup/debian_packages.mjs';
import { runGoogleTests } from './preset_tests.mjs';
import { SANITIZED } from './sanitized.mjs';

const SUPPRESSIONS = join(ROOT, 'test', 'native', 'thread_sanitizer.supp');
/** What a program built with the preset `tsan` or `tsan-threads` has in its environment besides. */
const UNDER_THREAD_SANITIZER = {
  TSAN_OPTIONS: `halt_on_error=1:second_deadlock_stack=1:suppressions=${SUPPRESSIONS}`,
};

/**
 * What several threads do at once, in a second once it is built, and therefore built without optimisation; with every access checked: the engine, its pool, cancels, and models that are closed at any moment.
 * @type {import('./stage.mjs').Stage}
 */
export const threads = {
  name: 'threads',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_SANITIZERS],
  needs: ['threadTests'],
  deep: true,
  run: (progress) =>
    runGoogleTests(progress, 'tsan-threads', 'tests of threads under the thread sanitizer', {
      env: UNDER_THREAD_SANITIZER,
      programs: /^threads$/,
    }),
};

/**
 * The same of all native tests, and of `threads` what takes longer: half an hour.
 * @type {import('./stage.mjs').Stage}
 */
export const threadsAll = {
  ...threads,
  name: 'threads-all',
  needs: ['threadSanitizedTests'],
  onRequest: true,
  run: async (progress) => {
    const env = UNDER_THREAD_SANITIZER;
    const rest = { env, filter: SANITIZED, programs: /^(?!threads$)/ };
    return sum([
      await runGoogleTests(progress, 'tsan', 'tests of threads under the thread sanitizer, all', {
        env,
        filter: '*',
        programs: /^threads$/,
      }),
      await runGoogleTests(progress, 'tsan', 'native tests under the thread sanitizer', rest),
    ]);
  },
};
