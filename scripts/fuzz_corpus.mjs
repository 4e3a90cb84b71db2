/**
 * Corpora that the repository keeps (test/fuzz/corpus): what long runs of the fuzzers found, distilled to a few inputs that reach as
 * much. Text, one input a line: a JSON string in ASCII whose characters are the bytes.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

export const KEPT = join(ROOT, 'test', 'fuzz', 'corpus');

/**
 * @param {string} target of which there may be none
 * @returns {Buffer[]}
 */
export function keptCorpus(target) {
  const file = join(KEPT, `${target}.txt`);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => Buffer.from(JSON.parse(line), 'latin1'));
}

/**
 * The same for the same inputs, whatever their order.
 * @param {string} target
 * @param {readonly Buffer[]} inputs
 */
export function keepCorpus(target, inputs) {
  const sorted = [...inputs].sort((a, b) => a.length - b.length || Buffer.compare(a, b));
  writeFileSync(join(KEPT, `${target}.txt`), sorted.map((input) => `${lineOf(input)}\n`).join(''));
}

/**
 * How libFuzzer names the file of an input.
 * @param {Buffer} input
 */
export function nameOf(input) {
  return createHash('sha1').update(input).digest('hex');
}

/** @param {Buffer} input */
function lineOf(input) {
  const escaped = (/** @type {string} */ c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(input.toString('latin1')).replace(/[^ -~]/g, escaped);
}
