/** What the commands start must end with them, whatever it started itself and however it takes being asked. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { invocation } from '../../scripts/editor/desktop.mjs';
import { ROOT } from '../../scripts/paths.mjs';
import { family, processTable } from '../../scripts/process_table.mjs';
import { aside, runForStatus, startGroup, stopGroup } from '../../scripts/processes.mjs';
import { temporaryFolder } from '../temporary_folder';

/** A program that starts the next one of `rest` and prints its process id once that has printed its own. */
function chain(own: string, rest: readonly string[]): string {
  const [next, ...others] = rest;
  if (next === undefined) return `${own}; console.log(process.pid); setInterval(() => {}, 1000);`;
  const child = JSON.stringify(chain(next, others));
  return `${own};
    const child = require('node:child_process').spawn(process.execPath, ['-e', ${child}], {
      detached: ${others.length === 0}, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', (ids) => console.log(process.pid + ' ' + ids));
    setInterval(() => {}, 1000);`;
}

/** Windows has no table of processes with their groups, and no `nice`. */
const onUnix = it.skipIf(process.platform === 'win32');

const STUBBORN = "process.on('SIGTERM', () => {})";

let leftOver: number[] = [];

afterEach(() => {
  for (const id of leftOver) {
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It has ended, as it should.
    }
  }
  leftOver = [];
});

function running(ids: readonly number[]): number[] {
  return processTable()
    .map((process) => process.id)
    .filter((id) => ids.includes(id));
}

/** Starts three generations, the youngest in a process group of its own, and gives their ids. */
async function startFamily(
  program: string,
): Promise<{ leader: ReturnType<typeof startGroup>; ids: number[] }> {
  const leader = startGroup(process.execPath, ['-e', program], { output: ['ignore', 'pipe', 'ignore'] });
  const stdout = leader.stdout;
  if (stdout === null) throw new Error('The output is not piped.');
  const [printed] = (await once(stdout, 'data')) as [Buffer];
  const ids = printed.toString().trim().split(/\s+/).map(Number);
  leftOver = ids;
  return { leader, ids };
}

onUnix('sees the children of children, in whatever group they are', async () => {
  const { leader, ids } = await startFamily(chain('', ['', '']));
  expect(ids).toHaveLength(3);
  expect(ids[0]).toBe(leader.pid);
  const found = family(processTable(), ids[0] ?? 0).map((process) => process.id);
  const ascending = (a: number, b: number): number => a - b;
  expect(found.toSorted(ascending)).toEqual(ids.toSorted(ascending));
  await stopGroup(leader);
});

onUnix('ends all of them when asked', async () => {
  const { leader, ids } = await startFamily(chain('', ['', '']));
  expect(running(ids)).toHaveLength(3);
  await stopGroup(leader, 200);
  expect(running(ids)).toEqual([]);
});

onUnix('ends those that do not want to', async () => {
  const { leader, ids } = await startFamily(chain('', [STUBBORN, STUBBORN]));
  await stopGroup(leader, 100);
  expect(running(ids)).toEqual([]);
});

onUnix('leaves the processes of others alone', async () => {
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const id = stranger.pid ?? 0;
  leftOver.push(id);
  const { leader, ids } = await startFamily(chain('', ['', '']));
  leftOver.push(id);
  await stopGroup(leader);
  expect(running([...ids, id])).toEqual([id]);
});

onUnix('lets what is done aside have what others leave', async () => {
  const folder = temporaryFolder();
  // `nice` prints its own: what a build tool starts steps aside as well.
  const priority = async (program: string): Promise<number> => {
    const log = join(mkdtempSync(join(folder, 'run-')), 'log');
    expect(await runForStatus('sh', ['-c', program], { log })).toBe(0);
    return Number(readFileSync(log, 'utf8'));
  };
  const lowest = constants.priority.PRIORITY_LOW;
  const [within, beside] = await Promise.all([
    aside(async () => {
      await Promise.resolve();
      return await priority(`until [ "$(nice)" = ${lowest} ]; do sleep 0.01; done; nice`);
    }),
    priority('nice'),
  ]);
  expect(within).toBe(lowest);
  expect(beside).toBe(getPriority());
});

it.each([['--nope'], ['--debug=yes'], ['positional']])('says in a sentence that there is no %s', (word) => {
  const script = join(ROOT, 'scripts', 'build.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, word], { encoding: 'utf8' });
  expect(stderr).toContain(word.replace('=yes', ''));
  expect(stderr).not.toMatch(/^ +at /m);
  expect(status).toBe(1);
});

it('starts a batch file on Windows with every word quoted, and all of them once more', () => {
  const code = String.raw`C:\Program Files\VS Code\bin\code.cmd`;
  const args = ['--user-data-dir', String.raw`C:\a b`, '--wait'];
  expect(invocation(code, args, 'win32')).toEqual({
    command: 'cmd.exe',
    args: ['/d', '/s', '/c', `""${code}" "--user-data-dir" "${args[1]}" "--wait""`],
    windowsVerbatimArguments: true,
  });
  expect(invocation('/usr/bin/code', args, 'linux')).toEqual({
    command: '/usr/bin/code',
    args,
    windowsVerbatimArguments: false,
  });
});
