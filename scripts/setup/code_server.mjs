import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.mjs';
import { ROOT, TOOLS } from '../paths.mjs';
import { runNpm } from '../processes.mjs';

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
  const lock = readFileSync(join(PINNED, 'package-lock.json'));
  const name = `code-server-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`;
  const folder = join(TOOLS, name);
  if (!existsSync(folder)) {
    await progress.step('install code-server', (log) => install(folder, log));
    for (const other of readdirSync(TOOLS)) {
      if (other.startsWith('code-server-') && other !== name) {
        rmSync(join(TOOLS, other), { recursive: true, force: true });
      }
    }
  }
  return codeServerIn(folder);
}

/**
 * @param {string} folder
 * @param {string} log
 */
async function install(folder, log) {
  mkdirSync(TOOLS, { recursive: true });
  const staging = mkdtempSync(join(TOOLS, 'staging-'));
  try {
    for (const file of ['package.json', 'package-lock.json']) {
      copyFileSync(join(PINNED, file), join(staging, file));
    }
    const failure = 'code-server could not be installed: npm failed; it needs the npm registry.';
    // What its install scripts would compile is optional or comes prebuilt.
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund'];
    await runNpm(['ci', ...quiet], { cwd: staging, log, failure });
    // The parts that code-server's own install script fetches. `npm ci` refuses them: their lock file is out of step.
    const vscode = join(staging, 'node_modules', 'code-server', 'lib', 'vscode');
    for (const part of [vscode, join(vscode, 'extensions')]) {
      await runNpm(['install', '--omit=dev', '--no-package-lock', ...quiet], { cwd: part, log, failure });
    }
    // The folder appears complete or not at all.
    renameSync(staging, folder);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
