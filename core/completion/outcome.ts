/** What came of asking for a suggestion: the text, what is known of it, and whether it is shown. */
import { type NativeDraftingCounts, NO_DRAFTS } from '../engine/native_drafting';
import type { NativeError } from '../engine/native_result';
import { type NativeTimings, NO_TIMINGS } from '../engine/native_types';
import type { CachedGeneration } from './cache';
import type { Reason } from './reasons';
import type { SchemaNote } from './schema_port';
import type { Stop } from './stop';
import type { TokenCourse } from './token_course';

export interface CompletionOutcome {
  /** What would be inserted at the cursor; filled, if the model ran, also when it is not shown. */
  readonly text: string;
  /** UTF-16 units right of the cursor that `text` replaces. */
  readonly replace: number;
  readonly shown: boolean;
  /** `shown`, or why nothing is. */
  readonly reason: Reason;
  readonly stop: Stop;
  /**
   * How sure the model is of the text, 0 to 1: the product of what it gives each token of it, as the engine has it (native_types.ts); of
   * what follows a schema, the mean of its tokens.
   */
  readonly confidence: number;
  /** How sure it is that the text is right, 0 to 1: what decides whether it is shown unasked (certainty.ts). */
  readonly certainty: number;
  /** How sure the model was of all that it made, token by token, from the first visible unit of `text` on; not where a schema is followed. */
  readonly course?: TokenCourse;
  /** All that there is to show, where it is a part of it that is sure enough, or was on the screen before. */
  readonly uncut?: Pick<CompletionOutcome, 'text' | 'certainty'>;
  /** How sure the model is that the line ends at the cursor, 0 to 1. */
  readonly endProbability: number;
  /** Where the text comes from: no model call for `cache` and `none`. */
  readonly source: 'model' | 'cache' | 'none';
  /** How much of the time it took had passed when it was asked for, ms (head_start.ts). Default: none. */
  readonly headStartMs?: number;
  /** Whether the model that made it runs elsewhere. Default: it does not. */
  readonly remote?: boolean;
  /** The ids the model generated, those that spell the healed tail included; empty when it was not asked. */
  readonly ids: Uint32Array;
  readonly timings: NativeTimings;
  readonly drafting: NativeDraftingCounts;
  /** The whole answer of the model that `text` is made of: another may fork off it. Not where a part of it was typed. */
  readonly generation?: CachedGeneration;
  /**
   * All of the line that the model made where nothing stands right of the cursor, as it would be inserted, and how sure one could be of it if the model
   * were the embedded one. Not where a part of it was typed.
   */
  readonly line?: Pick<CompletionOutcome, 'text' | 'certainty'>;
  /** Of a fork: how probable what was barred was together, 0 to 1. */
  readonly barredProbability?: number;
  /** Set with the reason `engine_error`. */
  readonly error?: NativeError;
  /** What was asked for the lines behind the first, in order; the other fields are the first's. */
  readonly further?: readonly CompletionOutcome[];
  /** Whether lines may follow that the model was not asked for yet. */
  readonly goesOn?: boolean;
  /** In JSON and YAML, where the model was asked: whether the text follows a schema. */
  readonly schema?: SchemaNote;
}

/** An outcome without a model call. */
export function nothing(reason: Reason): CompletionOutcome {
  return {
    text: '',
    replace: 0,
    shown: false,
    reason,
    stop: 'not_run',
    confidence: 0,
    certainty: 0,
    endProbability: 0,
    source: 'none',
    ids: new Uint32Array(),
    timings: NO_TIMINGS,
    drafting: NO_DRAFTS,
  };
}
