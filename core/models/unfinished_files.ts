/**
 * What a process that was killed left behind half written. Nobody reads it, as each file gets its name once it is whole; it would stay on the disk for good.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isAlive } from './process_alive';

/** As `replaceJson` names them, with the process that writes them. */
const UNFINISHED_JSON = /\.(\d+)-\d+\.new$/;
/** As native/device/cpu/packed/packed_copy.cpp names them: a copy of weights is written within minutes. */
const UNFINISHED_COPY = /\.packed\.\d+\.part$/;
/** Processes of another machine may write into the same folder: theirs are let alone for so long, ms. */
const YOUNG_MS = 60_000;
const UNFINISHED_COPY_MS = 24 * 3_600_000;

/**
 * Removes it, in these folders and not below them. Never rejects.
 * @param alive Whether there is such a process.
 * @returns The names of what was removed.
 */
export async function removeUnfinished(
  folders: readonly string[],
  alive = isAlive,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const folder of folders) {
    for (const name of await readdir(folder).catch(() => [])) {
      const path = join(folder, name);
      if (!(await isLeft(path, alive))) continue;
      await rm(path, { force: true }).then(
        () => removed.push(name),
        () => undefined,
      );
    }
  }
  return removed;
}

async function isLeft(path: string, alive: (processId: number) => boolean): Promise<boolean> {
  const writer = UNFINISHED_JSON.exec(path)?.[1];
  if (writer === undefined && !UNFINISHED_COPY.test(path)) return false;
  const file = await stat(path).catch(() => undefined);
  if (file?.isFile() !== true) return false;
  // Of a time to come: the clock was set back since.
  const age = Math.abs(Date.now() - file.mtimeMs);
  return writer === undefined ? age > UNFINISHED_COPY_MS : age > YOUNG_MS && !alive(Number(writer));
}
