/**
 * Pieces of other files that a model reads beside the document, where it was taught to. They stand in front of the document's text, so that
 * other ones cost reading all of it again: those that were chosen stay until that is read anew, or the cursor rests some way from where it was.
 */
import type { DocumentSnapshot } from './document';
import { pathLine } from './prompt';
import { estimateTokens } from './token_estimate';

export interface Snippet {
  /** As the path of a document. */
  readonly path: string;
  readonly languageId: string;
  readonly text: string;
}

/** Finds pieces for a place, the most useful first. */
export type FindSnippets = (document: DocumentSnapshot) => readonly Snippet[];

export interface ChosenSnippets {
  /** Each behind its path line. */
  readonly texts: readonly string[];
  /** Lines above the cursor when they were chosen. */
  readonly line: number;
}

/** So many lines further others may be more useful. */
const FAR_LINES = 12;

/** As many as fit in `budget` (estimated tokens), first ones first; none where there is nothing to find them with. */
export function chooseSnippets(
  document: DocumentSnapshot,
  find: FindSnippets | undefined,
  budget: number,
): ChosenSnippets {
  const texts: string[] = [];
  let left = budget;
  for (const { path, languageId, text } of find?.(document) ?? []) {
    const named = pathLine(languageId, path) + text;
    const cost = estimateTokens(named);
    if (cost > left) continue;
    left -= cost;
    texts.push(named);
  }
  return { texts, line: linesAbove(document) };
}

/** Whether those that were chosen stay. */
export function keeps(
  { texts, line }: ChosenSnippets,
  { document, rests = false }: { readonly document: DocumentSnapshot; readonly rests?: boolean | undefined },
): boolean {
  return !rests || (texts.length > 0 && Math.abs(linesAbove(document) - line) < FAR_LINES);
}

function linesAbove({ before }: DocumentSnapshot): number {
  let lines = 0;
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) lines++;
  return lines;
}
