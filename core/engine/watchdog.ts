/**
 * Notices where an engine's thread stands still while somebody waits for it: a hang of the engine, of a driver or of the disk under a mapped file.
 *
 * It looks once a second and counts the looks in a row that found everything as it was. A clock is never read: a machine that slept, a JS thread that
 * was held, or a time of day that was set cost at most one look.
 */
import type { NativeError } from './native_result';
import type { NativeProgress } from './native_types';

const LOOK_MS = 1_000;
/** A slice of a prompt takes the largest models seconds on a machine that does nothing else. */
const LOOKS = 30;

/** Where a thread stands still, as it was found. */
export interface Standstill extends NativeProgress {
  /** For how long nothing moved, of time in which the machine was awake, seconds. */
  readonly seconds: number;
}

export interface WatchdogEvents {
  /** Called once where nothing moved for long. */
  readonly stoodStill: (standstill: Standstill) => void;
  /** Called once where it moves again, or nobody waits any more. */
  readonly movesAgain: () => void;
}

export class Watchdog {
  private readonly progress: () => NativeProgress;
  private readonly looks: number;
  private readonly lookMs: number;
  private events: WatchdogEvents | undefined;
  private waiting = 0;
  private timer: NodeJS.Timeout | undefined;
  private last = '';
  private unmoved = 0;

  /**
   * @param progress What the thread is at, at this moment.
   * @param looks After how many that found nothing moved it is said.
   */
  constructor(progress: () => NativeProgress, looks = LOOKS, lookMs = LOOK_MS) {
    this.progress = progress;
    this.looks = looks;
    this.lookMs = lookMs;
  }

  /** Whether it was said that the thread stands still, and nothing moved since. */
  get standsStill(): boolean {
    return this.unmoved >= this.looks;
  }

  /** Tells of it from now on. */
  tell(events: WatchdogEvents): void {
    this.events = events;
  }

  /** Somebody waits for the thread, until {@link end}. */
  begin(): void {
    this.waiting++;
    if (this.timer !== undefined) return;
    this.timer = setInterval(() => this.look(), this.lookMs);
    // Who waits keeps the process alive; this does not.
    this.timer.unref();
  }

  end(): void {
    this.waiting--;
    if (this.waiting > 0) return;
    // The timer is left to its next look: there is a request at every key.
    this.last = '';
    this.moved();
  }

  private look(): void {
    if (this.waiting === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const progress = this.progress();
    const now = JSON.stringify(progress);
    if (now !== this.last) {
      this.last = now;
      this.moved();
      return;
    }
    this.unmoved++;
    if (this.unmoved !== this.looks) return;
    this.events?.stoodStill({ ...progress, seconds: (this.looks * this.lookMs) / 1_000 });
  }

  private moved(): void {
    const { standsStill } = this;
    this.unmoved = 0;
    if (standsStill) this.events?.movesAgain();
  }
}

/**
 * What to say of it: no text of a document.
 * @param device With its threads, as NativeModelInfo has it.
 */
export function standstillError({ turns, phase, ...done }: Standstill, device: string): NativeError {
  const { seconds, promptTokens, generatedTokens } = done;
  const work = phase === 'prefill' ? 'reading a prompt' : 'writing a text';
  const at = turns % 2 === 0 ? 'between two jobs' : `while ${work} (${device})`;
  return {
    code: 'ENGINE_STANDS_STILL',
    message:
      `The engine has stood still for ${seconds} seconds ${at}, after ${promptTokens} tokens of a prompt and ` +
      `${generatedTokens} of a text; restart the engine, or the editor where that does not help.`,
  };
}
