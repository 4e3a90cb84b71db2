import { join } from 'node:path';
import { run } from '../processes.mjs';
import { ensureToolFolder } from './tool_folder.mjs';

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
  const failure = `${what} could not be installed: pip failed; it needs ${needs} and a package index.`;
  return await ensureToolFolder(progress, { name, locked, what }, async (staging, log) => {
    await run(PYTHON, ['-m', 'venv', staging], { log, failure });
    await fill({ python: pythonIn(staging), locked, log, failure }, staging);
  });
}

const ON_WINDOWS = process.platform === 'win32';
/** The machine's own, version 3. */
export const PYTHON = ON_WINDOWS ? 'python' : 'python3';

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
