import { FOR_BUILDING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { DEEP, runGoogleTests } from './google_test.mjs';

const PROGRAMS = /^interleavings$/;

/**
 * The engine's threads under a sample of random schedules, and broken copies, which these find.
 * @param {import('../progress.mjs').Progress} progress
 */
export function runSomeInterleavings(progress) {
  return runGoogleTests(progress, 'interleavings', 'threads under random schedules', { programs: PROGRAMS });
}

/**
 * Ten thousand of them.
 * @type {import('./stage.mjs').Stage}
 */
export const interleavings = {
  name: 'interleavings',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS],
  needs: ['interleavingTests'],
  deep: true,
  platform: 'linux-x64',
  run: (progress) =>
    runGoogleTests(progress, 'interleavings', 'threads under ten thousand random schedules', {
      filter: DEEP,
      programs: PROGRAMS,
    }),
};
