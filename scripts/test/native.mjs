import { FOR_BUILDING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { runGoogleTests } from './google_test.mjs';

/** @type {import('./stage.mjs').Stage} */
export const native = {
  name: 'native',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS],
  needs: ['nativeTests'],
  alone: true,
  run: (progress) => runGoogleTests(progress, 'release', 'native tests'),
};
