import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of a folder and below that hold a text. None where there is no folder. */
export function filesWith(folder: string, text: string, named = /./): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => named.test(path) && readFileSync(path).includes(text));
}
