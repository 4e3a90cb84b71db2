/** Numbers as they are read on the page. */

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const THREE_DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export const wholeText = (value: number): string => WHOLE.format(value);

/** `27.8`, `2,200`. */
export const rateText = (value: number): string => THREE_DIGITS.format(value);

/** `0.4`, `12`, of milliseconds. */
export const msText = (value: number): string => (value < 10 ? THREE_DIGITS : WHOLE).format(round(value));

/** `42 %`; a dash where there is nothing to divide. */
export const percentText = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${WHOLE.format((100 * part) / whole)} %`;

/** `1 suggestion`, `12 suggestions`. */
export const countText = (count: number, one: string, many = `${one}s`): string =>
  `${WHOLE.format(count)} ${count === 1 ? one : many}`;

function round(value: number): number {
  return Math.round(10 * value) / 10;
}
