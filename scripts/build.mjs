/** `npm run build`: the addon and the bundles, in place. Options: `--debug` (an addon to debug, bundles as they are written). */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ADDON, BUILD, KERNEL_LIBRARY, RELEASE } from './paths.mjs';
import { runCommand, run, runTool } from './processes.mjs';
import { Progress } from './progress.mjs';
import { ensureNodePackages, requireNode } from './setup/node_packages.mjs';
import { ensureToolchain } from './setup/toolchain.mjs';

/**
 * Builds the addon with cmake-js, which knows where the Node-API headers are.
 * @param {Progress} progress
 * @param {{ debug?: boolean }} [options]
 */
export async function buildAddon(progress, { debug = false } = {}) {
  await progress.step('build the addon', async (log) => {
    const configuration = debug ? 'Debug' : 'Release';
    // The preset `release` adds the native tests to the same folder, so that the engine is compiled once for both.
    const folder = debug ? join(BUILD, 'addon-debug') : RELEASE;
    const where = ['--out', folder, '--config', configuration];
    const parallel = ['--parallel', String(availableParallelism())];
    const options = { log, failure: 'The addon could not be built: the compiler or CMake failed.' };
    const cmakeJs = 'cmake-js/bin/cmake-js';
    if (lacksAddon(folder)) await runTool(cmakeJs, ['configure', ...where], options);
    await runTool(cmakeJs, ['build', ...where, '--target', 'emberline_addon', ...parallel], options);
    mkdirSync(dirname(ADDON), { recursive: true });
    putInPlace(join(folder, configuration, 'emberline.node'), ADDON);
    // Of macOS, where Apple's compiler for the GPU is installed; without it the addon compiles the kernels when it starts.
    putInPlaceIfBuilt(join(folder, 'metal', basename(KERNEL_LIBRARY)), KERNEL_LIBRARY);
  });
}

/**
 * Whether a build folder was configured without cmake-js, as by a preset alone, and so has no addon: cmake-js itself configures none that
 * has been configured.
 * @param {string} folder
 */
export function lacksAddon(folder) {
  const cache = join(folder, 'CMakeCache.txt');
  return existsSync(cache) && !/^CMAKE_JS_VERSION:/m.test(readFileSync(cache, 'utf8'));
}

/**
 * The same of what need not be there: where nothing was built, nothing is left of an earlier build.
 * @param {string} built
 * @param {string} place
 */
export function putInPlaceIfBuilt(built, place) {
  if (existsSync(built)) putInPlace(built, place);
  else rmSync(place, { force: true });
}

/**
 * Copies what was built to where it is loaded from.
 * @param {string} built
 * @param {string} place
 */
function putInPlace(built, place) {
  // Renamed into place: a process that has the old one mapped keeps it.
  const fresh = `${place}.new`;
  copyFileSync(built, fresh);
  renameSync(fresh, place);
}

/**
 * Bundles the extension, the terminal program and the editor tests.
 * @param {Progress} progress
 * @param {{ debug?: boolean }} [options]
 */
export async function buildBundles(progress, { debug = false } = {}) {
  await progress.step('bundle the TypeScript', (log) =>
    run(process.execPath, ['esbuild.mjs', ...(debug ? ['--debug'] : [])], {
      log,
      failure: 'The TypeScript could not be bundled: esbuild failed.',
    }),
  );
}

/** @returns {Promise<number>} */
async function main() {
  const { values } = parseArgs({ options: { debug: { type: 'boolean', default: false } } });
  const progress = new Progress();
  requireNode();
  await ensureToolchain(progress);
  await ensureNodePackages(progress);
  await buildAddon(progress, values);
  await buildBundles(progress, values);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
