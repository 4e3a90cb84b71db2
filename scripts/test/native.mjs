import { sum, summary } from '../counts.mjs';
import { RELEASE, vscodeTarget } from '../paths.mjs';
import { FOR_BUILDING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { findWideCode } from '../wide_code.mjs';
import { runGoogleTests } from './preset_tests.mjs';

/** @type {import('./stage.mjs').Stage} */
export const native = {
  name: 'native',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS],
  needs: ['nativeTests'],
  run: async (progress) => {
    const counts = await runGoogleTests(progress, 'release', 'native tests');
    if (vscodeTarget() !== 'linux-x64') return counts;
    // Wide instructions that the linker may take for an older processor's: what the emulated ones of the deep run would end at.
    const wide = await progress.step(
      'look for wide code that may leak',
      (log) => findWideCode(RELEASE, 'nm', log),
      summary,
    );
    return sum([counts, wide]);
  },
};
