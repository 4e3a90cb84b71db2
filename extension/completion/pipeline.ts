/**
 * The one way from a document and a cursor to a suggestion; the editor, the terminal and the bench all take it:
 * trigger, cache, prompt, engine, post-processing.
 */
import { type NativeError, type NativeTimings, NO_TIMINGS } from '../engine/native_types';
import { CompletionCache } from './cache';
import { elapsed } from './delay';
import { type DocumentSnapshot, lineAfter, lineBefore } from './document';
import type { CompletionEngine } from './engine_port';
import { heal, MAX_HEALED } from './healing';
import type { CompletionOptions } from './options';
import { postprocess } from './postprocess';
import { pathLine, selectWindow, type WindowMemory } from './prompt';
import { PromptBudget } from './prompt_budget';
import type { Reason } from './reasons';
import type { Stop } from './stop';
import { estimateTokens } from './token_estimate';
import { refusal } from './trigger';

/** Documents whose prompt window is remembered. */
const MAX_WINDOWS = 64;
/** A prompt may have this part of even the smallest context. */
const MIN_PROMPT_SHARE = 1 / 4;
/** A line of which the model is this sure that it ends at the cursor is taken to be complete. */
const LINE_COMPLETE = 0.5;

export interface CompletionOutcome {
  /** What would be inserted at the cursor; filled, if the model ran, also when it is not shown. */
  readonly text: string;
  /** UTF-16 units right of the cursor that `text` replaces. */
  readonly replace: number;
  readonly shown: boolean;
  /** `shown`, or why nothing is. */
  readonly reason: Reason;
  readonly stop: Stop;
  /** exp(mean log-probability), 0 to 1. */
  readonly confidence: number;
  /** How sure the model is that the line ends at the cursor, 0 to 1. */
  readonly endProbability: number;
  /** Where the text comes from: no model call for `cache` and `none`. */
  readonly source: 'model' | 'cache' | 'none';
  /** The ids the model generated, those that spell the healed tail included; empty when it was not asked. */
  readonly ids: Uint32Array;
  readonly timings: NativeTimings;
  /** Set with the reason `engine_error`. */
  readonly error?: NativeError;
}

export interface CompletionRequest {
  readonly document: DocumentSnapshot;
  readonly signal: AbortSignal;
  /** The user asked for it: there is no delay, and what the model doubts is shown as well. */
  readonly explicit?: boolean;
  /** Ask the model even where an editor would not; the outcome then has the text, and still says that it is not shown. */
  readonly evenIfRefused?: boolean;
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
    endProbability: 0,
    source: 'none',
    ids: new Uint32Array(),
    timings: NO_TIMINGS,
  };
}

export class CompletionPipeline {
  private readonly budget = new PromptBudget();
  private readonly cache = new CompletionCache();
  private readonly windows = new Map<string, WindowMemory>();
  private readonly engine: CompletionEngine;
  private readonly options: () => CompletionOptions;

  constructor(engine: CompletionEngine, options: () => CompletionOptions) {
    this.engine = engine;
    this.options = options;
  }

  /** Never rejects: what goes wrong is a reason. */
  async complete(request: CompletionRequest): Promise<CompletionOutcome> {
    const { document, signal } = request;
    const options = this.options();
    const refused = refusal(document, options);
    if (refused !== undefined && request.evenIfRefused !== true) return nothing(refused);
    const hit = this.cache.find(document.uri, document.before, lineAfter(document));
    if (hit !== undefined && refused === undefined) {
      if (hit.rest.trim() === '') return nothing('line_complete');
      const stop: Stop = hit.generation.endedLine ? 'line_end' : 'max_tokens';
      return this.judge(hit.rest, stop, request, options, {
        confidence: hit.generation.confidence,
        // Whoever typed along showed that the line went on.
        endProbability: hit.rest === hit.generation.text ? hit.generation.endProbability : 0,
        source: 'cache',
        ids: new Uint32Array(),
        timings: NO_TIMINGS,
      });
    }
    const unable = this.unable(signal);
    if (unable !== undefined) return unable;
    if (request.explicit !== true && options.delayMs > 0) {
      await elapsed(options.delayMs, signal);
      const unableNow = this.unable(signal);
      if (unableNow !== undefined) return unableNow;
    }
    const outcome = await this.ask(request, options);
    return refused === undefined ? outcome : { ...outcome, shown: false, reason: refused };
  }

  /** Drops what is remembered of a closed document. */
  forget(uri: string): void {
    this.cache.forget(uri);
    this.windows.delete(uri);
  }

  /** Drops every suggestion: another model would make others. */
  reset(): void {
    this.cache.clear();
    this.windows.clear();
  }

