import { readFileSync } from 'node:fs';

/** Of clock ticks a second, which Linux counts in (proc(5)), whatever the kernel's own are. */
const TICKS = 100;

/** Seconds of processor time by the log file that a process wrote to. @type {Map<string, number>} */
const spent = new Map();
let counted = 0;

/**
 * Seconds that all processes took that were started here and have ended, with what those waited for. Undefined but on Linux.
 * @returns {number | undefined}
 */
function ofChildren() {
  if (process.platform !== 'linux') return undefined;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  // Behind the name in parentheses, which may hold anything: cutime and cstime are fields 16 and 17 of the whole line.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/**
 * To be called when a process has ended: what all together took since the last call was its.
 * @param {string} log
 */
export function chargeTo(log) {
  const all = ofChildren();
  if (all === undefined) return;
  spent.set(log, (spent.get(log) ?? 0) + all - counted);
  counted = all;
}

/**
 * Seconds of the processes that wrote to a log file; undefined where they are not known.
 * @param {string} log
 */
export function processorSeconds(log) {
  return spent.get(log);
}
