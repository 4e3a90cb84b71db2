import { FOR_BUILDING, FOR_METAL, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { runGoogleTests } from './google_test.mjs';

/**
 * The Metal kernels and device as they are shipped, on a simulated GPU.
 * @type {import('./stage.mjs').Stage}
 */
export const metal = {
  name: 'metal',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_METAL],
  needs: ['metalTests'],
  alone: true,
  platform: 'linux-x64',
  run: (progress) => runGoogleTests(progress, 'metal-sim', 'Metal on a simulated GPU'),
};
