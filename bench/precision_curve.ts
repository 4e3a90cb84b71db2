/** How many suggestions are right of those that are shown, by how sure a suggestion has to be. */

export interface Judged {
  /** 0 to 1. */
  readonly certainty: number;
  readonly right: boolean;
}

export interface CurvePoint {
  /** Shown, percent of all. */
  readonly share: number;
  /** Right, percent of those shown. */
  readonly precision: number;
}

/** Fewer say nothing: one that is wrong would move the curve by more than five points. */
const LEAST_SHOWN = 20;
/** A curve needs no more. */
const MOST_POINTS = 200;

/**
 * From the surest ones on to all of them.
 * @param of How many there were in all, those that are never shown included.
 */
export function precisionCurve(judged: readonly Judged[], of: number): CurvePoint[] {
  const sorted = judged.toSorted((a, b) => b.certainty - a.certainty);
  const step = Math.max(1, Math.ceil(sorted.length / MOST_POINTS));
  let right = 0;
  return sorted.flatMap((one, index) => {
    if (one.right) right += 1;
    const shown = index + 1;
    // Of equally sure ones all are shown or none.
    const tied = sorted[shown]?.certainty === one.certainty;
    if (shown < LEAST_SHOWN || tied || (shown % step !== 0 && shown < sorted.length)) return [];
    return [{ share: (100 * shown) / of, precision: (100 * right) / shown }];
  });
}

/** Where the curve stands that shows what is at least so sure; undefined where that is nothing. */
export function pointAt(
  judged: readonly Judged[],
  of: number,
  leastCertainty: number,
): CurvePoint | undefined {
  const shown = judged.filter(({ certainty }) => certainty >= leastCertainty);
  if (shown.length === 0) return undefined;
  const right = shown.filter((one) => one.right).length;
  return { share: (100 * shown.length) / of, precision: (100 * right) / shown.length };
}
