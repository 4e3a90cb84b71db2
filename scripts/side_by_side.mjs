import { availableParallelism } from 'node:os';

/**
 * Does `work` on every part, on `most` at a time. Results are in the order of the parts, which begin in it, too; where one rejects, this does.
 * @template Part, Result
 * @param {readonly Part[]} parts
 * @param {(part: Part) => Promise<Result>} work
 * @param {number} [most] default: as many as the machine has processors
 * @returns {Promise<Result[]>}
 */
export async function sideBySide(parts, work, most = availableParallelism()) {
  /** @type {Result[]} */
  const results = [];
  const left = parts.entries();
  const worker = async () => {
    for (const [index, part] of left) results[index] = await work(part);
  };
  await Promise.all(Array.from({ length: most }, worker));
  return results;
}
