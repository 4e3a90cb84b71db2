import { dirname } from 'node:path';
import { sum } from '../counts.mjs';
import { SIMULATED_ADDON } from '../paths.mjs';
import { FOR_BROWSER_TESTS, FOR_BUILDING, FOR_METAL, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { runInExtensionHost } from './extension_host.mjs';
import { runGoogleTests } from './preset_tests.mjs';
import { runVitest } from './vitest.mjs';

/**
 * The Metal kernels and device as they are shipped, on a simulated GPU: alone, and inside an addon.
 * @type {import('./stage.mjs').Stage}
 */
export const metal = {
  name: 'metal',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_METAL],
  needs: ['metalTests'],
  beside: true,
  platform: 'linux-x64',
  run: async (progress) =>
    sum([
      // The simulator runs on one processor.
      await runGoogleTests(progress, 'metal-sim', 'Metal on a simulated GPU', {
        // Those of a Mac's own GPU are the same tests once more (proofs.mjs).
        programs: /^metal_(?!gpu)/,
        spread: true,
      }),
      await runVitest(progress, 'metal', 'the addon with a simulated GPU'),
    ]),
};

/**
 * The extension with an addon that has a simulated GPU. `metal` tries that addon without an editor.
 * @type {import('./stage.mjs').Stage}
 */
export const metalEditor = {
  name: 'metal-editor',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_METAL, ...FOR_BROWSER_TESTS],
  needs: ['metalTests', 'codeServer', 'vsix'],
  deep: true,
  platform: 'linux-x64',
  run: (progress) =>
    runInExtensionHost(progress, 'a simulated GPU in the extension host', {
      suite: 'simulated_gpu',
      // The embedded model, which is there first, would take long on a simulated GPU.
      settings: { 'emberline.device': 'cpu' },
      nativeFiles: dirname(SIMULATED_ADDON),
    }),
};
