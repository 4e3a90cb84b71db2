import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

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
    return fieldsOf(JSON.parse(await readSmallFile(path)));
  } catch {
    return {};
  }
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/**
 * Writes an object for {@link readSmallJson}, for this user alone, making its folder: a reader sees the old one or the new one, whole. Never rejects.
 * @returns Whether it was written; on a full or read-only disk it is not.
 */
export async function writeSmallJson(path: string, content: object): Promise<boolean> {
  const unfinished = `${path}.${process.pid}.new`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(unfinished, JSON.stringify(content), { mode: 0o600 });
    await rename(unfinished, path);
    return true;
  } catch {
    return false;
  }
}