  /** Why the engine cannot be asked at the moment. */
  private unable(signal: AbortSignal): CompletionOutcome | undefined {
    if (this.engine.state !== 'ready') return nothing(REASON_OF_STATE[this.engine.state]);
    return signal.aborted ? { ...nothing('cancelled'), stop: 'cancelled' } : undefined;
  }

  private async ask(request: CompletionRequest, options: CompletionOptions): Promise<CompletionOutcome> {
    const { document, signal } = request;
    let { prompt, requiredPrefix, memory } = this.promptOf(document, options);
    const call = { maxTokens: options.maxTokens, temperature: 0, seed: 0 };
    let answer = await this.engine.completeLine({ prompt, requiredPrefix, ...call }, signal);
    // Token counts are estimates: text far denser than any seen so far can overflow the context.
    for (
      let part = 1 / 4;
      !answer.ok && answer.error.code === 'CONTEXT_OVERFLOW' && part > 1 / 100;
      part /= 4
    ) {
      ({ prompt, requiredPrefix, memory } = this.promptOf(document, options, part));
      answer = await this.engine.completeLine({ prompt, requiredPrefix, ...call }, signal);
    }
    if (!answer.ok) return { ...nothing('engine_error'), stop: 'failed', error: answer.error };
    // The window of a prompt that did not fit is no start for the next one.
    this.remember(document.uri, memory);
    const { text, stop, confidence, endProbability, ids, timings } = answer.value;
    this.budget.record(timings, estimateTokens(prompt), this.engine.speed.prefillTokensPerSecond);
    const origin = { confidence, endProbability, source: 'model', ids, timings } as const;
    if (stop === 'cancelled') return { ...nothing('cancelled'), ...origin, text, stop };
    this.cache.add(document.uri, document.before, lineAfter(document), {
      text,
      endedLine: stop === 'line_end' || stop === 'end_token',
      confidence,
      endProbability,
    });
    return this.judge(text, stop, request, options, origin);
  }

  /** The path line and the window of text before the cursor, cut for healing; `part` scales the budget. */
  private promptOf(
    document: DocumentSnapshot,
    options: CompletionOptions,
    part = 1,
  ): { prompt: string; requiredPrefix: string; memory: WindowMemory } {
    const healed = heal(document.before);
    const head = pathLine(document.languageId, document.path);
    const wanted = options.promptTokens > 0 ? options.promptTokens : this.budget.tokens;
    const tokens = Math.min(wanted, this.roomFor(options.maxTokens));
    const budget = Math.max(1, this.budget.estimateOf(part * tokens) - estimateTokens(head));
    const window = selectWindow(healed.prompt, budget, this.windows.get(document.uri));
    const prompt = head + healed.prompt.slice(window.start);
    return { prompt, requiredPrefix: healed.requiredPrefix, memory: window.memory };
  }

  /** Tokens of prompt for which the context has room beside a completion and the healed tail it spells again. */
  private roomFor(maxTokens: number): number {
    const { context = Infinity } = this.engine;
    return Math.max(context * MIN_PROMPT_SHARE, context - maxTokens - MAX_HEALED);
  }

  private remember(uri: string, memory: WindowMemory): void {
    this.windows.delete(uri);
    this.windows.set(uri, memory);
    const [oldest] = this.windows.keys();
    if (this.windows.size > MAX_WINDOWS && oldest !== undefined) this.windows.delete(oldest);
  }

  private judge(
    raw: string,
    stop: Stop,
    { document, explicit }: CompletionRequest,
    options: CompletionOptions,
    origin: Origin,
  ): CompletionOutcome {
    const { text, replace, reason } = postprocess(raw, stop, document);
    const sure = explicit === true || origin.confidence >= options.minimumConfidence;
    const ended = explicit !== true && endsHere(origin, document);
    const verdict: Reason = ended ? 'line_complete' : (reason ?? (sure ? 'shown' : 'low_confidence'));
    return { text, replace, shown: verdict === 'shown', reason: verdict, stop, ...origin };
  }
}

type Origin = Pick<CompletionOutcome, 'confidence' | 'endProbability' | 'source' | 'ids' | 'timings'>;

/**
 * True when the model is sure that nothing more belongs on this line. At a line's start a break would only mean a blank
 * line, and a blank before the cursor says that more follows.
 */
function endsHere(origin: Origin, document: DocumentSnapshot): boolean {
  return origin.endProbability >= LINE_COMPLETE && /\S$/.test(lineBefore(document));
}

const REASON_OF_STATE = {
  loading: 'model_loading',
  failed: 'model_failed',
  stopped: 'engine_stopped',
} as const;
