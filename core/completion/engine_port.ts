/** What the completion pipeline needs of an engine. `core/engine/` provides it; unit tests use a fake. */
import type { NativeDrafting } from '../engine/native_drafting';
import type { NativeGrammarUse } from '../engine/native_grammar';
import type {
  NativeCompletion,
  NativeError,
  NativeFim,
  NativePrompt,
  NativeSampling,
} from '../engine/native_types';

/** What an engine can be asked for. */
export interface EngineRequest {
  /** What to condition on, already cut for token healing. */
  readonly prompt: NativePrompt;
  /** Parse control tokens written out in the texts of `prompt`, as templates have them; never with text of a document as it is. Default: false. */
  readonly parseSpecial?: boolean;
  /** The generated text must begin with this, and it is left out of the result. */
  readonly requiredPrefix: string;
  /** Most tokens to generate, those that spell `requiredPrefix` not counted; at least 1. */
  readonly maxTokens: number;
  readonly sampling: NativeSampling;
  /** Which drafts there may be: they change how soon the text is there; the text itself only where a draft model draws tokens. */
  readonly drafting: Pick<NativeDrafting, 'lookup' | 'model'>;
  /** Texts in which drafts are looked up beside the prompt, nearest first. */
  readonly references: readonly string[];
  /** What the text has to be, from the healed tail on; left out: anything. */
  readonly grammar?: NativeGrammarUse;
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
  /** What the model's file says about filling in the middle; undefined where it says nothing. */
  readonly fim?: NativeFim | undefined;
  /** True while text is generated: a request now would end that. */
  readonly generating?: boolean;
  /** One line is completed. Aborting `signal` cancels synchronously; the answer then has the stop `cancelled`. */
  completeLine(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer>;
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
