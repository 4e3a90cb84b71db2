import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '../failure.mjs';
import { run, startGroup, stopGroup } from '../processes.mjs';

/** @typedef {import('../setup/code_server.mjs').CodeServer} CodeServer */
/** @typedef {import('./profile.mjs').Profile} Profile */

/**
 * A code-server that answers.
 * @typedef {object} RunningServer
 * @property {string} url for example `http://127.0.0.1:40123`
 * @property {number} processId
 * @property {Promise<void>} ended settles when the server is gone, for whatever reason
 * @property {() => Promise<void>} stop ends the server and everything it started
 */

/** How long a server may take to answer; it takes less than a second on an idle machine. */
const START_MS = 60_000;

/** @param {CodeServer} codeServer @param {Profile} profile */
function commandLine(codeServer, profile) {
  const places = ['--user-data-dir', profile.userData, '--extensions-dir', profile.extensions];
  return [codeServer.entry, '--config', '/dev/null', ...places];
}

/** @param {Profile} profile @returns {NodeJS.ProcessEnv} */
function environment(profile) {
  return {
    ...process.env,
    // No marketplace: the editor would look there for updates.
    EXTENSIONS_GALLERY: '{}',
    // Sockets, logs and caches go where the profile goes.
    TMPDIR: profile.temporary,
    XDG_RUNTIME_DIR: profile.temporary,
    XDG_DATA_HOME: profile.temporary,
    XDG_CONFIG_HOME: profile.temporary,
    XDG_CACHE_HOME: profile.temporary,
    // Set in a terminal of VS Code; they would make the new editor talk to that one.
    VSCODE_IPC_HOOK_CLI: undefined,
    VSCODE_IPC_HOOK_EXTHOST: undefined,
  };
}

/**
 * @param {CodeServer} codeServer
 * @param {Profile} profile
 * @param {string} vsix
 * @param {string} log
 */
export async function installExtension(codeServer, profile, vsix, log) {
  await run(codeServer.node, [...commandLine(codeServer, profile), '--install-extension', vsix], {
    log,
    env: environment(profile),
    failure: `code-server did not install ${vsix}.`,
  });
}

/**
 * Starts a code-server on a free loopback port and waits until it answers. The port is the one the server itself says it
 * was given, so an old server that still listens somewhere cannot be mistaken for it.
 * @param {CodeServer} codeServer
 * @param {Profile} profile
 * @param {{ log: string, port?: number, environment?: Record<string, string>, nodeOptions?: readonly string[] }} options `nodeOptions`: of every
 *   Node.js that it starts, the extension host's too, which is given no NODE_OPTIONS
 * @returns {Promise<RunningServer>}
 */
export async function startCodeServer(
  codeServer,
  profile,
  { log, port = 0, environment: more = {}, nodeOptions = [] },
) {
  const output = openSync(log, 'w');
  const child = startGroup(
    codeServer.node,
    [
      ...nodeOptions,
      ...commandLine(codeServer, profile),
      ...['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`],
      ...['--disable-telemetry', '--disable-update-check', '--disable-workspace-trust'],
      '--disable-getting-started-override',
      // Lets a test run inside the extension host report to the page that started it.
      ...['--vscode-option', 'enable-smoke-test-driver'],
    ],
    { env: { ...environment(profile), ...more }, output: ['ignore', output, output] },
  );
  closeSync(output);
  const ended = new Promise((resolve) => child.once('close', () => resolve(undefined)));
  const stop = () => stopGroup(child);

  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline && child.exitCode === null && child.signalCode === null) {
    const address = /server listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(readFileSync(log, 'utf8'))?.[1];
    if (address !== undefined && (await answers(`${address}/healthz`))) {
      return { url: address, processId: /** @type {number} */ (child.pid), ended, stop };
    }
    await delay(50);
  }
  const busy = readFileSync(log, 'utf8').includes('EADDRINUSE');
  await stop();
  throw new Failure(busy ? `Port ${port} is taken; choose another one.` : 'code-server did not start.', log);
}

/** @param {string} url */
async function answers(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

/**
 * The address that opens `folder`.
 * @param {Pick<RunningServer, "url">} server
 * @param {string} folder
 * @param {readonly (readonly [string, string])[]} [payload] what the workbench is told beside it
 */
export function workbenchUrl(server, folder, payload = []) {
  const url = new URL(server.url);
  url.searchParams.set('folder', folder);
  if (payload.length > 0) url.searchParams.set('payload', JSON.stringify(payload));
  return url.href;
}
