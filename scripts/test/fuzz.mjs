import { fuzz, TARGETS } from '../fuzz.mjs';
import { FOR_BUILDING, FOR_FUZZING, FOR_NATIVE_TESTS } from '../setup/debian_packages.mjs';
import { counted, inTurn } from './checks.mjs';

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
  run: (progress) =>
    inTurn(TARGETS.map((target) => () => counted(`fuzz ${target}`, () => fuzz(progress, target, SECONDS)))),
};
