/** Two engines whose times are compared must compute the same: their logits after the same prompt agree. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../cli/failure';
import { LOGITS } from './build_folder';
import { requestLine } from './line_protocol';
import { correlation, largest } from './statistics';
import type { Worker } from './worker';

/**
 * Least correlation of the two engines' logits. Both quantise activations to 8 bits, at different places and with different
 * roundings, which moves a logit by some hundredths of the spread of them all; a wrong kernel, position or tokenization
 * leaves next to no correlation.
 */
const LEAST_CORRELATION = 0.99;
/**
 * What both read. Not what is timed, random words: a model that was taught code alone is at such a loss there that the two roundings lead it to different ends (0.69 measured, 0.9997
 * behind code). Longer than the engine's slices of a prefill.
 */
export const AGREED_TEXT =
  '# Reads the table of a file, and gives the rows of which the last column is not empty, in the order of their first one. ' +
  'def rows_of(path, separator=","): rows = [] ; with open(path, encoding="utf-8") as file: for line in file: ' +
  'cells = [cell.strip() for cell in line.split(separator)] ; if len(cells) > 1 and cells[-1] != "": rows.append(cells) ; ' +
  'return sorted(rows, key=lambda cells: cells[0]) # The header, which is the first line, is a row like all others.';
/** Of the two engines' most likely tokens, this many must be in both lists. */
const TOP = 5;
const LEAST_SHARED = 3;

/** Asks both for the logits after the prompt they were given. Throws Failure when these do not agree. */
export async function checkAgreement(ours: Worker, peer: Worker, row: string): Promise<void> {
  const own = await logitsOf(ours, 'ours');
  const other = await logitsOf(peer, 'peer');
  const problem = disagreement(own, other);
  if (problem === undefined) return;
  throw new Failure({ code: 'RESULTS_DIFFER', message: `${row} is not timed: ${problem}.` });
}

/** What is wrong, or nothing. */
export function disagreement(ours: Float32Array, peer: Float32Array): string | undefined {
  if (ours.length !== peer.length) {
    return `the vocabulary has ${ours.length} tokens here and ${peer.length} there`;
  }
  const similarity = correlation(ours, peer);
  if (!(similarity >= LEAST_CORRELATION)) {
    return `the logits correlate with the other's by ${similarity.toFixed(4)}, which is below ${LEAST_CORRELATION}`;
  }
  const likeliest = new Set(largest(peer, TOP));
  const shared = largest(ours, TOP).filter((token) => likeliest.has(token)).length;
  if (shared >= LEAST_SHARED) return undefined;
  return `of the ${TOP} likeliest tokens only ${shared} are the other's as well`;
}

/** The logits behind the prompt that a worker was given. Throws Failure. */
export async function logitsOf(worker: Worker, who: string): Promise<Float32Array> {
  mkdirSync(LOGITS, { recursive: true });
  const path = join(LOGITS, `${who}.f32`);
  await worker.ask(requestLine('logits', path));
  const bytes = readFileSync(path);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
}
