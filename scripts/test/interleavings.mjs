import { sum } from '../counts.mjs';
import { FOR_BUILDING, FOR_NATIVE_TESTS, FOR_SANITIZERS } from '../setup/debian_packages.mjs';
import { findMarkedPoints } from '../marked_points.mjs';
import { check } from './checks.mjs';
import { runGoogleTests } from './preset_tests.mjs';

/**
 * The engine's threads under ten thousand random schedules, and broken copies of its files, which these find; nothing of the points at which a test
 * decides who goes on is in what is shipped. Not a sample of it in `npm test`: to compile
 * the whole engine once more, with the marked points, takes minutes.
 * @type {import('./stage.mjs').Stage}
 */
export const interleavings = {
  name: 'interleavings',
  // Its compiler is that of the sanitizers.
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_SANITIZERS],
  needs: ['interleavingTests', 'nativeTests'],
  deep: true,
  platform: 'linux-x64',
  run: async (progress) =>
    sum([
      await runGoogleTests(progress, 'interleavings', 'threads under ten thousand random schedules', {
        filter: '*',
        programs: /^interleavings$/,
      }),
      await check(progress, 'look for marked points in the release build', findMarkedPoints),
    ]),
};
