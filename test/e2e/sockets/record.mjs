/**
 * Loaded into every Node.js of an editor before anything else (`--import`): writes down each socket that it opens, each datagram and each name that is
 * looked up, with the code that did so. A line of JSON each, in the file that EMBERLINE_SOCKETS names.
 */
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

const file = process.env['EMBERLINE_SOCKETS'];
const isExtensionHost = process.argv.some((one) => one.includes('extensionHost'));

/** @param {string} kind @param {unknown} where */
function note(kind, where) {
  if (file === undefined) return;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const { stack } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const line = { pid: process.pid, isExtensionHost, kind, where: String(where), stack };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/**
 * @param {any} object
 * @param {string} name of a function of it
 * @param {(args: any[]) => readonly [kind: string, where: unknown]} describe
 */
function watch(object, name, describe) {
  const original = object[name];
  if (typeof original !== 'function') return;
  object[name] = function (/** @type {any[]} */ ...args) {
    note(...describe(args));
    return original.apply(this, args);
  };
}

/** What is given to `connect` and `listen`, in its three forms; what `net` itself has put in order comes as a list in a list. @param {any[]} args */
function placeOf(args) {
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === 'object' && first !== null)
    return first.path ?? `${first.host ?? first.hostname ?? 'localhost'}:${first.port}`;
  return typeof first === 'number' ? `${typeof second === 'string' ? second : 'localhost'}:${first}` : first;
}

/** A path is a socket of this machine's own, not one of a network. @param {any[]} args */
function kindOf(args) {
  return /^(?:\/|\\\\|\0)/.test(String(placeOf(args))) ? 'pipe' : 'connection';
}

note('loaded', process.argv.slice(1, 3).join(' '));
watch(net.Socket.prototype, 'connect', (args) => [kindOf(args), placeOf(args)]);
watch(net.Server.prototype, 'listen', (args) => [kindOf(args) === 'pipe' ? 'pipe' : 'port', placeOf(args)]);
for (const name of ['send', 'connect', 'bind'])
  watch(dgram.Socket.prototype, name, (args) => ['datagram', args[1]]);
for (const of of [dns, dns.promises]) {
  for (const name of ['lookup', 'lookupService', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'reverse'])
    watch(of, name, (args) => ['name', args[0]]);
}
// The extension starts its own processes without the options that the editor's have.
const { fork } = childProcess;
childProcess.fork = (/** @type {string | URL} */ script, /** @type {any[]} */ ...rest) => {
  const options = rest.findLast((one) => !Array.isArray(one));
  const execArgv = ['--import', import.meta.url, ...(options?.execArgv ?? process.execArgv)];
  return fork(script, Array.isArray(rest[0]) ? rest[0] : [], { ...options, execArgv });
};
// Who imports one of these functions by its name gets the one that is watched.
syncBuiltinESMExports();
