import { oneFailed, onePassed, sum } from '../counts.mjs';
import { Failure } from '../failure.mjs';

/** @typedef {import('../counts.mjs').Counts} Counts */

/**
 * Runs one check that succeeds or fails as a whole, as a step, and counts it as one test.
 * @param {import('../progress.mjs').Progress} progress
 * @param {string} name
 * @param {(log: string) => Promise<void>} work
 */
export function check(progress, name, work) {
  return counted(name, () => progress.step(name, work));
}

/**
 * Counts work that succeeds or fails as a whole as one test.
 * @param {string} name
 * @param {() => Promise<void>} work
 * @returns {Promise<Counts>}
 */
export async function counted(name, work) {
  try {
    await work();
    return onePassed();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return oneFailed(`${name}: ${error.message}`);
  }
}

/**
 * Runs checks, or stages, one after the other.
 * @param {readonly (() => Promise<Counts>)[]} works
 */
export async function inTurn(works) {
  const parts = [];
  for (const work of works) parts.push(await work());
  return sum(parts);
}
