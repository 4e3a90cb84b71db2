/** Questions about single UTF-16 units and characters. */

const IDENTIFIER = /[\p{L}\p{N}_$]/u;

export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

export function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** True when a character is cut in two between `before` and `after`. */
export function splitsCharacter(before: string, after: string): boolean {
  return isHighSurrogate(before.charCodeAt(before.length - 1)) && isLowSurrogate(after.charCodeAt(0));
}

/** Letters, digits, `_`, and `$` in front of a letter or `_`: what a name of most languages may go on with at the start of `text`. */
export function startsWithIdentifier(text: string): boolean {
  return /^(?:[\p{L}\p{N}_]|\$[\p{L}_])/u.test(text);
}

/** Letters, digits, `_` and `$` at the end of `text`. */
export function endsWithIdentifier(text: string): boolean {
  const last = Array.from(text.slice(-2)).at(-1);
  return last !== undefined && IDENTIFIER.test(last);
}

/**
 * Control characters that no editor shows as text, and the sign of bytes that were none; tab and line breaks are text. One of
 * them is enough to spoil a suggestion.
 */
// oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
export const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/;

/** A NUL stands in no text. */
const NUL = '\u0000';
/** Text has a few odd characters at times: colours of a terminal, a form feed between pages, a damaged byte. */
const MAX_ODD = 3;
/** Where there are more, binary data has at least this share of them; bytes at random have over a tenth. */
const BINARY_SHARE = 0.02;

/** True when `text`, a part of a document, is binary data. A form feed counts as whitespace. */
export function looksBinary(text: string): boolean {
  if (text.includes(NUL)) return true;
  let odd = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character !== '\f' && UNPRINTABLE.test(character)) odd++;
  }
  return odd > MAX_ODD && odd > text.length * BINARY_SHARE;
}
