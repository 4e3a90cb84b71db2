import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, Interrupted } from './failure.mjs';
import { family, processTable } from './process_table.mjs';
import { ROOT } from './paths.mjs';
import { chargeTo } from './processor_time.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {import('./process_table.mjs').Process} Process */

const ON_WINDOWS = process.platform === 'win32';
/** How long a process may take to end by itself once it was asked to. */
const GRACE_MS = 10_000;

// Own code: it also runs before any package is installed, and what is known for ending process trees loses those that left their
// parent's group.

/** Processes started here that have not ended. @type {Set<ChildProcess>} */
const running = new Set();
/** What else has to end with this process. @type {Set<() => Promise<void>>} */
const stoppers = new Set();

/** True in whatever work is done aside. @type {AsyncLocalStorage<boolean>} */
const isAside = new AsyncLocalStorage();

/** Set once everything is being ended: what fails from then on fails because of that. */
let stopping = false;

/** @param {() => Promise<void>} stop is called before this process ends, however it ends */
export function stopWithUs(stop) {
  stoppers.add(stop);
}

/**
 * Starts a program as the leader of a process group of its own, so that whatever it starts can be ended with it.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, windowsVerbatimArguments?: boolean, output: import('node:child_process').StdioOptions }} options
 *   `windowsVerbatimArguments`: they are quoted already
 * @returns {ChildProcess}
 */
export function startGroup(
  command,
  args,
  { cwd = ROOT, env = process.env, windowsVerbatimArguments = false, output },
) {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: output,
    detached: !ON_WINDOWS,
    windowsHide: true,
    windowsVerbatimArguments,
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  child.once('error', () => running.delete(child));
  return child;
}

/**
 * Ends a process started by `startGroup` and everything it started: asks first, insists after a while. Settles when none of
 * them is left.
 * @param {ChildProcess} child
 * @param {number} [graceMs]
 */
export async function stopGroup(child, graceMs = GRACE_MS) {
  const leader = child.pid;
  if (leader === undefined) return;
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  if (ON_WINDOWS) {
    // The id of one that has ended may be another's by now.
    if (hasEnded()) return;
    spawnSync('taskkill', ['/pid', String(leader), '/T', '/F'], { windowsHide: true });
    return;
  }
  // Noted before the first signal: once their parent is gone, processes that left the group cannot be told from strangers.
  const members = family(processTable(), leader);
  for (const { id } of members) signal(id, 'SIGTERM');
  const deadline = Date.now() + graceMs;
  for (let left = alive(members, leader); left.length > 0; left = alive(members, leader)) {
    if (Date.now() > deadline) for (const { id } of left) signal(id, 'SIGKILL');
    await delay(25);
  }
  // What it took is known once it was waited for.
  if (!hasEnded()) await once(child, 'exit');
}

/**
 * @param {Process[]} members
 * @param {number} leader
 * @returns {Process[]} those of the members that still run, and what joined the group since
 */
function alive(members, leader) {
  return processTable().filter(
    (p) => p.group === leader || members.some((m) => m.id === p.id && m.started === p.started),
  );
}

/**
 * @param {number} id a process, or minus a group
 * @param {NodeJS.Signals} name
 */
function signal(id, name) {
  try {
    process.kill(id, name);
  } catch {
    // It has ended already.
  }
}

/**
 * Lets a process, and whatever it starts, have what others leave of the processors.
 * @param {ChildProcess} child
 */
function stepAside({ pid }) {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
    // Linux may share the processors out between sessions first, and the leader of a group has one of its own (sched(7), autogroup).
    if (process.platform === 'linux')
      writeFileSync(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_LOW));
  } catch {
    // It has ended already, or this system has no such thing.
  }
}

/**
 * Does work of which every program that is run to its end takes only what others leave of the processors.
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export function aside(work) {
  return isAside.run(true, work);
}

/**
 * Runs a program to its end with its output in a log file.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ log: string, charged?: string, cwd?: string, env?: NodeJS.ProcessEnv, windowsVerbatimArguments?: boolean }} options `charged`: the
 *   log file of the step that the time counts for; default: `log`
 * @returns {Promise<number>} the exit status; 128 or more when a signal ended it
 */
export async function runForStatus(
  command,
  args,
  { log, charged = log, cwd, env, windowsVerbatimArguments = false },
) {
  mkdirSync(dirname(log), { recursive: true });
  const file = openSync(log, 'a');
  try {
    const child = startGroup(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...(env ?? process.env), NO_COLOR: '1', FORCE_COLOR: undefined },
      windowsVerbatimArguments,
      output: ['ignore', file, file],
    });
    if (isAside.getStore() === true) stepAside(child);
    const status = await new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new Failure(`${command} cannot be started: ${error.message}.`)));
      child.once('exit', (code) => {
        chargeTo(charged);
        resolve(code ?? 128);
      });
    });
    if (stopping) throw new Interrupted();
    // What it started and did not wait for.
    await stopGroup(child);
    return status;
  } finally {
    closeSync(file);
  }
}

/**
 * Runs a program that must succeed.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ log: string, cwd?: string, env?: NodeJS.ProcessEnv, windowsVerbatimArguments?: boolean, failure: string }} options `failure`: the
 *   sentence for a person
 */
export async function run(command, args, { failure, ...options }) {
  const status = await runForStatus(command, args, options);
  if (status !== 0) throw new Failure(failure, options.log);
}

/**
 * Runs one of the npm command's sub-commands, through the very npm that runs this script where there is one.
 * @param {readonly string[]} args
 * @param {{ log: string, cwd?: string, failure: string }} options
 */
export async function runNpm(args, options) {
  const npm = process.env['npm_execpath'];
  if (npm?.endsWith('.js')) await run(process.execPath, [npm, ...args], options);
  else await run('npm', args, options);
}

/**
 * Runs a command line tool of an installed npm package.
 * @param {string} script path of its entry file below node_modules
 * @param {readonly string[]} args
 * @param {{ log: string, cwd?: string, env?: NodeJS.ProcessEnv, failure: string }} options
 */
export async function runTool(script, args, options) {
  await run(process.execPath, [`${ROOT}/node_modules/${script}`, ...args], options);
}

/** Ends everything that was started here. */
export async function stopEverything() {
  stopping = true;
  await Promise.all([...stoppers].map((stop) => stop()));
  await Promise.all([...running].map((child) => stopGroup(child)));
}

/**
 * Whether `parseArgs` does not know what the command line has.
 * @param {unknown} error
 * @returns {error is Error}
 */
function isOfUsage(error) {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}

/**
 * Runs a command of this folder: ends what it started when it is over or interrupted, and turns a failure into one sentence.
 * @param {() => Promise<number>} main gives the exit status
 * @param {() => number} [interruptedStatus] the exit status after Ctrl-C
 */
export async function runCommand(main, interruptedStatus = () => 130) {
  const interrupt = () => {
    if (stopping) return;
    void stopEverything().finally(() => process.exit(interruptedStatus()));
  };
  for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(name, interrupt);
  // The last resort, when this process ends in a way that leaves no time to ask.
  process.on('exit', () => {
    for (const child of running) if (child.pid !== undefined && !ON_WINDOWS) signal(-child.pid, 'SIGKILL');
  });
  try {
    process.exitCode = await main();
  } catch (error) {
    process.exitCode = 1;
    // Interrupted: whatever fails then fails because of that.
    if (stopping) return;
    console.error(error instanceof Failure || isOfUsage(error) ? `\n${error.message}` : error);
  }
  if (!stopping) await stopEverything();
}
