/** The time of a person who types, which nobody waits for; what an engine takes of it is measured. */

/** How long VS Code waits behind a key before it asks for a suggestion, ms. */
export const DEBOUNCE_MS = 50;

/** A cursor that does not move for this long rests, ms: as in extension/completion/preparer.ts. */
export const REST_MS = 300;

/** A time, ms; or, where what was timed was given up, how long that took: it would have taken longer. */
export interface Timed {
  readonly ms: number;
  readonly complete: boolean;
}

export interface Done<T> {
  readonly value: T;
  readonly ms: number;
}

export interface Clock {
  /** Does the work and says how long it took; it is told to give up after `limitMs`, which may be infinite. */
  readonly within: <T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>) => Promise<Done<T>>;
}

export const REAL_CLOCK: Clock = {
  within: async (limitMs, work) => {
    const controller = new AbortController();
    const timer = Number.isFinite(limitMs) ? setTimeout(() => controller.abort(), limitMs) : undefined;
    const began = performance.now();
    try {
      const value = await work(controller.signal);
      return { value, ms: performance.now() - began };
    } finally {
      clearTimeout(timer);
    }
  },
};

/** The times in order, each with the share of all that took no longer, where some were given up (Kaplan and Meier, 1958). */
export function distributionOf(times: readonly Timed[]): { ms: number; share: number }[] {
  const sorted = times.toSorted((a, b) => a.ms - b.ms);
  const points: { ms: number; share: number }[] = [];
  let longer = 1;
  for (const [index, { ms, complete }] of sorted.entries()) {
    if (!complete) continue;
    longer *= 1 - 1 / (sorted.length - index);
    points.push({ ms, share: 1 - longer });
  }
  return points;
}

/** The time that `share` of them, 0 to 1, do not exceed; the longest that is known where too many were given up. Undefined without any. */
export function timeQuantile(times: readonly Timed[], share: number): number | undefined {
  const enough = distributionOf(times).find((point) => point.share >= share - 1e-9);
  if (enough !== undefined) return enough.ms;
  return times.length === 0 ? undefined : Math.max(...times.map(({ ms }) => ms));
}
