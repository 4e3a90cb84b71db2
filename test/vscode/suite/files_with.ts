import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Files of a folder and below that hold a text, of those whose path from there has `named`. None where there is no folder. */
export function filesWith(folder: string, text: string, named = /./): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => named.test(relative(folder, path)) && readFileSync(path).includes(text));
}
