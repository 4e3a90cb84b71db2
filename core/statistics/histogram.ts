/** Counts of values in buckets that are chosen once: so many numbers, however many values come. */

export interface HistogramCounts {
  /** Upper bounds of all buckets but the last, which has none; a value lies in the first whose bound it does not exceed. */
  readonly bounds: readonly number[];
  /** One more than the bounds. */
  readonly counts: readonly number[];
}

export class Histogram {
  private readonly bounds: readonly number[];
  private readonly counts: Float64Array;

  /** @param bounds Ascending. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    let at = 0;
    // A dozen bounds: looking at each is quicker than anything cleverer.
    while (at < this.bounds.length && value > (this.bounds[at] ?? Infinity)) at++;
    this.counts[at] = (this.counts[at] ?? 0) + 1;
  }

  snapshot(): HistogramCounts {
    return { bounds: [...this.bounds], counts: [...this.counts] };
  }
}

export function countOf({ counts }: HistogramCounts): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * The bucket in which the value lies that `part` of all do not exceed, as its bounds; undefined where nothing was counted.
 * @param part 0 to 1.
 */
export function quantileOf(
  histogram: HistogramCounts,
  part: number,
): { readonly from: number; readonly to: number } | undefined {
  const { bounds, counts } = histogram;
  const wanted = Math.max(1, Math.ceil(part * countOf(histogram)));
  let sum = 0;
  for (const [at, count] of counts.entries()) {
    sum += count;
    if (sum >= wanted) return { from: bounds[at - 1] ?? 0, to: bounds[at] ?? Infinity };
  }
  return undefined;
}
