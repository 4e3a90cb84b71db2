import { join } from 'node:path';
import { ROOT } from '../paths.mjs';
import { ensurePythonPackages, pythonIn } from './python_packages.mjs';

/**
 * Installs what training/ needs. PyTorch comes with the libraries of its GPUs, 5 GB in all, and does not start without them.
 * @param {import('../progress.mjs').Progress} progress
 * @returns {Promise<string>} the Python that has them
 */
export async function ensureTrainingPython(progress) {
  const folder = await ensurePythonPackages(progress, {
    name: 'training',
    locked: join(ROOT, 'training', 'requirements.txt'),
    what: 'PyTorch and what else training/ needs',
    needs: 'Python 3.11 or newer',
  });
  return pythonIn(folder);
}
