/** Whether a figure that was measured again and again stays where it was. */
import { median } from '../statistics';

export interface Point {
  /** Since the start, seconds. */
  readonly seconds: number;
  readonly value: number;
}

export interface Growth {
  readonly from: number;
  readonly to: number;
  /** Points that were compared; with fewer than LEAST_POINTS nothing can be said. */
  readonly points: number;
}

/** Of each third that is compared. */
const LEAST_A_THIRD = 3;
export const LEAST_POINTS = 3 * LEAST_A_THIRD;
const WARM_UP_SECONDS = 300;

/** What passes before anything has to be flat: five minutes, or a quarter of a shorter run, seconds. */
export function warmUpOf(seconds: number): number {
  return Math.min(WARM_UP_SECONDS, seconds / 4);
}

/**
 * From the first third behind the warm-up to the last one, both as medians: an unloaded model or a single peak is no growth, a step that stays is.
 * Undefined of too few points.
 */
export function growthOf(points: readonly Point[], warmUpSeconds: number): Growth | undefined {
  const warm = points.filter(({ seconds }) => seconds >= warmUpSeconds).map(({ value }) => value);
  if (warm.length < LEAST_POINTS) return undefined;
  const third = Math.floor(warm.length / 3);
  return { from: median(warm.slice(0, third)), to: median(warm.slice(-third)), points: warm.length };
}

/** @param share May be gained, of the first third's median, and as much as `absolute`, whichever is more. */
export function isFlat({ from, to }: Growth, share: number, absolute = 0): boolean {
  return to - from <= Math.max(from * share, absolute);
}
