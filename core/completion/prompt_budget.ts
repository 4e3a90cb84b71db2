/**
 * How long a prompt may be, so that the first ghost text of a file is still in time: it follows how fast the engine
 * reads prompts, and how far token estimates turned out to be off.
 */
import type { NativeTimings } from '../engine/native_types';

/** Reading an unseen prompt may take this long, ms; with decoding it stays under two seconds to the first ghost text. */
const PREFILL_TARGET_MS = 1_100;
/** The budget before anything is measured: about a second on a slow machine. */
const UNMEASURED_TOKENS = 256;
const MIN_TOKENS = 128;
/** More gains little with a small model, and attention grows with it. */
const MAX_TOKENS = 1_024;
/** A budget that moved with every measurement would move the prompt's front, and lose the KV cache with it. */
const STEP = 1.25;
/** Shorter prompts say little about estimates. */
const MIN_SAMPLE = 32;
/** How much the latest request counts. */
const WEIGHT = 0.3;

export class PromptBudget {
  private scale = 1;
  private budget = UNMEASURED_TOKENS;

  /**
   * Takes in a request.
   * @param estimated What `estimateTokens` said of its prompt.
   * @param tokensPerSecond How fast the engine reads prompts, undefined when it is not known.
   */
  record(timings: NativeTimings, estimated: number, tokensPerSecond: number | undefined): void {
    if (estimated >= MIN_SAMPLE && timings.promptTokens > 0) {
      this.scale += WEIGHT * (timings.promptTokens / estimated - this.scale);
    }
    if (tokensPerSecond === undefined) return;
    const ideal = Math.min(MAX_TOKENS, Math.max(MIN_TOKENS, (tokensPerSecond * PREFILL_TARGET_MS) / 1_000));
    if (ideal > this.budget * STEP || ideal * STEP < this.budget) this.budget = Math.round(ideal);
  }

  /** Most tokens of a prompt. */
  get tokens(): number {
    return this.budget;
  }

  /** `tokens` in the unit of `estimateTokens`. */
  estimateOf(tokens: number): number {
    return tokens / this.scale;
  }
}
