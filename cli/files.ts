import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Failure } from './failure';

const CODES: Readonly<Record<string, string>> = {
  ENOENT: 'FILE_NOT_FOUND',
  EACCES: 'FILE_ACCESS_DENIED',
  EPERM: 'FILE_ACCESS_DENIED',
  EISDIR: 'FILE_NOT_REGULAR',
};

/** The text of a UTF-8 file as an editor has it: without a byte order mark. */
export async function readText(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    throw failure(error, `${path} cannot be read; check the path.`);
  }
}

/** Every `.json` file of `folder` and the folders in it, as paths from there, in order. */
export async function jsonFilesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory() && entry.name.endsWith('.json'))
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
      .sort();
  } catch {
    throw new Failure({ code: 'FILE_NOT_FOUND', message: `${folder} is no folder; check the path.` });
  }
}

/** Undefined where it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The values of a file that has one of JSON a line; blank lines are passed over. Throws Failure.
 * @param is What each has to be.
 * @param wrong What a line is instead, and what to do: how a sentence goes on. The value is undefined where the line is no JSON.
 */
export async function readJsonLines<T>(
  path: string,
  is: (value: unknown) => value is T,
  wrong: (value: unknown) => string,
): Promise<T[]> {
  const values: T[] = [];
  for (const [index, line] of (await readText(path)).split('\n').entries()) {
    if (line.trim() === '') continue;
    const value = parsedJson(line);
    if (!is(value)) {
      const message = `Line ${index + 1} of ${path} ${wrong(value)}.`;
      throw new Failure({ code: 'INVALID_ARGUMENT', message });
    }
    values.push(value);
  }
  return values;
}

export async function writeBytes(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(path, bytes);
  } catch (error) {
    throw failure(error, `${path} cannot be written; check the path.`);
  }
}

function failure(error: unknown, message: string): Failure {
  const system = error instanceof Error && 'code' in error ? String(error.code) : '';
  return new Failure({ code: CODES[system] ?? 'FILE_IO', message });
}
