/** Waits for the copy of a model's packed weights that a first load leaves behind it. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../cli/failure';

const POLL_MS = 20;

/** The copies of a folder as they are now; none where there is no folder. One that is written anew under its name is another. */
export function copiesIn(folder: string): ReadonlySet<string> {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return new Set();
  }
  return new Set(
    names
      .filter((name) => name.endsWith('.packed'))
      .map((name) => `${name} ${statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs}`),
  );
}

/**
 * Settles when there is one that is not among `known`. Throws Failure, NO_PACKED_COPY, where there is none by then.
 * @param limitMs The longest that it takes to reach the disk.
 */
export async function waitForCopy(
  folder: string,
  known: ReadonlySet<string>,
  limitMs: number,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while ([...copiesIn(folder)].every((copy) => known.has(copy))) {
    if (performance.now() >= deadline) throw noCopy(folder);
    await delay(POLL_MS);
  }
}

export function noCopy(folder: string): Failure {
  return new Failure({
    code: 'NO_PACKED_COPY',
    message: `No packed copy of the weights is left in ${folder}, as an editor has one; make room there for twice the model.`,
  });
}
