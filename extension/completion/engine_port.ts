/** What the completion pipeline needs of an engine. `extension/engine/` provides it; unit tests use a fake. */
import type { NativeCompletion, NativeError } from '../engine/native_types';

/** What an engine can be asked for. Greedy unless `temperature` is above 0. */
export interface EngineRequest {
  /** Text to condition on, already cut for token healing. Never parsed for control tokens. */
  readonly prompt: string;
  /** The generated text must begin with this, and it is left out of the result. */
  readonly requiredPrefix: string;
  /** Most tokens to generate, those that spell `requiredPrefix` not counted; at least 1. */
  readonly maxTokens: number;
  /** 0: greedy. */
  readonly temperature: number;
  readonly seed: number;
}

export type EngineAnswer =
  | { readonly ok: true; readonly value: NativeCompletion }
  | { readonly ok: false; readonly error: NativeError };

export type EngineState = 'loading' | 'ready' | 'failed' | 'stopped';

export interface CompletionEngine {
  readonly state: EngineState;
  readonly speed: {
    /** Tokens a second when reading a prompt; undefined until measured. */
    readonly prefillTokensPerSecond: number | undefined;
  };
  /** Most tokens of prompt and completion together; undefined when it is not known. */
  readonly context?: number | undefined;
  /** One line is completed. Aborting `signal` cancels synchronously; the answer then has the stop `cancelled`. */
  completeLine(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer>;
}
