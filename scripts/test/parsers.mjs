import { FOR_BUILDING, FOR_NATIVE_TESTS, FOR_SANITIZERS } from '../setup/debian_packages.mjs';
import { EVERYDAY, runGoogleTests } from './google_test.mjs';
import { UNDER_SANITIZERS } from './sanitized.mjs';

/** Texts of a MiB by the hundred, which take a sanitizer over a minute; the stage `sanitized` has them. */
const LONG = '*LinearTime';

/**
 * What reads bytes that came from outside, with every access checked: of the stage `sanitized` the part that is quick to compile.
 * @type {import('./stage.mjs').Stage}
 */
export const parsers = {
  name: 'parsers',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_SANITIZERS],
  needs: ['sanitizedParsers'],
  beside: true,
  run: (progress) =>
    runGoogleTests(progress, 'asan', 'parsers under sanitizers', {
      env: UNDER_SANITIZERS,
      filter: `${EVERYDAY}:${LONG}`,
      programs: /^(gguf|tokenizer)$/,
      spread: true,
    }),
};
