import { FOR_BUILDING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { runGoogleTests } from './google_test.mjs';

/**
 * The engine's threads under ten thousand random schedules, and broken copies of its files, which these find. Not a sample of it in `npm test`: to compile
 * the whole engine once more, with the marked points, takes minutes.
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
      filter: '*',
      programs: /^interleavings$/,
    }),
};
