import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.mjs';
import { ROOT } from '../paths.mjs';
import { runNpm } from '../processes.mjs';
import { ensureToolFolder } from './tool_folder.mjs';

/**
 * code-server as installed: the Node.js that runs it and its entry script.
 * @typedef {{ node: string, entry: string }} CodeServer
 */

const PINNED = join(ROOT, 'scripts', 'setup', 'code_server');
/** The Node.js that code-server's own package.json asks for. */
const NODE_MAJOR = '24';

/** @param {string} folder @returns {CodeServer} */
function codeServerIn(folder) {
  const carried = join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  const node = existsSync(carried) ? carried : process.execPath;
  if (node === process.execPath && process.versions.node.split('.')[0] !== NODE_MAJOR) {
    throw new Failure(
      `On ${process.platform}-${process.arch} the editor in the browser needs Node.js ${NODE_MAJOR}; run this command ` +
        `with it, or install VS Code's \`code\` command.`,
    );
  }
  return { node, entry: join(folder, 'node_modules', 'code-server', 'out', 'node', 'entry.js') };
}

/**
 * Installs code-server, a VS Code that is served to a browser, into a folder named after the pinned versions, once.
 * @param {import('../progress.mjs').Progress} progress
 * @returns {Promise<CodeServer>}
 */
export async function ensureCodeServer(progress) {
  if (process.platform === 'win32') {
    throw new Failure("The editor in the browser does not run on Windows; install VS Code's `code` command.");
  }
  const locked = join(PINNED, 'package-lock.json');
  return codeServerIn(
    await ensureToolFolder(progress, { name: 'code-server', locked, what: 'code-server' }, install),
  );
}

/**
 * @param {string} folder
 * @param {string} log
 */
async function install(folder, log) {
  for (const file of ['package.json', 'package-lock.json']) {
    copyFileSync(join(PINNED, file), join(folder, file));
  }
  const failure = 'code-server could not be installed: npm failed; it needs the npm registry.';
  // What its install scripts would compile is optional or comes prebuilt.
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await runNpm(['ci', ...quiet], { cwd: folder, log, failure });
  // The parts that code-server's own install script fetches. `npm ci` refuses them: their lock file is out of step.
  const vscode = join(folder, 'node_modules', 'code-server', 'lib', 'vscode');
  for (const part of [vscode, join(vscode, 'extensions')]) {
    await runNpm(['install', '--omit=dev', '--no-package-lock', ...quiet], { cwd: part, log, failure });
  }
}
