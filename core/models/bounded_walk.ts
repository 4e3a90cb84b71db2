/** Looks through folders of others without ever reading a whole disk: so many entries and levels, no folder twice. */
import { opendir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface WalkedFile {
  /** As it is reached, through links if there are any. */
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

/** How much may still be looked at; one is shared by all walks that one question of the user starts. */
export class WalkBudget {
  private left: number;
  private readonly seen = new Set<string>();

  /** @param entries Names in folders, of whatever kind. */
  constructor(entries: number) {
    this.left = entries;
  }

  get spent(): boolean {
    return this.left <= 0;
  }

  /** Takes one entry; false: there are none left. */
  take(): boolean {
    return this.left-- > 0;
  }

  /** Whether a folder, by its path without links, is entered for the first time. */
  enter(folder: string): boolean {
    if (this.seen.has(folder)) return false;
    this.seen.add(folder);
    return true;
  }
}

/**
 * The files in `folder` and below it whose names are wanted, nearest first. Links are followed, those in a circle once. What cannot be read is left
 * out. Never rejects.
 * @param depth Levels of folders below `folder`.
 */
export async function filesUnder(
  folder: string,
  depth: number,
  budget: WalkBudget,
  wanted: (name: string) => boolean,
): Promise<readonly WalkedFile[]> {
  const found: WalkedFile[] = [];
  let level = [folder];
  for (let below = 0; below <= depth && level.length > 0; below++) {
    const next: string[] = [];
    for (const one of level) {
      if (budget.spent) return found;
      await readFolder(one, budget, wanted, found, next);
    }
    level = next;
  }
  return found;
}

async function readFolder(
  folder: string,
  budget: WalkBudget,
  wanted: (name: string) => boolean,
  found: WalkedFile[],
  folders: string[],
): Promise<void> {
  try {
    if (!budget.enter(await realpath(folder))) return;
    // Name by name: a folder may hold any number of them.
    for await (const entry of await opendir(folder)) {
      if (!budget.take()) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isSymbolicLink() || (entry.isFile() && wanted(entry.name))) {
        const target = await stat(path).catch(() => undefined);
        if (target?.isDirectory() === true) folders.push(path);
        else if (target?.isFile() === true && wanted(entry.name))
          found.push({ path, name: entry.name, bytes: target.size });
      }
    }
  } catch {
    // Not there, or not ours to read.
  }
}
