/**
 * What is learnt from finished requests: how fast this machine reads a prompt, and how far token estimates are off. From both
 * follows how long a prompt may be so that the first ghost text of a file is still in time.
 */
import type { NativeTimings } from '../engine/native_types';

/** Reading an unseen prompt may take this long, ms; with decoding it stays under two seconds to the first ghost text. */
const PREFILL_TARGET_MS = 1_100;
/** The budget before anything is measured: about a second on a slow machine. */
const UNMEASURED_TOKENS = 256;
const MIN_TOKENS = 128;
/** More gains little with a small model, and attention grows with it. */
const MAX_TOKENS = 1_024;
/** Too few tokens say little about speed: fixed costs dominate. */
const MIN_SAMPLE = 32;
/** A budget that moves with every measurement would move the prompt's front, and lose the KV cache with it. */
const STEP = 1.25;
const WEIGHT = 0.3;

export class SpeedMeter {
  private tokensPerMs: number | undefined;
  private scale = 1;
  private budget = UNMEASURED_TOKENS;

  /** Takes in a finished request; `estimated` is what `estimateTokens` said of its prompt. */
  record(timings: NativeTimings, estimated: number): void {
    const prefilled = timings.promptTokens - timings.reusedTokens;
    if (estimated >= MIN_SAMPLE && timings.promptTokens > 0) {
      this.scale = mix(this.scale, timings.promptTokens / estimated);
    }
    if (timings.cancelPhase !== 'none' || prefilled < MIN_SAMPLE || timings.prefillMs <= 0) return;
    const measured = prefilled / timings.prefillMs;
    this.tokensPerMs = this.tokensPerMs === undefined ? measured : mix(this.tokensPerMs, measured);
    const ideal = Math.min(MAX_TOKENS, Math.max(MIN_TOKENS, this.tokensPerMs * PREFILL_TARGET_MS));
    if (ideal > this.budget * STEP || ideal * STEP < this.budget) this.budget = Math.round(ideal);
  }

  /** Tokens a second when reading a prompt; undefined until measured. */
  get prefillTokensPerSecond(): number | undefined {
    return this.tokensPerMs === undefined ? undefined : this.tokensPerMs * 1_000;
  }

  /** Real tokens for each estimated one. */
  get tokensPerEstimate(): number {
    return this.scale;
  }

  /** The prompt budget that follows the measured speed, tokens. */
  get promptTokens(): number {
    return this.budget;
  }
}

function mix(old: number, latest: number): number {
  return old + WEIGHT * (latest - old);
}
