import { RELEASE, vscodeTarget } from '../paths.mjs';
import { FOR_BUILDING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { findWideCode } from '../wide_code.mjs';
import { check } from './checks.mjs';
import { sum } from './counts.mjs';
import { runGoogleTests } from './google_test.mjs';
import { findMarkedPoints } from '../marked_points.mjs';

/** @type {import('./stage.mjs').Stage} */
export const native = {
  name: 'native',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS],
  needs: ['nativeTests'],
  run: async (progress) => {
    const counts = await runGoogleTests(progress, 'release', 'native tests');
    if (vscodeTarget() !== 'linux-x64') return counts;
    return sum([counts, await wideCode(progress), await markedPoints(progress)]);
  },
};

/**
 * Wide instructions that the linker may take for an older processor's: what the emulated ones of the deep run would end at.
 * @param {import('../progress.mjs').Progress} progress
 * @returns {Promise<import('./counts.mjs').Counts>}
 */
async function wideCode(progress) {
  const { passed, failed } = await progress.step('look for wide code that may leak', (log) =>
    findWideCode(RELEASE, 'nm', log),
  );
  const failures = failed > 0 ? [`native: ${failed} wide objects with code that may leak`] : [];
  return { passed, failed, skipped: 0, failures };
}

/**
 * Points where a test decides who goes on: nothing of them is in what is shipped.
 * @param {import('../progress.mjs').Progress} progress
 */
function markedPoints(progress) {
  return check(progress, 'look for marked points in the release build', findMarkedPoints);
}
