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

/** Letters, digits, `_` and `$`: what most languages allow in a name. Also true for a name's character at the start of `text`. */
export function startsWithIdentifier(text: string): boolean {
  const first = text.codePointAt(0);
  return first !== undefined && IDENTIFIER.test(String.fromCodePoint(first));
}

/** Control characters that no editor shows as text; tab and line breaks are text. */
// eslint-disable-next-line no-control-regex -- finding control characters is the purpose
export const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/;
