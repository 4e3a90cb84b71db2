/** A pause of suggestions that ends by itself. */

/** How long a pause may last. */
export const PAUSES = ['fiveMinutes', 'hour', 'untilRestart'] as const;
export type PauseLength = (typeof PAUSES)[number];

const LENGTH_MS: Readonly<Record<PauseLength, number>> = {
  fiveMinutes: 5 * 60_000,
  hour: 60 * 60_000,
  untilRestart: Infinity,
};

export class Pause {
  private readonly now: () => number;
  private readonly changed: () => void;
  private end: number | undefined;
  private ms = 0;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param now The time of day, ms since 1970: a pause goes on while the machine sleeps.
   * @param changed Called when a pause begins, ends, or gets another length.
   */
  constructor(now: () => number, changed: () => void) {
    this.now = now;
    this.changed = changed;
  }

  /** When it ends, ms since 1970: infinite until the editor starts again; undefined where there is none. */
  get until(): number | undefined {
    const now = this.now();
    // The timer comes late where the machine slept.
    if (this.end === undefined || this.end <= now) return undefined;
    // A clock that was set back makes it no longer.
    this.end = Math.min(this.end, now + this.ms);
    return this.end;
  }

  begin(length: PauseLength): void {
    clearTimeout(this.timer);
    this.ms = LENGTH_MS[length];
    this.end = this.now() + this.ms;
    if (this.ms !== Infinity) this.timer = setTimeout(() => this.finish(), this.ms);
    this.changed();
  }

  /** Ends it; nothing happens where there is none. */
  finish(): void {
    clearTimeout(this.timer);
    if (this.end === undefined) return;
    this.end = undefined;
    this.changed();
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
