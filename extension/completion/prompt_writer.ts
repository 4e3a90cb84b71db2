/**
 * Writes the request for a place in a document and has it answered: how much of the text before the cursor the model reads follows
 * from its speed, from how far estimates were off, and from where the document's window began last time.
 */
import type { NativeGrammarUse } from '../engine/native_grammar';
import type { DocumentSnapshot } from './document';
import type { CompletionEngine, EngineAnswer, EngineRequest } from './engine_port';
import { type Healed, heal, MAX_HEALED } from './healing';
import type { CompletionOptions } from './options';
import { pathLine, selectWindow, type WindowMemory } from './prompt';
import { PromptBudget } from './prompt_budget';
import { referencesFor } from './references';
import { samplingFor } from './sampling';
import { estimateTokens } from './token_estimate';

/** Documents whose prompt window is remembered. */
const MAX_WINDOWS = 64;
/** A prompt may have this part of even the smallest context. */
const MIN_PROMPT_SHARE = 1 / 4;

/** What a request takes from the user's options. */
export type RequestOptions = Pick<CompletionOptions, 'maxTokens' | 'promptTokens' | 'sampling' | 'drafting'>;

/** Sends a request to the engine. */
export type Send = (request: EngineRequest) => Promise<EngineAnswer>;

/** What the text has to be. */
export interface Constraint {
  /** What of the text before the cursor is made by the model again: the grammar reads it from there on. */
  readonly requiredPrefix: string;
  readonly grammar: NativeGrammarUse;
}

interface Written {
  readonly request: EngineRequest;
  readonly memory: WindowMemory;
}

export class PromptWriter {
  private readonly budget = new PromptBudget();
  private readonly windows = new Map<string, WindowMemory>();
  private readonly engine: Pick<CompletionEngine, 'speed' | 'context'>;

  constructor(engine: Pick<CompletionEngine, 'speed' | 'context'>) {
    this.engine = engine;
  }

  /**
   * The answer to the request for the cursor's place.
   * @param beside Texts of other files in which drafts are looked up, nearest first.
   * @param constraint Default: none.
   */
  async ask(
    document: DocumentSnapshot,
    options: RequestOptions,
    beside: readonly string[],
    send: Send,
    constraint?: Constraint,
  ): Promise<EngineAnswer> {
    let written = this.write(document, options, beside, constraint);
    let answer = await send(written.request);
    // Token counts are estimates: text far denser than any seen so far can overflow the context.
    for (
      let part = 1 / 4;
      !answer.ok && answer.error.code === 'CONTEXT_OVERFLOW' && part > 1 / 100;
      part /= 4
    ) {
      written = this.write(document, options, beside, constraint, part);
      answer = await send(written.request);
    }
    if (!answer.ok) return answer;
    // The window of a prompt that did not fit is no start for the next one.
    this.remember(document.uri, written.memory);
    const estimated = estimateTokens(written.request.prompt);
    this.budget.record(answer.value.timings, estimated, this.engine.speed.prefillTokensPerSecond);
    return answer;
  }

  /** Drops what is remembered of a closed document. */
  forget(uri: string): void {
    this.windows.delete(uri);
  }

  /** Drops what is remembered of all. */
  reset(): void {
    this.windows.clear();
  }

  /** The path line and the window of text before the cursor, cut for healing; `part` scales the budget. */
  private write(
    document: DocumentSnapshot,
    options: RequestOptions,
    beside: readonly string[],
    constraint: Constraint | undefined,
    part = 1,
  ): Written {
    const { maxTokens, promptTokens, sampling } = options;
    const { prompt: text, requiredPrefix } = healedFor(document.before, constraint);
    const head = pathLine(document.languageId, document.path);
    const tokens = Math.min(promptTokens > 0 ? promptTokens : this.budget.tokens, this.roomFor(maxTokens));
    const budget = Math.max(1, this.budget.estimateOf(part * tokens) - estimateTokens(head));
    const { start, memory } = selectWindow(text, budget, this.windows.get(document.uri));
    const prompt = head + text.slice(start);
    const drafts = options.drafting === 'auto';
    const request = {
      prompt,
      requiredPrefix,
      maxTokens,
      sampling: samplingFor(sampling, prompt + requiredPrefix),
      drafting: { lookup: drafts, model: drafts },
      references: drafts ? referencesFor(document, start, beside) : [],
      ...(constraint === undefined ? {} : { grammar: constraint.grammar }),
    };
    return { request, memory };
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
}

function healedFor(before: string, constraint: Constraint | undefined): Healed {
  if (constraint === undefined) return heal(before);
  const { requiredPrefix } = constraint;
  return { prompt: before.slice(0, before.length - requiredPrefix.length), requiredPrefix };
}
