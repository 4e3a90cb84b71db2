/** Pieces of other files that a model reads beside the document, where it was taught to. */
import { pathLine } from './prompt';
import { estimateTokens } from './token_estimate';

export interface Snippet {
  /** As the path of a document. */
  readonly path: string;
  readonly languageId: string;
  readonly text: string;
}

/** As many of the snippets as fit in `budget` (estimated tokens), first ones first, each behind its path line. */
export function snippetsWithin(snippets: readonly Snippet[], budget: number): string[] {
  const taken: string[] = [];
  let left = budget;
  for (const { path, languageId, text } of snippets) {
    const named = pathLine(languageId, path) + text;
    const cost = estimateTokens(named);
    if (cost > left) continue;
    left -= cost;
    taken.push(named);
  }
  return taken;
}
