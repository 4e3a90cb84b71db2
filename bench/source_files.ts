/** Finds the source files of a folder, in an order that a seed decides. */
import { readFile, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Failure } from '../cli/failure';
import { languageOf, type Language } from './languages';
import type { SeededRandom } from './random';
import { isHandWritten, type SourceFile } from './source_lines';

const MIN_BYTES = 400;
const MAX_BYTES = 300_000;

/** Other people's packages inside a folder of sources. */
const FOREIGN = /(?:^|\/)(?:node_modules|site-packages|dist-packages)\//;

/**
 * Yields hand-written files of `language` under `folders`. The folders take turns, and in each of them its children do, so that
 * one large package does not crowd out the small ones.
 * @param excluded Files whose paths, relative to their folder, match are passed over.
 */
export async function* sourceFiles(
  folders: readonly string[],
  language: Language,
  random: SeededRandom,
  excluded?: RegExp,
): AsyncGenerator<SourceFile> {
  let turns: AsyncIterator<SourceFile, undefined>[] = [];
  for (const folder of folders) {
    const paths = (await sourcePaths(folder, language)).filter((path) => excluded?.test(path) !== true);
    turns.push(filesInTurn(folder, paths, language, random));
  }
  while (turns.length > 0) {
    const left: typeof turns = [];
    for (const turn of turns) {
      const next = await turn.next();
      if (next.done === true) continue;
      yield next.value;
      left.push(turn);
    }
    turns = left;
  }
}

async function* filesInTurn(
  folder: string,
  all: readonly string[],
  language: Language,
  random: SeededRandom,
): AsyncGenerator<SourceFile, undefined> {
  const groups = new Map<string, string[]>();
  for (const path of all) {
    const key = groupOf(path);
    groups.set(key, [...(groups.get(key) ?? []), path]);
  }
  const turns = random.shuffled([...groups.values()].map((paths) => random.shuffled(paths)));
  for (let round = 0; turns.some((paths) => paths.length > round); round++) {
    for (const path of turns.map((paths) => paths[round])) {
      const file = path === undefined ? undefined : await readSource(folder, path, language);
      if (file !== undefined) yield file;
    }
  }
  return undefined;
}

/** Sorted, relative to `folder`, with forward slashes. */
export async function sourcePaths(folder: string, language: Language): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw new Failure({
      code: 'FILE_NOT_FOUND',
      message: `${folder} cannot be read; give a folder of sources.`,
    });
  });
  return entries
    .filter((entry) => entry.isFile() && languageOf(entry.name) === language)
    .filter((entry) => !/\.d\.[cm]?ts$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !FOREIGN.test(path))
    .sort();
}

/** The first folder, or the first two below a scope such as `@types`. */
export function groupOf(path: string): string {
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Undefined for what nobody wrote by hand, and for what is too short or too long. */
export async function readSource(
  folder: string,
  path: string,
  language: Language,
): Promise<SourceFile | undefined> {
  const bytes = await readFile(join(folder, path));
  if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) return undefined;
  const text = bytes.toString('utf8').replace(/\r\n?/g, '\n');
  return text.includes('\uFFFD') || !isHandWritten(text) ? undefined : { path, language, text };
}
