/** What the completion pipeline needs of an engine. `core/engine/` provides it; unit tests use a fake. */
import type { EngineAnswer, EngineRequest } from '../engine/engine_request';
import type { NativeFim } from '../engine/native_types';

export type EngineState = 'loading' | 'ready' | 'failed' | 'stopped';

export interface CompletionEngine {
  readonly state: EngineState;
  readonly speed: {
    /** Tokens a second when reading a prompt; undefined until measured. */
    readonly prefillTokensPerSecond: number | undefined;
  };
  /** Most tokens of prompt and completion together; undefined when it is not known. */
  readonly context?: number | undefined;
  /** What the model's file says about filling in the middle; undefined where it says nothing. */
  readonly fim?: NativeFim | undefined;
  /** How many parameters the model has; undefined when it is not known. */
  readonly parameters?: number | undefined;
  /** True while text is generated: a request now would end that. */
  readonly generating?: boolean;
  /** Aborting `signal` cancels synchronously; the answer then has the stop `cancelled`. */
  complete(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer>;
}

/** An engine that can go on over several lines as well. */
export interface GenerationEngine extends CompletionEngine {
  /** Continues the text, as far as the model does. Aborting `signal` as above. `onText` receives pieces as they are made. */
  generate(
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer>;
}
