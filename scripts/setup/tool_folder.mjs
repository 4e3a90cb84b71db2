import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { TOOLS } from '../paths.mjs';

/** Nothing is made for so long, ms: what is older was left by a process that was killed. */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Does work in a folder of its own, which is removed behind it. What is made there is moved to its place when it is whole, so that it appears
 * complete or not at all.
 * @template T
 * @param {string} parent where it is made, for a move to be one within a file system
 * @param {(staging: string) => Promise<T>} work may move the folder itself
 * @returns {Promise<T>}
 */
export async function inStaging(parent, work) {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent).filter((one) => one.startsWith('staging-'))) {
    const left = join(parent, name);
    const made = statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
    if (Date.now() - made > ABANDONED_MS) rmSync(left, { recursive: true, force: true });
  }
  const staging = mkdtempSync(join(parent, 'staging-'));
  try {
    return await work(staging);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * A folder below .cache/tools that is named after locked versions, made once; those of other versions are removed.
 * @param {import('../progress.mjs').Progress} progress
 * @param {object} wanted
 * @param {string} wanted.name what the folder's name begins with
 * @param {string} wanted.locked path of the file that says which versions
 * @param {string} wanted.what is installed, as a person would call it
 * @param {(staging: string, log: string) => Promise<void>} fill installs it into a folder
 * @returns {Promise<string>} the folder
 */
export async function ensureToolFolder(progress, { name, locked, what }, fill) {
  const version = createHash('sha256').update(readFileSync(locked)).digest('hex').slice(0, 12);
  const folder = join(TOOLS, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  await progress.step(`install ${what}`, (log) =>
    inStaging(TOOLS, async (staging) => {
      await fill(staging, log);
      renameSync(staging, folder);
    }),
  );
  const ofAnyVersion = new RegExp(`^${name}-[0-9a-f]{12}$`);
  for (const other of readdirSync(TOOLS)) {
    if (ofAnyVersion.test(other) && other !== `${name}-${version}`)
      rmSync(join(TOOLS, other), { recursive: true, force: true });
  }
  return folder;
}
