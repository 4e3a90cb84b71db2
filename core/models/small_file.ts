import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { objectOf } from '../http/json_values';

/** Far more than what is read this way has: manifests, settings, notes of our own. */
const MOST_BYTES = 1_048_576;

/** The text of a file that is small if it is what it should be; empty where it is not there, not regular, too large or not ours to read. */
export async function readSmallFile(path: string): Promise<string> {
  const file = await stat(path).catch(() => undefined);
  if (file?.isFile() !== true || file.size > MOST_BYTES) return '';
  return readFile(path, 'utf8').catch(() => '');
}

/** What it says as JSON: the fields of an object, of anything else none. */
export async function readSmallJson(path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return objectOf(JSON.parse(await readSmallFile(path)));
  } catch {
    return {};
  }
}

/** Counts the files written by this process, so that two writes of one path do not share what is unfinished. */
let written = 0;

/**
 * Writes JSON for this user alone: a reader sees what was there or what is given, whole. Rejects where the disk is full or may not be written to; then
 * nothing new is left behind.
 */
export async function replaceJson(path: string, content: object | number): Promise<void> {
  const unfinished = `${path}.${process.pid}-${++written}.new`;
  try {
    await writeFile(unfinished, JSON.stringify(content), { mode: 0o600 });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Writes an object for {@link readSmallJson}, as {@link replaceJson} does, making its folder. Never rejects.
 * @returns Whether it was written; on a full or read-only disk it is not.
 */
export async function writeSmallJson(path: string, content: object): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await replaceJson(path, content);
    return true;
  } catch {
    return false;
  }
}
