import type { NativeTimings } from '../core/engine/native_types';

/** The timings of a request under the names that scripts read. */
export function timingsJson(timings: NativeTimings): object {
  return {
    prompt_tokens: timings.promptTokens,
    reused_tokens: timings.reusedTokens,
    generated_tokens: timings.generatedTokens,
    prefill_ms: timings.prefillMs,
    first_token_ms: timings.firstTokenMs,
    total_ms: timings.totalMs,
  };
}
