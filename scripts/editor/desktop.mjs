import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run, startGroup, stopGroup, stopWithUs } from '../processes.mjs';
import { commandPath } from '../setup/command_path.mjs';

/** @typedef {import('./profile.mjs').Profile} Profile */

/**
 * The `code` command of a desktop VS Code that can open a window from here.
 * @returns {string | undefined}
 */
export function desktopCode() {
  const { DISPLAY, WAYLAND_DISPLAY, VSCODE_IPC_HOOK_CLI, WSL_DISTRO_NAME } = process.env;
  // There `code` belongs to an editor on another machine, which has no use for an addon built on this one.
  if (VSCODE_IPC_HOOK_CLI !== undefined || WSL_DISTRO_NAME !== undefined) return undefined;
  if (process.platform === 'linux' && DISPLAY === undefined && WAYLAND_DISPLAY === undefined)
    return undefined;
  return commandPath('code');
}

/** @param {Profile} profile */
function places(profile) {
  // VS Code refuses to run as root with its sandbox.
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return ['--user-data-dir', profile.userData, '--extensions-dir', profile.extensions, ...root];
}

/**
 * `code` is a batch file on Windows, which only a shell runs. /s takes off the outermost quotes, whatever stands between them.
 * @param {string} code
 * @param {readonly string[]} args without quotes in them
 * @param {NodeJS.Platform} [platform]
 * @returns {{ command: string, args: readonly string[], windowsVerbatimArguments: boolean }}
 */
export function invocation(code, args, platform = process.platform) {
  if (platform !== 'win32') return { command: code, args, windowsVerbatimArguments: false };
  const words = [code, ...args].map((word) => `"${word}"`).join(' ');
  return { command: 'cmd.exe', args: ['/d', '/s', '/c', `"${words}"`], windowsVerbatimArguments: true };
}

/**
 * @param {string} code
 * @param {Profile} profile
 * @param {string} vsix
 * @param {string} log
 */
export async function installInDesktop(code, profile, vsix, log) {
  const { command, args, ...how } = invocation(code, [...places(profile), '--install-extension', vsix]);
  await run(command, args, {
    ...how,
    log,
    failure: `VS Code did not install ${vsix}.`,
  });
}

/**
 * Opens a window of its own on the profile's workspace.
 * @param {string} code
 * @param {Profile} profile
 * @returns {Promise<void>} settles when the window is closed
 */
export async function openDesktop(code, profile) {
  const { command, args, ...how } = invocation(code, [
    ...places(profile),
    '--new-window',
    '--wait',
    profile.workspace,
  ]);
  const child = startGroup(command, args, { ...how, output: 'ignore' });
  stopWithUs(async () => {
    // `code` starts the window as a process apart, which notes its id in the profile.
    const id = lockHolder(profile);
    if (id !== undefined) await endProcess(id);
    await stopGroup(child);
  });
  await new Promise((resolve) => child.once('close', resolve));
}

/** @param {Profile} profile @returns {number | undefined} the main process of the window */
function lockHolder(profile) {
  try {
    const id = Number(readFileSync(join(profile.userData, 'code.lock'), 'utf8'));
    return Number.isInteger(id) && id > 1 ? id : undefined;
  } catch {
    return undefined;
  }
}

/** @param {number} id */
async function endProcess(id) {
  try {
    process.kill(id, 'SIGTERM');
    for (let waited = 0; waited < 10_000; waited += 50) {
      process.kill(id, 0); // Throws once the process is gone.
      await delay(50);
    }
    process.kill(id, 'SIGKILL');
  } catch {
    // Gone.
  }
}
