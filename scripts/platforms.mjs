/** The platforms that there is a package for, and the addon for those that this machine is not. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { addonHeaders } from './addon_headers.mjs';
import { ADDON, BUILD, ROOT } from './paths.mjs';
import { run } from './processes.mjs';
import { publishedManifest, publishedRepository } from './published_manifest.mjs';
import { ensureZig } from './setup/zig.mjs';

/** As VS Code's marketplace names them. */
export const TARGETS = /** @type {const} */ ([
  'linux-x64',
  'linux-arm64',
  'alpine-x64',
  'alpine-arm64',
  'win32-x64',
  'win32-arm64',
  'darwin-arm64',
  'darwin-x64',
]);

/** @typedef {(typeof TARGETS)[number]} Target */

/** @param {string} target @returns {string} where what is made for it lies */
export function folderOf(target) {
  return join(BUILD, 'platforms', target);
}

/**
 * Builds the addon for any platform with Zig's compiler (cmake/zig.cmake), which keeps what it compiled in build/zig-cache.
 * @param {import('./progress.mjs').Progress} progress
 * @param {Target} target
 * @returns {Promise<string>} the path of the addon
 */
export async function buildAddonFor(progress, target) {
  const zig = await ensureZig(progress);
  const folder = join(folderOf(target), 'addon');
  const definitions = {
    CMAKE_BUILD_TYPE: 'Release',
    CMAKE_TOOLCHAIN_FILE: join(ROOT, 'cmake', 'zig.cmake'),
    EMBERLINE_ZIG: zig,
    EMBERLINE_TARGET: target,
    ...addonHeaders(),
  };
  const cache = join(BUILD, 'zig-cache');
  await progress.step(
    `build the addon for ${target}`,
    async (log) => {
      const options = {
        log,
        env: { ...process.env, ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache },
        failure: `The addon could not be built for ${target}: CMake or Zig's compiler failed.`,
      };
      const given = Object.entries(definitions).map(([name, value]) => `-D${name}=${value}`);
      // Zig caches by itself, and is no compiler that ccache knows.
      const configure = ['-S', ROOT, '-B', folder, '-G', 'Ninja', '-DCMAKE_CXX_COMPILER_LAUNCHER=', ...given];
      await run('cmake', configure, options);
      const parallel = ['--parallel', String(availableParallelism())];
      await run('cmake', ['--build', folder, '--target', 'emberline_addon', ...parallel], options);
    },
    () => (target.startsWith('darwin-') ? 'done, without the Metal device: that needs a Mac' : ''),
  );
  return join(folder, 'native', 'addon', 'emberline.node');
}

/**
 * What a package for `target` is made from, in a folder of its own: the files that .vscodeignore names, with the addon for it
 * in the place of this machine's.
 * @param {string} target as VS Code's marketplace names it
 * @param {string} addon
 * @param {string} [kernels] compiled for the GPU, where there are any
 * @returns {string} the folder
 */
export function stagePackage(target, addon, kernels) {
  const folder = join(folderOf(target), 'package');
  rmSync(folder, { recursive: true, force: true });
  for (const name of ['.vscodeignore', ...sharedFiles()]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    copyFileSync(join(ROOT, name), join(folder, name));
  }
  const place = join(folder, ADDON.slice(ROOT.length + 1));
  mkdirSync(dirname(place), { recursive: true });
  copyFileSync(addon, place);
  if (kernels !== undefined) copyFileSync(kernels, join(dirname(place), basename(kernels)));
  const repository = publishedRepository();
  if (repository !== undefined) {
    const manifest = join(folder, 'package.json');
    writeFileSync(manifest, publishedManifest(readFileSync(manifest, 'utf8'), repository));
  }
  return folder;
}

/** @returns {string[]} what every package holds, from the repository's root */
function sharedFiles() {
  const lines = readFileSync(join(ROOT, '.vscodeignore'), 'utf8').split('\n');
  const patterns = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  return patterns
    .filter((pattern) => !pattern.startsWith('dist/native/'))
    .flatMap((pattern) => {
      const folder = dirname(pattern);
      // A star is the only wildcard there.
      const source = pattern
        .split('*')
        .map((part) => part.replaceAll('.', '\\.'))
        .join('[^/]*');
      const wanted = new RegExp(`^${source}$`);
      // What is not there is missing from the package, which says so.
      if (!existsSync(join(ROOT, folder))) return [];
      return readdirSync(join(ROOT, folder), { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => (folder === '.' ? name : `${folder}/${name}`))
        .filter((name) => wanted.test(name));
    });
}
