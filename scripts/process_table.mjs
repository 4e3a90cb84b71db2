import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * A process as the system lists it. `started` tells it from a later one that got the same id.
 * @typedef {{ id: number, parent: number, group: number, started: string }} Process
 */

/** @returns {Process[]} every process that is not a zombie */
export function processTable() {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** @returns {Process[]} */
function fromProc() {
  const table = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    let stat;
    try {
      stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
    } catch {
      continue; // It ended since the folder was read.
    }
    // The name is in parentheses and may hold anything; the fields after it are numbers (proc(5): 3 state, 4 ppid, 5 pgrp,
    // 22 starttime).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') continue;
    table.push({
      id: Number(entry),
      parent: Number(fields[1]),
      group: Number(fields[2]),
      started: fields[19] ?? '',
    });
  }
  return table;
}

/** @returns {Process[]} */
function fromPs() {
  const listing = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,lstart='], { encoding: 'utf8' });
  return listing
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => !fields[3]?.startsWith('Z'))
    .map((fields) => ({
      id: Number(fields[0]),
      parent: Number(fields[1]),
      group: Number(fields[2]),
      started: fields.slice(4).join(' '),
    }));
}

/**
 * The process `leader`, everything it started that still hangs below it, and everything in its process group, which also
 * holds children whose own parent is gone.
 * @param {Process[]} table
 * @param {number} leader
 * @returns {Process[]}
 */
export function family(table, leader) {
  const found = new Map(table.filter((p) => p.id === leader || p.group === leader).map((p) => [p.id, p]));
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const p of table) if (found.has(p.parent)) found.set(p.id, p);
  }
  return [...found.values()];
}
