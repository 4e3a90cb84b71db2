/** How late the thread of the extension host comes to what is due: the time that something else, in any extension, keeps it busy. */
import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import type { HistogramCounts } from '../../core/statistics/histogram';

/** How often it is looked at, ms; what Node.js records is the time from one look to the next. */
const EVERY_MS = 20;
/** Upper bounds of delays, ms. */
const BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const NS_PER_MS = 1e6;

export class ThreadDelay {
  private readonly delays: IntervalHistogram = monitorEventLoopDelay({ resolution: EVERY_MS });

  start(): void {
    this.delays.reset();
    this.delays.enable();
  }

  stop(): void {
    this.delays.disable();
  }

  /** Since it was started. */
  snapshot(): HistogramCounts {
    const { count } = this.delays;
    const upTo = BOUNDS.map((bound) => Math.round((count * this.percentAt(bound)) / 100));
    const counts = [...upTo, count].map((sum, at) => Math.max(0, sum - (upTo[at - 1] ?? 0)));
    return { bounds: BOUNDS, counts };
  }

  /** How many of a hundred looks were no later than that. */
  private percentAt(delayMs: number): number {
    const most = (delayMs + EVERY_MS) * NS_PER_MS;
    let percent = 0;
    for (const [at, value] of this.delays.percentiles) if (value <= most) percent = Math.max(percent, at);
    return percent;
  }
}
