/** Pieces of the files around a case's own, as an editor finds them in those one has looked at. */
import { dirname } from 'node:path/posix';
import { languageOfPath } from '../core/completion/languages';
import { mostSimilar, type Window, windowsOf } from '../core/completion/similar_windows';
import type { CompletionCase } from './completion_case';
import type { Language } from './languages';
import { groupOf, readSource, sourcePaths } from './source_files';

/** So many files, the nearest in the tree of folders, stand for those one has looked at. */
const MOST_FILES = 8;
/** Of each, UTF-16 units: as the editor takes no more of them (extension/editor/recent_texts.ts). */
const MOST_UNITS = 40_000;
/** A file that has this part of its lines in common with the case's own is a copy of it: it would give the answer away. */
const COPY = 0.3;
/** Shorter lines are in any file, UTF-16 units. */
const TELLING_LINE = 8;

export interface Neighbour {
  readonly path: string;
  /** As much of it as an editor takes. */
  readonly text: string;
  /** Those that are not in any file. */
  readonly lines: readonly string[];
  readonly windows: readonly Window[];
}

/** A place in a file, and what is written there. */
export type Place = Pick<CompletionCase, 'path' | 'prefix' | 'suffix' | 'expected'>;

export class Neighbours {
  private readonly folders: readonly string[];
  private readonly language: Language;
  private readonly groups = new Map<string, Promise<Neighbour[]>>();

  /** @param folders In which the cases' files lie. */
  constructor(folders: readonly string[], language: Language) {
    this.folders = folders;
    this.language = language;
  }

  /** At most `count` windows of other files of the case's package, the most similar first. Throws Failure. */
  async snippetsFor(one: Place, count: number): Promise<{ path: string; text: string }[]> {
    const windows = (await this.near(one, MOST_FILES)).flatMap((file) => file.windows);
    const found = mostSimilar(windows, { before: one.prefix, after: one.suffix }, count);
    return found.map(({ path, text }) => ({ path, text }));
  }

  /** At most `count` other files of the case's package that are no copies of its own, the nearest first. Throws Failure. */
  async near(one: Place, count: number): Promise<Neighbour[]> {
    const group = groupOf(one.path);
    const known = this.groups.get(group) ?? this.read(group);
    this.groups.set(group, known);
    const own = new Set(tellingLines(one.prefix + one.expected + one.suffix));
    return (await known)
      .filter(({ path, lines }) => path !== one.path && !isCopy(lines, own))
      .toSorted((a, b) => distance(a.path, one.path) - distance(b.path, one.path))
      .slice(0, count);
  }

  private async read(group: string): Promise<Neighbour[]> {
    const files: Neighbour[] = [];
    for (const folder of this.folders) {
      const paths = await sourcePaths(folder, this.language);
      for (const path of paths.filter((one) => groupOf(one) === group)) {
        const text = (await readSource(folder, path, this.language))?.text;
        if (text === undefined) continue;
        const windows = windowsOf({ path, languageId: languageOfPath(path), text });
        files.push({ path, text: text.slice(0, MOST_UNITS), lines: tellingLines(text), windows });
      }
    }
    return files;
  }
}

/** Folders to leave and to enter from one file to another. */
function distance(one: string, other: string): number {
  const a = dirname(one).split('/');
  const b = dirname(other).split('/');
  const differs = a.findIndex((folder, at) => folder !== b[at]);
  const common = differs < 0 ? a.length : differs;
  return a.length + b.length - 2 * common;
}

function tellingLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length > TELLING_LINE);
}

function isCopy(lines: readonly string[], own: ReadonlySet<string>): boolean {
  return lines.filter((line) => own.has(line)).length > COPY * lines.length;
}
