/** One window downloads a file at a time: a lock beside it names the process that does. */
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../process_alive';
import { replaceJson } from '../small_file';
import { codeOf } from './failures';
import { lockOf, partOf } from './part_files';

/** Whose part was not written to for so long does not run any more, ms. */
const STALE_MS = 600_000;
/** A lock that was made says so much later at most who made it, ms. */
const SIGNING_MS = 500;

/** Whether this process has the lock now; what a process that is gone left behind does not count. Rejects where the disk takes no lock. */
export async function lock(path: string): Promise<boolean> {
  try {
    await writeFile(lockOf(path), String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') {
      // Of a full disk it may have got its name, and not who holds it.
      await rm(lockOf(path), { force: true }).catch(() => undefined);
      throw error;
    }
  }
  if ((await isFresh(path)) && (await isHeld(path))) return false;
  await replaceJson(lockOf(path), process.pid);
  return true;
}

/** Whether the lock or the part was written to a moment ago. What is of a time to come is of a clock that was set back since. */
async function isFresh(path: string): Promise<boolean> {
  for (const file of [lockOf(path), partOf(path)]) {
    const written = await stat(file).catch(() => undefined);
    if (written !== undefined && Math.abs(Date.now() - written.mtimeMs) < STALE_MS) return true;
  }
  return false;
}

async function isHeld(path: string): Promise<boolean> {
  let id = await holderOf(path);
  if (id === undefined) {
    // Whoever makes it signs it at once, or was killed in between.
    await delay(SIGNING_MS);
    id = await holderOf(path);
  }
  // Of its own: a disk that became read-only did not let it go.
  return id !== undefined && id !== process.pid && isAlive(id);
}

/** The process that a lock names; undefined where there is no lock, or none that names one. */
async function holderOf(path: string): Promise<number | undefined> {
  const id = Number(await readFile(lockOf(path), 'utf8').catch(() => ''));
  return Number.isInteger(id) && id > 0 ? id : undefined;
}

/** Lets it go; a disk that cannot be written keeps it, and this process may have it again. */
export async function unlock(path: string): Promise<void> {
  await rm(lockOf(path), { force: true }).catch(() => undefined);
}
