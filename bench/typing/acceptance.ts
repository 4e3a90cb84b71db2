/** What the ideal user accepts: all that agrees with the file, and nothing else. */

export interface Acceptance {
  /** What of the suggestion stands in the document then. */
  readonly text: string;
  /** Keys pressed for it: one for all of a suggestion, else one a word. */
  readonly keys: number;
}

/** What an editor accepts at a time, word by word: a word; or blanks, or what else stands up to the next word, with the first blanks in it. */
const WORD = /[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]*\s+|[^\s\p{L}\p{N}_$]+/gu;
const IN_WORD = /^[\p{L}\p{N}_$]/u;

/**
 * Undefined where not even a word agrees.
 * @param following What the author wrote from the cursor on.
 */
export function acceptanceOf(suggestion: string, following: string): Acceptance | undefined {
  if (suggestion === '') return undefined;
  if (following.startsWith(suggestion)) return { text: suggestion, keys: 1 };
  let text = '';
  let keys = 0;
  let words = 0;
  for (const [piece] of suggestion.matchAll(WORD)) {
    const rest = following.slice(text.length);
    const isWord = IN_WORD.test(piece);
    if (!rest.startsWith(piece)) break;
    // The author's word goes on: it is another one.
    if (isWord && IN_WORD.test(rest.slice(piece.length))) break;
    text += piece;
    keys += 1;
    if (isWord) words += 1;
  }
  return words === 0 ? undefined : { text, keys };
}
