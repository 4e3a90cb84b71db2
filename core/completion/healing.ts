/**
 * Token healing. A cursor rarely stands where the tokenizer would end a token: `foo(` may be continued by a token `("`, and a
 * newline is joined with the indentation after it. So the tail that may belong to a longer token is taken off the
 * prompt, and the engine is made to spell it again with the first tokens it generates.
 */

/** More than this, UTF-16 units, is not taken off: spelling it again costs a decode step a token (base64 text, rulers of dashes). */
export const MAX_HEALED = 128;

export interface Healed {
  /** What the model reads. */
  readonly prompt: string;
  /** What it must write first; `prompt + requiredPrefix` is the text before the cursor. */
  readonly requiredPrefix: string;
}

/**
 * The last run of letters, digits or punctuation: BPE pre-tokenizers split between these classes, so no token
 * reaches over the run's start but for the whitespace before it.
 */
const LAST_RUN = /(?:\p{L}+|\p{N}+|[^\s\p{L}\p{N}]+)$/u;
const WHITESPACE = /\s+$/;

/** Takes the last partial word with the whitespace before it, or the newline with the indentation, off `before`. */
export function heal(before: string): Healed {
  // Looking at the tail alone keeps a keystroke cheap. One unit more than may be taken shows whether a run goes on.
  const tail = before.slice(-(MAX_HEALED + 1));
  const run = LAST_RUN.exec(tail)?.[0] ?? '';
  const space = WHITESPACE.exec(tail.slice(0, tail.length - run.length))?.[0] ?? '';
  let taken = space.length + run.length;
  if (taken > MAX_HEALED) taken = run.length > 0 && run.length <= MAX_HEALED ? run.length : 0;
  const cut = before.length - taken;
  return { prompt: before.slice(0, cut), requiredPrefix: before.slice(cut) };
}
