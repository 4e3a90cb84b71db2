/** What a case says that stands beside its file, as pieces of a prompt. */
import { editSnippet } from '../core/completion/edit_text';
import { languageOfPath } from '../core/completion/languages';
import { readAlike } from '../core/completion/similar_windows';
import type { Snippet } from '../core/completion/snippets';
import type { Case } from './case_file';

/** Its pieces of other files, the most useful first. */
export function piecesOf({ snippets = [] }: Pick<Case, 'snippets'>): readonly Snippet[] {
  return snippets.map((one) => ({ ...one, languageId: languageOfPath(one.path) }));
}

/** What was edited in its language, the latest first. */
export function editsOf({ path, edits = [] }: Pick<Case, 'path' | 'edits'>): readonly Snippet[] {
  return edits
    .map((edit) => ({ ...edit, languageId: languageOfPath(edit.path) }))
    .filter(({ languageId }) => readAlike(languageId, languageOfPath(path)))
    .map((edit) => editSnippet(edit))
    .filter((snippet) => snippet !== undefined)
    .reverse();
}
