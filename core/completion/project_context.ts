/**
 * Which pieces of the project a model reads beside its document, and how much of a prompt each kind may have. `npm run bench -- quality` with
 * `--definitions on`, `--snippets off` and `--edits off` shows what each is worth, and bench/pieces.md what that was: the embedded model gains nothing by
 * definitions. Those that were taught with whole repositories read files of theirs as they were taught to; nobody has measured here what it gives them.
 */
import type { CompletionEngine } from './engine_port';
import { knowsRepositories } from './file_layout';
import { fimLayout } from './fim_layout';
import { readsSimilarCode } from './memory';
import type { CompletionOptions } from './options';
import { SNIPPET_KINDS, type SnippetKind } from './snippets';

/** What the user chose. */
export type ProjectOptions = Pick<CompletionOptions, 'similarCode' | 'definitions' | 'recentEdits'>;

/** What is known of a model. */
export type Reader = Pick<CompletionEngine, 'parameters' | 'fim'>;

/** Parts of a prompt. The text before the cursor has what is not needed. */
const SHARES: Readonly<Record<SnippetKind, number>> = { definition: 1 / 8, similar: 1 / 4, edit: 1 / 8 };
/** The same of a clipboard. */
export const CLIPBOARD_SHARE = 1 / 8;

/** The kinds that are read, each with its part of a prompt; none by a model that does not fill in the middle. */
export function sharesFor(options: ProjectOptions, reader: Reader): ReadonlyMap<SnippetKind, number> {
  const { parameters, fim } = reader;
  if (fimLayout(fim) === undefined) return new Map();
  const reads: Readonly<Record<SnippetKind, boolean>> = {
    definition:
      options.definitions === 'always' || (options.definitions === 'auto' && knowsRepositories(fim)),
    similar: readsSimilarCode(options.similarCode, parameters),
    edit: options.recentEdits,
  };
  return new Map(SNIPPET_KINDS.filter((kind) => reads[kind]).map((kind) => [kind, SHARES[kind]]));
}
