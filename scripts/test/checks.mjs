import { Failure, Interrupted } from '../failure.mjs';
import { oneFailed, onePassed, sum } from './counts.mjs';

/** @typedef {import('./counts.mjs').Counts} Counts */

/**
 * Runs one check that succeeds or fails as a whole, and counts it as one test.
 * @param {import('../progress.mjs').Progress} progress
 * @param {string} name
 * @param {(log: string) => Promise<void>} work
 * @returns {Promise<Counts>}
 */
export async function check(progress, name, work) {
  try {
    await progress.step(name, work);
    return onePassed();
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof Interrupted) throw error;
    return oneFailed(`${name}: ${error.message}`);
  }
}

/**
 * Runs checks one after the other.
 * @param {readonly (() => Promise<Counts>)[]} works
 */
export async function inTurn(works) {
  const parts = [];
  for (const work of works) parts.push(await work());
  return sum(parts);
}
