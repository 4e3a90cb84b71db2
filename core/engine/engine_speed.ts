import type { NativeTimings } from './native_types';

/** Requests looked back at: enough to forget a hiccup, few enough to follow a machine that slows down. */
const WINDOW = 9;
/** Fewer new prompt tokens, or generated ones, say more about fixed costs than about speed. */
const MIN_PREFILLED = 32;
const MIN_GENERATED = 4;

/** How fast a model runs, as the median of the last requests: one that the system interrupted does not move it. */
export class EngineSpeed {
  private readonly prefill: number[] = [];
  private readonly decode: number[] = [];

  /** Takes in a finished or cancelled request. */
  record(timings: NativeTimings): void {
    const { promptTokens, reusedTokens, generatedTokens, queueMs, prefillMs, totalMs } = timings;
    const prefilled = promptTokens - reusedTokens;
    const read = timings.cancelPhase === 'none' || timings.cancelPhase === 'decode';
    if (read && prefilled >= MIN_PREFILLED && prefillMs > 0)
      push(this.prefill, (1_000 * prefilled) / prefillMs);
    const decodeMs = totalMs - queueMs - prefillMs;
    if (generatedTokens >= MIN_GENERATED && decodeMs > 0)
      push(this.decode, (1_000 * generatedTokens) / decodeMs);
  }

  /** Tokens a second when reading a prompt; undefined until measured. */
  get prefillTokensPerSecond(): number | undefined {
    return median(this.prefill);
  }

  /** Tokens a second when generating; undefined until measured. */
  get decodeTokensPerSecond(): number | undefined {
    return median(this.decode);
  }
}

function push(values: number[], value: number): void {
  values.push(value);
  if (values.length > WINDOW) values.shift();
}

/** Of an even number of values the upper one; undefined of none. */
export function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
