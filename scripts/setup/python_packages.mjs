import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLS } from '../paths.mjs';
import { run } from '../processes.mjs';

/** @typedef {{ python: string, locked: string, log: string, failure: string }} Pip what pip is called with */

/**
 * Python packages in a folder below .cache/tools that is named after their locked versions, made once.
 * @param {import('../progress.mjs').Progress} progress
 * @param {object} wanted
 * @param {string} wanted.name what the folder's name begins with
 * @param {string} wanted.locked path of the requirements, with their hashes
 * @param {string} wanted.what is installed, as a person would call it
 * @param {string} wanted.needs what pip needs besides a package index, for the sentence that says why it failed
 * @param {(pip: Pip, folder: string) => Promise<void>} [fill] puts what is wanted into the folder; default: installs it
 * @returns {Promise<string>} the folder
 */
export async function ensurePythonPackages(progress, { name, locked, what, needs }, fill = install) {
  const version = createHash('sha256').update(readFileSync(locked)).digest('hex').slice(0, 12);
  const folder = join(TOOLS, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  await progress.step(`install ${what}`, async (log) => {
    mkdirSync(TOOLS, { recursive: true });
    const staging = mkdtempSync(join(TOOLS, 'staging-'));
    try {
      const failure = `${what} could not be installed: pip failed; it needs ${needs} and a package index.`;
      await run(PYTHON, ['-m', 'venv', staging], { log, failure });
      await fill({ python: pythonIn(staging), locked, log, failure }, staging);
      // The folder appears complete or not at all.
      renameSync(staging, folder);
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  });
  const ofOtherVersion = new RegExp(`^${name}-[0-9a-f]{12}$`);
  for (const other of readdirSync(TOOLS)) {
    if (ofOtherVersion.test(other) && other !== `${name}-${version}`)
      rmSync(join(TOOLS, other), { recursive: true, force: true });
  }
  return folder;
}

const ON_WINDOWS = process.platform === 'win32';
const PYTHON = ON_WINDOWS ? 'python' : 'python3';

/** @param {string} folder of `ensurePythonPackages` */
export function pythonIn(folder) {
  return ON_WINDOWS ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
}

/** Of every call of pip: nothing is asked, nothing but the locked files is taken. */
export const PIP = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];

/** @param {Pip} pip */
async function install({ python, locked, log, failure }) {
  await run(python, [...PIP, 'install', '--require-hashes', '--requirement', locked], { log, failure });
}
