/** The files of a download that is under way, beside the one that it will be. */
import { rm } from 'node:fs/promises';

export const partOf = (path: string): string => `${path}.part`;
export const notesOf = (path: string): string => `${path}.part.json`;
export const lockOf = (path: string): string => `${path}.part.lock`;

/** Removes a part and what belongs to it. */
export async function removePart(path: string): Promise<void> {
  for (const file of [partOf(path), notesOf(path)]) await rm(file, { force: true });
}
