/** The longest match of a sequence's end in texts, the obvious way: what `native/decode/document_memory.cpp` does with automata. */

/** What followed the longest match. */
export interface Followed {
  /** Tokens of the match. */
  readonly length: number;
  /** How often each token stood behind it. */
  readonly counts: ReadonlyMap<number, number>;
}

/** @param most Tokens of `sequence` that are compared, from its end on. */
export function longestMatch(
  sequence: readonly number[],
  texts: readonly Uint32Array[],
  most = 64,
): Followed {
  let length = 0;
  let counts = new Map<number, number>();
  for (const text of texts) {
    for (let end = 1; end < text.length; end++) {
      const matched = matchLength(sequence, text, end, most);
      if (matched === 0 || matched < length) continue;
      if (matched > length) counts = new Map();
      length = matched;
      const next = text[end] ?? 0;
      counts.set(next, (counts.get(next) ?? 0) + 1);
    }
  }
  return { length, counts };
}

/** Tokens before `end` in `text` that are those at the end of `sequence`. */
function matchLength(sequence: readonly number[], text: Uint32Array, end: number, most: number): number {
  const limit = Math.min(end, sequence.length, most);
  let length = 0;
  while (length < limit && text[end - 1 - length] === sequence[sequence.length - 1 - length]) length += 1;
  return length;
}
