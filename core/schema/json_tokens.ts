/** The tokens of JSON with comments, from Microsoft's scanner, by names. */
import { createScanner } from 'jsonc-parser';

// In the order of the scanner's numbers: the enumeration of kinds exists in declarations only; a test compares them.
const KINDS = [
  'unknown',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  'word',
  'word',
  'word',
  'string',
  'number',
  'comment',
  'comment',
  'blanks',
  'blanks',
  'unknown',
] as const;
export type TokenKind = (typeof KINDS)[number];

export interface Token {
  readonly kind: TokenKind;
  /** UTF-16 units from the start of the text. */
  readonly start: number;
  readonly end: number;
  /** Of a string, what it stands for as far as that can be told; of others, the text. */
  readonly value: string;
  /** `open`: a string or a comment without its end. `wrong`: something in it is. */
  readonly state: 'whole' | 'open' | 'wrong';
}

const LINE_COMMENT = 12;
const END = 17;
const STATES: Readonly<Record<number, Token['state']>> = { 0: 'whole', 1: 'open', 2: 'open' };

export function* tokensOf(text: string): Generator<Token, void> {
  const scanner = createScanner(text);
  for (let kind: number = scanner.scan(); kind !== END; kind = scanner.scan()) {
    const start = scanner.getTokenOffset();
    const end = start + scanner.getTokenLength();
    // A comment that the line ends goes on where there is none.
    const state = kind === LINE_COMMENT && end === text.length ? 'open' : STATES[scanner.getTokenError()];
    yield {
      kind: KINDS[kind] ?? 'unknown',
      start,
      end,
      value: scanner.getTokenValue(),
      state: state ?? 'wrong',
    };
  }
}
