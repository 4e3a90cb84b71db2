/** Finds the source files of a folder, in an order that a seed decides. */
import { readFile, readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { Failure } from '../cli/failure';
import { isHandWritten, type SourceFile } from './case_cutter';
import { languageOf, type Language } from './completion_case';
import type { SeededRandom } from './random';

const MIN_BYTES = 400;
const MAX_BYTES = 300_000;

/** Other people's packages inside a folder of sources. */
const FOREIGN = /(?:^|\/)(?:node_modules|site-packages|dist-packages)\//;

/**
 * Yields hand-written files of `language` under `folder`. The folder's children take turns, so that one large package does not
 * crowd out the small ones.
 */
export async function* sourceFiles(
  folder: string,
  language: Language,
  random: SeededRandom,
): AsyncGenerator<SourceFile> {
  const groups = new Map<string, string[]>();
  for (const path of await sourcePaths(folder, language)) {
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
}

/** Sorted, relative to `folder`, with forward slashes. */
async function sourcePaths(folder: string, language: Language): Promise<string[]> {
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
function groupOf(path: string): string {
  return path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
}

async function readSource(folder: string, path: string, language: Language): Promise<SourceFile | undefined> {
  const bytes = await readFile(join(folder, path));
  if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) return undefined;
  const text = bytes.toString('utf8').replace(/\r\n?/g, '\n');
  return text.includes('\uFFFD') || !isHandWritten(text) ? undefined : { path, language, text };
}
