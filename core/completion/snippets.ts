/**
 * Pieces of other text that a model reads beside the document, where it was taught to. They stand in front of the document's text, so that
 * other ones cost reading all of it again: those that were chosen stay until that is read anew, or the cursor rests some way from where it was.
 */
import type { DocumentSnapshot } from './document';
import { pathLine } from './prompt';
import { estimateTokens } from './token_estimate';

/**
 * What a piece is, what changes least while one types first, as a prompt has them: definitions behind names that are imported, code that resembles what
 * stands around the cursor, what was changed elsewhere a moment ago.
 */
export const SNIPPET_KINDS = ['definition', 'similar', 'edit'] as const;
export type SnippetKind = (typeof SNIPPET_KINDS)[number];

export interface Snippet {
  /** As the path of a document. */
  readonly path: string;
  readonly languageId: string;
  readonly text: string;
  /** Default: `similar`. */
  readonly kind?: SnippetKind;
}

/** Finds pieces for a place, of each kind the most useful first. */
export type FindSnippets = (document: DocumentSnapshot) => readonly Snippet[];

/** Most estimated tokens of each kind; one that is not named is not read. */
export type SnippetBudget = ReadonlyMap<SnippetKind, number>;

export interface ChosenSnippets {
  readonly snippets: readonly Snippet[];
  /** Lines above the cursor when they were chosen. */
  readonly line: number;
}

/** So many lines further others may be more useful. */
const FAR_LINES = 12;

/** Of each kind as many as fit in its budget, first ones first; none where there is nothing to find them with. */
export function chooseSnippets(
  document: DocumentSnapshot,
  find: FindSnippets | undefined,
  budget: SnippetBudget,
): ChosenSnippets {
  const line = linesAbove(document);
  if (find === undefined || budget.size === 0) return { snippets: [], line };
  const found = find(document);
  const snippets = SNIPPET_KINDS.flatMap((kind) =>
    fitting(
      found.filter((snippet) => (snippet.kind ?? 'similar') === kind),
      budget.get(kind) ?? 0,
    ),
  );
  return { snippets, line };
}

/** What a piece costs with the line that names its file, estimated tokens. */
export function costOf({ path, languageId, text }: Snippet): number {
  return estimateTokens(pathLine(languageId, path)) + estimateTokens(text);
}

/** Whether those that were chosen stay. */
export function keeps(
  { snippets, line }: ChosenSnippets,
  { document, rests = false }: { readonly document: DocumentSnapshot; readonly rests?: boolean | undefined },
): boolean {
  return !rests || (snippets.length > 0 && Math.abs(linesAbove(document) - line) < FAR_LINES);
}

/** As many as fit; definitions of one file behind one name of it. */
function fitting(found: readonly Snippet[], budget: number): readonly Snippet[] {
  let left = budget;
  const taken: Snippet[] = [];
  for (const snippet of found) {
    const at = snippet.kind === 'definition' ? taken.findIndex(({ path }) => path === snippet.path) : -1;
    const same = taken[at];
    const cost = same === undefined ? costOf(snippet) : estimateTokens(snippet.text);
    if (cost > left) continue;
    left -= cost;
    if (same === undefined) taken.push(snippet);
    else taken[at] = { ...same, text: same.text + snippet.text };
  }
  return taken;
}

function linesAbove({ before }: DocumentSnapshot): number {
  let lines = 0;
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) lines++;
  return lines;
}
