/** This process, as it measures itself. */
import { readdirSync } from 'node:fs';
import type { IntervalHistogram } from 'node:perf_hooks';
import { type LoopDelay, loopDelay, loopMonitor } from './loop_delay.mjs';

export interface Sample {
  /** Since the start, seconds. */
  readonly seconds: number;
  /** Resident memory and JS heap in use, bytes; after a collection. */
  readonly residentBytes: number;
  readonly heapBytes: number;
  /** What keeps the event loop alive: handles, requests and timers. */
  readonly resources: number;
  /** Undefined where there is no /proc. */
  readonly threads: number | undefined;
  readonly descriptors: number | undefined;
  readonly requests: number;
  readonly logBytes: number;
}

export class SelfMeasurement {
  private readonly began = performance.now();
  private readonly delay: IntervalHistogram = loopMonitor();
  private readonly taken: Sample[] = [];

  constructor() {
    this.delay.enable();
  }

  get samples(): readonly Sample[] {
    return this.taken;
  }

  get seconds(): number {
    return (performance.now() - this.began) / 1_000;
  }

  /** To be called while nothing is under way. */
  sample(counts: Pick<Sample, 'requests' | 'logBytes'>): void {
    // A collection that the measurement itself asks for is no delay of the product's; that the monitor counts the first look behind it from
    // the last one before it all the same is a fault of Node.js's, and makes the longest delays longer than they are.
    this.delay.disable();
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    this.taken.push({
      seconds: this.seconds,
      residentBytes: rss,
      heapBytes: heapUsed,
      resources: process.getActiveResourcesInfo().length,
      threads: entriesOf('/proc/self/task'),
      descriptors: entriesOf('/proc/self/fd'),
      requests: counts.requests,
      logBytes: counts.logBytes,
    });
    this.delay.enable();
  }

  /** Ends it. */
  stop(): LoopDelay {
    this.delay.disable();
    return loopDelay(this.delay);
  }
}

function entriesOf(folder: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  return readdirSync(folder).length;
}
