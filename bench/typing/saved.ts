/** Keys that the ideal user saves, and how far one way of suggesting is ahead of another in that. */
import type { TypedStretch } from './typing_session';

/** Keys saved of those that were needed, those of acceptances taken off, percent. */
export function savedPercent(typed: readonly TypedStretch[]): number {
  const sum = (of: (one: TypedStretch) => number): number => typed.reduce((total, one) => total + of(one), 0);
  const needed = sum((one) => one.needed);
  return needed === 0 ? 0 : (100 * (needed - sum((one) => one.pressed))) / needed;
}

export interface Lead {
  /** Keys saved more, points of percent. */
  readonly points: number;
  /** Standard error of that, points of percent; NaN of a single stretch. */
  readonly error: number;
}

/**
 * The error is that of the jackknife which leaves out one stretch at a time (Efron and Stein, "The jackknife estimate of variance", 1981): stretches differ by
 * far more than what is tried on them.
 * @param ours, theirs The same stretches in the same order.
 */
export function leadOf(ours: readonly TypedStretch[], theirs: readonly TypedStretch[]): Lead {
  const without = (typed: readonly TypedStretch[], index: number): TypedStretch[] =>
    typed.filter((_, each) => each !== index);
  const points = savedPercent(ours) - savedPercent(theirs);
  const partial = ours.map((_, at) => savedPercent(without(ours, at)) - savedPercent(without(theirs, at)));
  const mean = partial.reduce((sum, one) => sum + one, 0) / partial.length;
  const squares = partial.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const error = partial.length < 2 ? NaN : Math.sqrt((squares * (partial.length - 1)) / partial.length);
  return { points, error };
}
