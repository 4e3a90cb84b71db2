/** How sure the model was of a text, token by token: what is left of that once a part is typed, and what a part of it is worth. */

/** Of the tokens of a text, in order. */
export interface TokenCourse {
  /** How probable each was, 0 to 1. */
  readonly probabilities: Float32Array;
  /** Where the text ends behind each, UTF-16 units; they never decrease. A token that ended the text has no units of its own. */
  readonly ends: Uint32Array;
}

/**
 * The course of a text from `from` on, UTF-16 units. A token that is typed in part is as much less of a guess: each of its units is taken to
 * be as probable as any other.
 */
export function courseFrom({ probabilities, ends }: TokenCourse, from: number): TokenCourse {
  const first = ends.findIndex((end, index) => end > from || isEmpty(ends, index, from));
  if (first < 0) return NOTHING;
  const rest = probabilities.slice(first);
  const start = ends[first - 1] ?? 0;
  const end = ends[first] ?? 0;
  if (start < from) rest[0] = (rest[0] ?? 0) ** ((end - from) / (end - start));
  return { probabilities: rest, ends: ends.slice(first).map((one) => one - from) };
}

const NOTHING: TokenCourse = { probabilities: new Float32Array(), ends: new Uint32Array() };

/** Whether a token has no units, and stands where the text ends that is typed. */
function isEmpty(ends: Uint32Array, index: number, from: number): boolean {
  return ends[index] === from && index > 0 && ends[index - 1] === from;
}

/**
 * How probable the model finds the first `length` units, and so all tokens that reach into them, 0 to 1.
 * @param length Undefined: all, and the token that ended it.
 */
export function probabilityOf({ probabilities, ends }: TokenCourse, length?: number): number {
  let product = 1;
  for (const [index, probability] of probabilities.entries()) {
    if (length !== undefined && (ends[index - 1] ?? 0) >= length) break;
    product *= probability;
  }
  return product;
}
