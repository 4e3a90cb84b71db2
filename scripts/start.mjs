/**
 * `npm start`: from a fresh clone to an editor with the packaged extension installed, on a copy of the sample workspace.
 * Options: `--editor desktop|code-server`, `--port N` (of code-server; default: a free one), `--folder F` (instead of the samples).
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildAddon, buildBundles } from './build.mjs';
import { installExtension, startCodeServer, workbenchUrl } from './editor/code_server.mjs';
import { desktopCode, installInDesktop, openDesktop } from './editor/desktop.mjs';
import { createProfile } from './editor/profile.mjs';
import { Failure } from './failure.mjs';
import { packageExtension } from './package.mjs';
import { LOGS, SAMPLES } from './paths.mjs';
import { runCommand } from './processes.mjs';
import { Progress } from './progress.mjs';
import { ensureCodeServer } from './setup/code_server.mjs';
import { ensureNodePackages, requireNode } from './setup/node_packages.mjs';
import { ensureToolchain } from './setup/toolchain.mjs';

const progress = new Progress();
let open = false;

/** @param {string} folder copied, so that trying things out changes nothing in the clone */
function throwAwayProfile(folder) {
  const profile = createProfile(folder);
  process.once('exit', profile.remove);
  return profile;
}

/** @returns {Promise<string>} the path of the package */
async function buildPackage() {
  await buildAddon(progress);
  await buildBundles(progress);
  return await packageExtension(progress);
}

/** @param {string} code @param {string} folder @returns {Promise<number>} */
async function startDesktop(code, folder) {
  const vsix = await buildPackage();
  const profile = throwAwayProfile(folder);
  await progress.step('install the extension', (log) => installInDesktop(code, profile, vsix, log));
  console.log('\nVS Code opens with Emberline installed. Close its window, or press Ctrl-C here, to end.');
  open = true;
  await openDesktop(code, profile);
  return 0;
}

/** @param {number} port @param {string} folder @returns {Promise<number>} */
async function startInBrowser(port, folder) {
  // One waits for the network, the other for the compiler.
  const [codeServer, vsix] = await Promise.all([ensureCodeServer(progress), buildPackage()]);
  const profile = throwAwayProfile(folder);
  await progress.step('install the extension', (log) => installExtension(codeServer, profile, vsix, log));
  const server = await progress.step('start code-server', () =>
    startCodeServer(codeServer, profile, { port, log: join(LOGS, 'code-server.log') }),
  );
  console.log(`\nEmberline is installed in the editor at\n\n  ${workbenchUrl(server, profile.workspace)}\n`);
  console.log('Open a file and type. Ctrl-C here ends it and removes its workspace.');
  open = true;
  await server.ended;
  throw new Failure('code-server ended by itself; build/logs/code-server.log has its last words.');
}

/** @returns {Promise<number>} */
async function main() {
  const { values } = parseArgs({
    options: { editor: { type: 'string' }, port: { type: 'string' }, folder: { type: 'string' } },
  });
  const port = Number(values.port ?? 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Failure('--port takes a number up to 65535.');
  if (!['desktop', 'code-server', undefined].includes(values.editor)) {
    throw new Failure('--editor takes `desktop` or `code-server`.');
  }
  requireNode();
  const code = values.editor === 'code-server' ? undefined : desktopCode();
  if (values.editor === 'desktop' && code === undefined) {
    throw new Failure("VS Code's `code` command is not on the PATH, or there is no display for its window.");
  }
  await ensureToolchain(progress);
  await ensureNodePackages(progress);
  const folder = resolve(values.folder ?? SAMPLES);
  return code === undefined ? await startInBrowser(port, folder) : await startDesktop(code, folder);
}

await runCommand(main, () => (open ? 0 : 130));
