import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, TOOLS } from '../paths.mjs';
import { run } from '../processes.mjs';

const LOCKED = join(ROOT, 'training', 'requirements.txt');

/**
 * Installs what training/ needs into a folder named after the locked versions, once. PyTorch comes with the libraries of its
 * GPUs, 5 GB in all, and does not start without them.
 * @param {import('../progress.mjs').Progress} progress
 * @returns {Promise<string>} the Python that has them
 */
export async function ensureTrainingPython(progress) {
  const name = `training-${createHash('sha256').update(readFileSync(LOCKED)).digest('hex').slice(0, 12)}`;
  const folder = join(TOOLS, name);
  if (!existsSync(folder)) {
    await progress.step('install PyTorch and what else training/ needs', (log) => install(folder, log));
    for (const other of readdirSync(TOOLS)) {
      if (other.startsWith('training-') && other !== name) {
        rmSync(join(TOOLS, other), { recursive: true, force: true });
      }
    }
  }
  return join(folder, 'bin', 'python');
}

/**
 * @param {string} folder
 * @param {string} log
 */
async function install(folder, log) {
  mkdirSync(TOOLS, { recursive: true });
  const staging = mkdtempSync(join(TOOLS, 'staging-'));
  try {
    const failure =
      'The Python packages of training/ could not be installed: pip failed; it needs Python 3.11 or newer and a package index.';
    await run('python3', ['-m', 'venv', staging], { log, failure });
    const python = join(staging, 'bin', 'python');
    const quiet = ['--quiet', '--disable-pip-version-check', '--require-hashes'];
    await run(python, ['-m', 'pip', 'install', ...quiet, '--requirement', LOCKED], { log, failure });
    // The folder appears complete or not at all.
    renameSync(staging, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
