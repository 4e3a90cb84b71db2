/** How long a remote engine that failed is left alone: twice as long each time, and a little at random, so that a team does not come back all at once. */
import type { NativeError } from '../engine/native_result';
import { isLasting, type RemoteError } from './errors';

/** The first pause and the longest, ms. */
const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
/** The longest that a server may ask for, ms. */
const LONGEST_WISH_MS = 300_000;
/** A server may be late so often in a row before that counts as a failure: reading a new file takes longer once. */
const LATE_PARDONED = 2;

export class BackOff {
  private readonly now: () => number;
  private readonly random: () => number;
  private failures = 0;
  private lates = 0;
  private until = 0;
  private failure: NativeError | undefined;

  /** @param random 0 to 1. */
  constructor(now: () => number = () => performance.now(), random: () => number = Math.random) {
    this.now = now;
    this.random = random;
  }

  /** How long it is not to be asked, ms; 0: it may be. */
  get pausedMs(): number {
    return Math.max(0, this.until - this.now());
  }

  /** Whether the last thing known of it is a failure: whoever asks now tries whether it is back. */
  get doubted(): boolean {
    return this.failures > 0;
  }

  /** Why it did not answer last; undefined once it did. */
  get reason(): NativeError | undefined {
    return this.failure;
  }

  succeeded(): void {
    this.failures = 0;
    this.lates = 0;
    this.until = 0;
    this.failure = undefined;
  }

  failed(error: RemoteError | NativeError): void {
    this.failure = error;
    if (error.code === 'REMOTE_LATE' && ++this.lates <= LATE_PARDONED) return;
    this.failures++;
    const wish = 'retryAfterMs' in error ? (error.retryAfterMs ?? 0) : 0;
    const doubled = FIRST_MS * 2 ** Math.min(this.failures - 1, 16);
    const most = isLasting(error) ? LONGEST_MS : Math.min(doubled, LONGEST_MS);
    const pause = Math.max(most * (1 - this.random() / 2), Math.min(wish, LONGEST_WISH_MS));
    this.until = this.now() + pause;
  }
}
