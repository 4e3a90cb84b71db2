/** The middle value; of an even number of them, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('No values have no median.');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** The smallest value that is at least as large as `share` of them, 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('No values have no quantiles.');
  return value;
}

/** Which way is ahead. */
export type Better = 'higher' | 'lower';

/** How many times better `ours` is than `other`: above 1 we are ahead. */
export function ratioOf(ours: number, other: number, better: Better): number {
  return better === 'higher' ? ours / other : other / ours;
}

/** Pearson's correlation of two vectors of the same length, -1 to 1. */
export function correlation(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const mean = (values: ArrayLike<number>): number =>
    Array.from(values).reduce((sum, value) => sum + value, 0) / values.length;
  const [meanA, meanB] = [mean(a), mean(b)];
  let product = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < a.length; i++) {
    const fromA = (a[i] ?? 0) - meanA;
    const fromB = (b[i] ?? 0) - meanB;
    product += fromA * fromB;
    squaresA += fromA * fromA;
    squaresB += fromB * fromB;
  }
  return product / Math.sqrt(squaresA * squaresB);
}

/** Indices of the `count` largest values, largest first. */
export function largest(values: ArrayLike<number>, count: number): number[] {
  return Array.from({ length: values.length }, (_, index) => index)
    .sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0))
    .slice(0, count);
}

/**
 * McNemar's test for pairs, exact and two-sided: how likely it is that of `b + c` pairs that differ at least as many differ the same
 * way when both ways are equally likely.
 * @param b Pairs that differ one way, a whole number from 0.
 * @param c Those that differ the other way.
 */
export function mcnemar(b: number, c: number): number {
  const n = b + c;
  // In logarithms: 2^-n leaves the range of a double at some thousand pairs.
  let log = -n * Math.LN2;
  let tail = 0;
  for (let k = 0; k <= Math.min(b, c); k++) {
    tail += Math.exp(log);
    log += Math.log(n - k) - Math.log(k + 1);
  }
  return Math.min(1, 2 * tail);
}
