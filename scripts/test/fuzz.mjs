import { sum } from '../counts.mjs';
import { fuzz, TARGETS } from '../fuzz.mjs';
import { FOR_BUILDING, FOR_FUZZING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { sideBySide } from '../side_by_side.mjs';
import { counted } from './checks.mjs';

/** Of each target, behind its corpora. */
const SECONDS = 15;

/**
 * Readers of bytes that came from outside: the corpora, and what a fuzzer makes of them.
 * @type {import('./stage.mjs').Stage}
 */
export const fuzzing = {
  name: 'fuzz',
  requirements: [...FOR_BUILDING, ...FOR_NATIVE_TESTS, ...FOR_FUZZING],
  needs: ['fuzzers'],
  deep: true,
  platform: 'linux-x64',
  run: async (progress) =>
    sum(
      // A fuzzer runs on one processor.
      await sideBySide(TARGETS, (target) => counted(`fuzz ${target}`, () => fuzz(progress, target, SECONDS))),
    ),
};
