/** A pause of suggestions that ends by itself. */
import { uptime } from 'node:os';

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
  private readonly elapsed: () => number;
  private readonly changed: () => void;
  private pause: { readonly end: number; readonly timeOfDay: number } | undefined;
  private timer: NodeJS.Timeout | undefined;

  /**
   * @param now The time of day, ms since 1970, which is only told to the user.
   * @param changed Called when a pause begins, ends, or gets another length.
   * @param elapsed Since some moment, ms, whatever is done to the time of day: a pause goes on while the machine sleeps.
   */
  constructor(now: () => number, changed: () => void, elapsed = () => 1_000 * uptime()) {
    this.now = now;
    this.elapsed = elapsed;
    this.changed = changed;
  }

  /** When it ends, ms since 1970 as of its beginning: infinite until the editor starts again; undefined where there is none. */
  get until(): number | undefined {
    const { pause } = this;
    // The timer comes late where the machine slept.
    return pause !== undefined && pause.end > this.elapsed() ? pause.timeOfDay : undefined;
  }

  begin(length: PauseLength): void {
    clearTimeout(this.timer);
    const ms = LENGTH_MS[length];
    this.pause = { end: this.elapsed() + ms, timeOfDay: this.now() + ms };
    if (ms !== Infinity) this.timer = setTimeout(() => this.finish(), ms);
    this.changed();
  }

  /** Called where somebody works: ends a pause that the machine slept through, and says so. */
  look(): void {
    if (this.until === undefined) this.finish();
  }

  /** Ends it; nothing happens where there is none. */
  finish(): void {
    clearTimeout(this.timer);
    if (this.pause === undefined) return;
    this.pause = undefined;
    this.changed();
  }

  dispose(): void {
    clearTimeout(this.timer);
  }
}
