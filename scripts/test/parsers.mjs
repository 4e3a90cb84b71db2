import { FOR_BUILDING, FOR_NATIVE_TESTS, FOR_SANITIZERS } from '../setup/debian_packages.mjs';
import { runGoogleTests } from './preset_tests.mjs';
import { UNDER_SANITIZERS } from './sanitized.mjs';

/**
 * What reads model files, which come from outside, with every access checked: of the stage `sanitized` the part that is quick to compile.
 * @type {import('./stage.mjs').Stage}
 */
export const parsers = {
  name: 'parsers',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_SANITIZERS],
  needs: ['sanitizedParser'],
  beside: true,
  run: (progress) =>
    runGoogleTests(progress, 'asan', 'the reader of model files under sanitizers', {
      env: UNDER_SANITIZERS,
      programs: /^gguf$/,
      spread: true,
    }),
};
