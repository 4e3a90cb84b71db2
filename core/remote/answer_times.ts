/**
 * How long a remote engine usually takes to answer, and so from when on the engine of this machine works beside it: a hedged request (Dean and Barroso,
 * The Tail at Scale, 2013, sends a second one after the 95th percentile). While the remote engine is well, that is one request of twenty: the others cost
 * this machine nothing.
 */

/** Of so many answers, the last ones. */
const KEPT = 40;
/** Fewer say nothing of a percentile. */
const FEWEST = 8;
const QUANTILE = 0.95;
/** Parts of the time limit: where little is known yet, at least, and at most. */
const UNKNOWN = 1 / 8;
const LEAST = 1 / 16;
const MOST = 1 / 2;

export class AnswerTimes {
  private readonly times: number[] = [];

  /** @param ms From the question to the answer, or to where it was given up. */
  add(ms: number): void {
    if (this.times.push(ms) > KEPT) this.times.shift();
  }

  /**
   * Who has not answered after so long is later than usual, ms.
   * @param limitMs When it has to be there.
   */
  usualMs(limitMs: number): number {
    if (this.times.length < FEWEST) return limitMs * UNKNOWN;
    const sorted = this.times.toSorted((one, other) => one - other);
    const usual = sorted[Math.ceil(QUANTILE * sorted.length) - 1] ?? 0;
    return Math.min(Math.max(usual, limitMs * LEAST), limitMs * MOST);
  }
}
