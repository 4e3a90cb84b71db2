/**
 * The canonical spelling of JSON scalars: the one that grammars of JSON documents read and write (RFC 8259 leaves many). Strings
 * have the shortest escapes and only where one is needed; numbers are written out, without an exponent and without
 * trailing zeros.
 */

/** An exact number with more digits than this keeps its exponent. */
const MOST_DIGITS = 400;

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** @param value The decoded text; half a surrogate pair becomes U+FFFD. */
export function canonicalString(value: string): string {
  return JSON.stringify(wellFormed(value));
}

/** The number that `spelling` is, or `spelling` where that is none. */
export function canonicalNumber(spelling: string): string {
  const parts = NUMBER.exec(spelling);
  if (parts === null) return spelling;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (/^0*$/.test(digits)) return '0';
  if (Math.abs(point) > MOST_DIGITS || digits.length > MOST_DIGITS) return spelling;
  const left = point <= 0 ? '' : digits.slice(0, point).padEnd(point, '0');
  const right = point <= 0 ? '0'.repeat(-point) + digits : digits.slice(point);
  const integer = left.replace(/^0+(?=\d)/, '') || '0';
  const decimals = right.replace(/0+$/, '');
  return sign + integer + (decimals === '' ? '' : `.${decimals}`);
}

function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
}
