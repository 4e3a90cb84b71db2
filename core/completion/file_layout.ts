/**
 * How a prompt names its file, and has others in front of it. Most models know a file by a comment in its first line, as the embedded one was taught;
 * those that were taught with whole repositories know files by their paths alone, behind marks of their own
 * (native/tokenizer/fim_families.cpp). Texts stay parts of their own, and no document can spell a mark.
 */
import type { NativeFim } from '../engine/native_types';
import { pathLine } from './prompt';
import type { Snippet } from './snippets';

/** What there is to name. */
export interface FileTexts extends Pick<Snippet, 'path' | 'languageId'> {
  /** The document's text before the cursor. */
  readonly prefix: string;
  /** Pieces of other files. */
  readonly snippets: readonly Snippet[];
  /** What the files belong to; default: nobody says. */
  readonly repository?: string | undefined;
}

export interface LaidOutFiles {
  /** What stands in front of the document's text and its marks. */
  readonly front: readonly (string | number)[];
  /** The document's text, behind what names it where that is not in `front`. */
  readonly text: string;
}

/** Where the path of the document itself stands in a repository, by what the engine calls it. */
const PATH_BEFORE_MARKS = 'path_before_marks';
const PATH_IN_PREFIX = 'path_in_prefix';

/** Whether the model was taught with whole repositories, in a way that is known here. */
export function knowsRepositories(fim: NativeFim | undefined): boolean {
  return fim?.separator !== undefined && (fim.files === PATH_BEFORE_MARKS || fim.files === PATH_IN_PREFIX);
}

/**
 * `{[separator] snippet}` and the document's text, each behind its path line; without a separator the snippets are text in front of the document's.
 * @param separated Whether a separator stands in front of the document as well, where there are others.
 */
export function commentedFiles(
  { path, languageId, prefix, snippets }: FileTexts,
  { separator }: NativeFim,
  separated: boolean,
): LaidOutFiles {
  const own = pathLine(languageId, path) + prefix;
  const others = snippets.map((one) => pathLine(one.languageId, one.path) + one.text);
  if (separator === undefined) return { front: [], text: others.join('') + own };
  const front = others.flatMap((text) => [separator, text]);
  return { front: separated && front.length > 0 ? [...front, separator] : front, text: own };
}

/**
 * `[repository] name {[separator] path, snippet} [separator] path`: as repositories are read, the document last. Undefined for a model that does not
 * know them.
 */
export function repositoryFiles(
  { path, prefix, snippets, repository }: FileTexts,
  fim: NativeFim,
): LaidOutFiles | undefined {
  const { separator, files } = fim;
  if (separator === undefined || !knowsRepositories(fim)) return undefined;
  const named = fim.repository !== undefined && repository !== undefined;
  const name = named ? [fim.repository, lineOf(repository)] : [];
  const others = snippets.flatMap((one) => [separator, lineOf(one.path) + one.text]);
  const front = [...name, ...others, separator];
  const own = lineOf(path);
  return files === PATH_IN_PREFIX ? { front, text: own + prefix } : { front: [...front, own], text: prefix };
}

function lineOf(name: string): string {
  return `${name.replace(/[\r\n]+/g, ' ')}\n`;
}
