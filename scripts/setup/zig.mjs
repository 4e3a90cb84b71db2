import { existsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Failure } from '../failure.mjs';
import { ROOT } from '../paths.mjs';
import { ensurePythonPackages, pythonIn } from './python_packages.mjs';

/**
 * Installs Zig's compiler, 410 MB, once.
 * @param {import('../progress.mjs').Progress} progress
 * @returns {Promise<string>} the path of the program
 */
export async function ensureZig(progress) {
  const folder = await ensurePythonPackages(progress, {
    name: 'zig',
    locked: join(ROOT, 'scripts', 'setup', 'platforms', 'zig.txt'),
    what: "Zig's compiler",
    needs: 'Python 3 with venv',
  });
  const where = 'import os, ziglang; print(os.path.dirname(ziglang.__file__))';
  const { stdout } = spawnSync(pythonIn(folder), ['-c', where], { encoding: 'utf8' });
  const zig = join(stdout.trim(), process.platform === 'win32' ? 'zig.exe' : 'zig');
  if (!existsSync(zig)) throw new Failure(`${folder} has no Zig; remove it, then try again.`);
  return zig;
}
