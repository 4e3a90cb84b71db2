import { LOGS } from './paths.mjs';

/**
 * How a stage went. `failures` names each failed test.
 * @typedef {{ passed: number, failed: number, skipped: number, failures: string[] }} Counts
 */

/** @typedef {Counts & { name: string }} Row a part of a stage, such as a program on a processor */

/** @returns {Counts} */
export function noCounts() {
  return { passed: 0, failed: 0, skipped: 0, failures: [] };
}

/** @param {string} name @returns {Counts} */
export function oneFailed(name) {
  return { passed: 0, failed: 1, skipped: 0, failures: [name] };
}

/** @returns {Counts} */
export function onePassed() {
  return { passed: 1, failed: 0, skipped: 0, failures: [] };
}

/**
 * @param {readonly Counts[]} parts
 * @returns {Counts}
 */
export function sum(parts) {
  return parts.reduce(
    (total, part) => ({
      passed: total.passed + part.passed,
      failed: total.failed + part.failed,
      skipped: total.skipped + part.skipped,
      failures: [...total.failures, ...part.failures],
    }),
    noCounts(),
  );
}

/**
 * The line every run of tests ends with.
 * @param {Counts} counts
 */
export function summary({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/**
 * Names the tests that passed only when they ran again: nothing failed, but somebody should look.
 * @param {import('./progress.mjs').Progress} progress
 * @param {readonly string[]} names
 */
export function sayRetried(progress, names) {
  for (const name of names) progress.say(`  passed at the second try: ${name}`);
}

/**
 * Prints a line a row, and what failed.
 * @param {string} title
 * @param {readonly Row[]} rows
 * @returns {number} the status to end with
 */
export function tellRows(title, rows) {
  for (const row of rows) console.log(`${title} ${row.name}: ${summary(row)}`);
  const { failures } = sum(rows);
  for (const failure of failures) console.log(failure);
  if (failures.length > 0) console.log(`What was printed is in ${LOGS}.`);
  return failures.length > 0 ? 1 : 0;
}
