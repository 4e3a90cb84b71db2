import { existsSync, readFileSync, rmSync } from 'node:fs';
import { noCounts } from '../counts.mjs';

/**
 * Counts what `test/vscode/runner/mocha_entry.ts` wrote.
 * @param {string} results path of its file
 * @param {string} title
 * @returns {import('../counts.mjs').Counts & { errors: string[], retried: string[] }} `retried`: passed at the second try
 */
export function countMocha(results, title) {
  const outcomes = /** @type {import('../../test/vscode/runner/mocha_entry.ts').TestOutcome[]} */ (
    JSON.parse(readFileSync(results, 'utf8'))
  );
  const errors = /** @type {string[]} */ ([]);
  const retried = /** @type {string[]} */ ([]);
  const counts = { ...noCounts(), errors, retried };
  for (const { name, state, error } of outcomes) {
    counts[state] += 1;
    if (state === 'failed') counts.failures.push(`${title}: ${name}`);
    if (state === 'failed' || error !== undefined) errors.push(`${name}\n${error ?? ''}`);
    if (state === 'passed' && error !== undefined) retried.push(name);
  }
  if (outcomes.length === 0) {
    counts.failed += 1;
    counts.failures.push(`${title}: no test ran`);
  }
  return counts;
}

/** @param {string} results where the tests write what they measured, beside their outcomes */
function figuresFile(results) {
  return results.replace(/\.json$/, '-figures.txt');
}

/**
 * Forgets an earlier run.
 * @param {string} results
 */
export function clearMocha(results) {
  for (const file of [results, figuresFile(results)]) rmSync(file, { force: true });
}

/**
 * @param {string} results
 * @returns {string[]} what the tests measured, a line each
 */
export function mochaFigures(results) {
  const file = figuresFile(results);
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
}
