/** What an engine is asked for, from the editor to the addon, and what comes back. */
import { MOST_DRAFTED, type NativeDrafting } from './native_drafting';
import type { NativeCompletion, NativeCompletionRequest, NativeSampling } from './native_types';
import type { NativeResult } from './native_result';

/** A {@link NativeCompletionRequest} whose id the engine chooses. What is left out is the default. */
export interface EngineRequest extends Partial<
  Omit<NativeCompletionRequest, 'id' | 'prompt' | 'maxTokens' | 'sampling' | 'drafting'>
> {
  readonly prompt: NativeCompletionRequest['prompt'];
  readonly maxTokens: NativeCompletionRequest['maxTokens'];
  /** Default: {@link GREEDY}. */
  readonly sampling?: Partial<NativeSampling>;
  /** Default: {@link NO_DRAFTING}. */
  readonly drafting?: Partial<NativeDrafting>;
}

export type EngineAnswer = NativeResult<NativeCompletion>;

export const GREEDY: NativeSampling = {
  temperature: 0,
  topK: 0,
  topP: 1,
  minP: 0,
  repeatPenalty: 1,
  penaltyWindow: 64,
  seed: 0,
};

export const NO_DRAFTING: NativeDrafting = {
  lookup: false,
  model: false,
  adaptive: true,
  most: MOST_DRAFTED,
};

/** Of the rest of a line, which is what most requests are for; nothing has to follow, nothing is read as control tokens. */
const DEFAULTS = {
  parseSpecial: false,
  requiredPrefix: '',
  singleLine: true,
  banBlankStart: true,
  leastConfidence: 0,
  references: [],
  remembered: 0,
  rememberedBeside: 0,
  lead: new Uint32Array(),
  barred: new Uint32Array(),
} as const;

/** For a text over several lines, which may begin on the next. Of 200 blocks, none came out better for a memory of the document. */
export const SEVERAL_LINES = {
  singleLine: false,
  banBlankStart: false,
  remembered: 0,
  rememberedBeside: 0,
} as const;

export function nativeRequest(id: number, request: EngineRequest): NativeCompletionRequest {
  return {
    ...DEFAULTS,
    ...request,
    id,
    sampling: { ...GREEDY, ...request.sampling },
    drafting: { ...NO_DRAFTING, ...request.drafting },
  };
}
