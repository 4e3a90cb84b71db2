/** How late the thread of the extension host comes to what is due: the time that something else, in any extension, keeps it busy. */
import { Histogram, type HistogramCounts } from '../../core/statistics/histogram';

/** How often it is looked at, ms. */
const EVERY_MS = 20;
/** Upper bounds of delays, ms. */
const BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

export class ThreadDelay {
  private readonly now: () => number;
  private delays = new Histogram(BOUNDS);
  private timer: NodeJS.Timeout | undefined;

  /** @param now Of a clock that nobody sets, ms. */
  constructor(now = () => performance.now()) {
    this.now = now;
  }

  start(): void {
    this.stop();
    this.delays = new Histogram(BOUNDS);
    let last = this.now();
    this.timer = setInterval(() => {
      const now = this.now();
      this.delays.add(now - last - EVERY_MS);
      last = now;
    }, EVERY_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  /** Since it was started. */
  snapshot(): HistogramCounts {
    return this.delays.snapshot();
  }
}
