import { RELEASE, vscodeTarget } from '../paths.mjs';
import { FOR_BUILDING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { findWideCode } from '../wide_code.mjs';
import { sum } from './counts.mjs';
import { runGoogleTests } from './google_test.mjs';

/** @type {import('./stage.mjs').Stage} */
export const native = {
  name: 'native',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS],
  needs: ['nativeTests'],
  run: async (progress) => {
    const counts = await runGoogleTests(progress, 'release', 'native tests');
    if (vscodeTarget() !== 'linux-x64') return counts;
    return sum([counts, await wideCode(progress)]);
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
