/**
 * A byte-level BPE vocabulary of a given size, as GPT-2 has one: the 256 bytes, then tokens that merges make of them.
 *
 * The merges build words of small letters with and without a space before them, shortest first, so that every text has a
 * tokenization and a word of two letters after a space is one token.
 */

/** `tokenizer.ggml.token_type`. */
const NORMAL = 1;
const CONTROL = 3;

export interface Vocabulary {
  readonly tokens: readonly string[];
  readonly types: readonly number[];
  /** `left right` each, the ones that go first first. */
  readonly merges: readonly string[];
}

/** Control tokens by id; the rest of the ids, in order, are bytes and merged tokens. */
export type ControlTokens = ReadonlyMap<number, string>;

// The commonest first.
const LETTERS = Array.from('etaoinshrdlucmfwypvbgkjqxz');

/** The letter that stands for each byte in token texts (the table of GPT-2's encoder). */
export function byteLetters(): readonly string[] {
  const printable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  let others = 0;
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCodePoint(printable(byte) ? byte : 256 + others++),
  );
}

/** A text as tokens' texts spell it. */
export function inByteLetters(text: string): string {
  const letters = byteLetters();
  return Array.from(Buffer.from(text), (byte) => letters[byte]).join('');
}

/** Throws RangeError when the merges do not suffice for `size` tokens. */
export function makeVocabulary(size: number, controls: ControlTokens): Vocabulary {
  const letters = byteLetters();
  const merged = mergedTokens(letters[0x20] ?? ' ', size - letters.length - controls.size);
  const normal = [...letters, ...merged.map(({ left, right }) => left + right)].values();
  const tokens: string[] = [];
  const types: number[] = [];
  for (let id = 0; id < size; id++) {
    const control = controls.get(id);
    tokens.push(control ?? normal.next().value ?? '');
    types.push(control === undefined ? NORMAL : CONTROL);
  }
  return { tokens, types, merges: merged.map(({ left, right }) => `${left} ${right}`) };
}

interface Merge {
  readonly left: string;
  readonly right: string;
}

function mergedTokens(space: string, count: number): Merge[] {
  const merges: Merge[] = [];
  for (const merge of allMerges(space)) {
    if (merges.length === count) return merges;
    merges.push(merge);
  }
  if (merges.length === count) return merges;
  throw new RangeError(`A vocabulary with ${count} merged tokens cannot be made of ${merges.length}.`);
}

function* allMerges(space: string): Generator<Merge> {
  const pairs = LETTERS.flatMap((left) => LETTERS.map((right) => left + right));
  for (const right of LETTERS) yield { left: space, right };
  for (const left of LETTERS) for (const right of LETTERS) yield { left, right };
  for (const left of LETTERS) for (const right of LETTERS) yield { left: space + left, right };
  for (const left of pairs) for (const right of LETTERS) yield { left, right };
  for (const left of pairs) for (const right of LETTERS) yield { left: space + left, right };
  for (const left of pairs) for (const right of pairs) yield { left, right };
}
