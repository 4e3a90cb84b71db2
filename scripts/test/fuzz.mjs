import { fuzz, TARGETS } from '../fuzz.mjs';
import { FOR_BUILDING, FOR_FUZZING } from '../setup/debian_packages.mjs';
import { Failure, Interrupted } from '../failure.mjs';
import { inTurn } from './checks.mjs';
import { oneFailed, onePassed } from './counts.mjs';

/** Of each target, behind its corpora. */
const SECONDS = 15;

/**
 * Readers of bytes that came from outside: the corpora, and what a fuzzer makes of them.
 * @type {import('./stage.mjs').Stage}
 */
export const fuzzing = {
  name: 'fuzz',
  requirements: [...FOR_BUILDING, ...FOR_FUZZING],
  needs: ['fuzzers'],
  alone: true,
  deep: true,
  platform: 'linux-x64',
  run: (progress) => inTurn(TARGETS.map((target) => () => fuzzed(progress, target))),
};

/**
 * @param {import('../progress.mjs').Progress} progress
 * @param {string} target
 * @returns {Promise<import('./counts.mjs').Counts>}
 */
async function fuzzed(progress, target) {
  try {
    await fuzz(progress, target, SECONDS);
    return onePassed();
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof Interrupted) throw error;
    return oneFailed(`fuzz ${target}: ${error.message}`);
  }
}
