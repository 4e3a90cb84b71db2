/**
 * The one way from a document and a cursor to a suggestion; the editor, the terminal and the bench all take it:
 * trigger, cache, prompt, engine, post-processing.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { NO_DRAFTS } from '../engine/native_drafting';
import { type NativeCompletion, NO_TIMINGS } from '../engine/native_types';
import type { NativeError } from '../engine/native_result';
import { type Asking, OneEngine, type Reply } from './asking';
import { leastConfidence } from './certainty';
import { type DocumentSnapshot, lineBefore } from './document';
import type { CompletionEngine } from './engine_port';
import { judge } from './judgement';
import { readsLine } from './fim_layout';
import { type Fork, withLead } from './fork_order';
import type { CompletionOptions } from './options';
import { type CompletionOutcome, nothing } from './outcome';
import { firstLine } from './postprocess';
import { type Constraint, PromptWriter } from './prompt_writer';
import type { OtherText } from './references';
import { type Reason, REASON_OF_STATE } from './reasons';
import { isNote, type SchemaBinding, type SchemaNote, type Schemas } from './schema_port';
import type { FindSnippets } from './snippets';
import { SuggestionMemory } from './suggestion_memory';
import { refusal } from './trigger';

/** An answer that forks off an earlier one at the same place; each token behind the barred ones is the likeliest. */
export interface ForkRequest extends Pick<Fork<unknown>, 'lead' | 'barred'> {
  /** It ends where it becomes less likely than this behind the lead, 0 to 1, and is not whole then. */
  readonly leastConfidence: number;
}

export interface SuggestionRequest {
  readonly document: DocumentSnapshot;
  readonly signal: AbortSignal;
  /** Texts of other files in which drafts are looked up, nearest first. */
  readonly beside?: readonly OtherText[];
  /** Finds pieces of other files for a model that reads them. */
  readonly snippets?: FindSnippets;
  /** What the user copied, where it may be used. A suggestion that was made without it is not taken for it. */
  readonly clipboard?: string | undefined;
  /** The user asked for it: there is no delay, and what the model doubts is shown as well. */
  readonly explicit?: boolean;
  /** What else may be said, whatever is remembered of the place; it is remembered for who types along alone. */
  readonly fork?: ForkRequest;
  /** Whether nothing may come, too: a blank line or the end of the text. Default: something visible has to. */
  readonly mayEnd?: boolean;
  /** Ask the model even where an editor would not; the outcome then has the text, and still says that it is not shown. */
  readonly evenIfRefused?: boolean;
}

export class CompletionPipeline {
  private readonly memory = new SuggestionMemory();
  private readonly options: () => CompletionOptions;
  private readonly asking: Asking;
  private readonly schemas: Schemas | undefined;

  /**
   * @param prompts Default: one of its own.
   * @param schemas Default: none is followed.
   * @param asking Whom it asks. Default: that engine, with these prompts.
   */
  constructor(
    engine: CompletionEngine,
    options: () => CompletionOptions,
    prompts: PromptWriter = new PromptWriter(engine),
    schemas?: Schemas,
    asking: Asking = new OneEngine(engine, prompts),
  ) {
    this.options = options;
    this.asking = asking;
    this.schemas = schemas;
  }

  /** Never rejects: what goes wrong is a reason. */
  async complete(request: SuggestionRequest): Promise<CompletionOutcome> {
    const { document, signal } = request;
    const options = this.options();
    const refused = refusal(document, options, request.explicit);
    const known = this.known(request, options, refused);
    if (known !== undefined) return known;
    const unable = this.unable(signal);
    if (unable !== undefined) return unable;
    if (request.explicit !== true && options.delayMs > 0) {
      await delay(options.delayMs, undefined, { signal }).catch(() => undefined);
      const unableNow = this.unable(signal);
      if (unableNow !== undefined) return unableNow;
    }
    const outcome = this.unlessPutAway(await this.ask(request, options), signal);
    if (refused === undefined) return outcome;
    // Where nothing is shown there is no part of it either.
    const { uncut, ...whole } = outcome;
    return { ...whole, ...uncut, shown: false, reason: refused };
  }

  /** What is known without the model: what it said of the place, or that nothing is suggested there. */
  recall(request: SuggestionRequest): CompletionOutcome | undefined {
    const options = this.options();
    return this.known(request, options, refusal(request.document, options, request.explicit));
  }

  /** Drops what is remembered of a closed document. */
  forget(uri: string): void {
    this.memory.forget(uri);
    this.asking.forget(uri);
  }

  /** Drops every suggestion: another model would make others. */
  reset(): void {
    this.memory.clear();
    this.asking.reset();
  }

  private known(
    request: SuggestionRequest,
    options: CompletionOptions,
    refused: Reason | undefined,
  ): CompletionOutcome | undefined {
    const { document, fork, clipboard, explicit = false, mayEnd = false, evenIfRefused = false } = request;
    const hit = fork === undefined && clipboard === undefined ? this.memory.find(document) : undefined;
    // Typed along, a suggestion in front of a word still stands before that word, and one that was asked for stays.
    const typed = hit === undefined ? 0 : hit.generation.text.length - hit.rest.length;
    const asked = refused === 'battery' && options.restraint?.unlessAsked === true && typed > 0;
    const typedAlong = (refused === 'inside_word' || asked) && hit !== undefined;
    if (refused !== undefined && !typedAlong) return evenIfRefused ? undefined : nothing(refused);
    if (hit === undefined) {
      const end = mayEnd && fork === undefined ? this.memory.endAt(document) : undefined;
      return end && { ...nothing('blank_result'), stop: end.stop };
    }
    // The model ended it there; who asks wants more all the same.
    if (hit.rest.trim() === '')
      return explicit ? undefined : { ...nothing('line_complete'), endProbability: 1 };
    const { generation } = hit;
    const { leastCertainty } = options;
    const judged = judge({ ...FROM_CACHE, generation, typed }, { document, explicit, leastCertainty });
    return this.goesFurther(judged, request, options) ? undefined : judged;
  }

  /** Whether the model, asked again, would go on where it had become too unsure of a text: what is typed since is no guess any more. */
  private goesFurther(
    { stop, shown, confidence }: CompletionOutcome,
    request: SuggestionRequest,
    options: CompletionOptions,
  ): boolean {
    if (stop !== 'unsure') return false;
    return request.explicit === true || (!shown && confidence >= this.leastConfidenceAt(request, options));
  }

  /** How likely a text has to stay for any of it to be shown; 0 where whoever asks wants it whole. */
  private leastConfidenceAt(
    { document, explicit = false, evenIfRefused = false }: SuggestionRequest,
    { leastCertainty }: CompletionOptions,
  ): number {
    if (explicit || evenIfRefused) return 0;
    const temperature = this.asking.calibration?.temperature;
    return leastConfidence(leastCertainty, lineBefore(document).trim() === '', temperature);
  }

  /** Why the engine cannot be asked at the moment. */
  private unable(signal: AbortSignal): CompletionOutcome | undefined {
    const { state } = this.asking;
    if (state !== 'ready') return nothing(REASON_OF_STATE[state]);
    if (this.asking.generating === true) return nothing('generating');
    return signal.aborted ? { ...nothing('cancelled'), stop: 'cancelled' } : undefined;
  }

  /** Of a model that was unloaded in the middle of it, with another to come, whatever it ended with. */
  private unlessPutAway(outcome: CompletionOutcome, signal: AbortSignal): CompletionOutcome {
    const ended = outcome.reason === 'cancelled' || outcome.reason === 'engine_error';
    if (!ended || signal.aborted || this.asking.state !== 'loading') return outcome;
    return nothing(REASON_OF_STATE.loading);
  }

  private async ask(request: SuggestionRequest, options: CompletionOptions): Promise<CompletionOutcome> {
    const { document } = request;
    const binding = await this.schemas?.bindingFor(document);
    if (binding === undefined) return this.askPlainly(request, options);
    const bound = isNote(binding) ? binding : await this.askBound(request, options, binding);
    if (!('use' in bound)) return bound;
    return { ...(await this.askPlainly(request, options)), schema: bound };
  }

  private async askPlainly(
    request: SuggestionRequest,
    options: CompletionOptions,
  ): Promise<CompletionOutcome> {
    const reply = await this.send(request, options);
    return reply.answer.ok
      ? this.take(reply.answer.value, request, options, reply)
      : failed(reply.answer.error);
  }

  /** The suggestion that follows a schema; or why there is none that could. */
  private async askBound(
    request: SuggestionRequest,
    options: CompletionOptions,
    binding: SchemaBinding,
  ): Promise<CompletionOutcome | SchemaNote> {
    const { name, requiredPrefix } = binding;
    for (const attempt of binding.attempts) {
      const grammar = await attempt();
      if (isNote(grammar)) return grammar;
      const reply = await this.send(request, options, { requiredPrefix, grammar });
      const { answer } = reply;
      if (answer.ok) {
        return {
          ...this.take(answer.value, request, options, reply, binding),
          schema: { use: 'bound', detail: name },
        };
      }
      const { error } = answer;
      if (error.code === 'GRAMMAR_REJECTS_PREFIX') continue;
      if (error.code === 'GRAMMAR_TOO_LARGE') return { use: 'too_large', detail: error.message };
      return failed(error);
    }
    return { use: 'rejected_text', detail: name };
  }

  private send(
    request: SuggestionRequest,
    options: CompletionOptions,
    constraint?: Constraint,
  ): Promise<Reply> {
    const { document, signal, beside, snippets, clipboard, fork, mayEnd = false } = request;
    const place = { document, options, beside, snippets, clipboard, constraint };
    const least = constraint === undefined ? this.leastConfidenceAt(request, options) : 0;
    const further = {
      ...(least > 0 && { leastConfidence: least }),
      ...(mayEnd && { banBlankStart: false }),
      ...(fork !== undefined && {
        lead: fork.lead.ids,
        barred: fork.barred,
        leastConfidence: fork.leastConfidence,
      }),
    };
    return this.asking.ask({
      place,
      signal,
      namesTokens: fork !== undefined,
      send: (engine, call, until) => {
        const sampling = { ...call.sampling, ...(fork !== undefined && { temperature: 0 }) };
        return engine.complete({ ...call, ...further, sampling }, until);
      },
    });
  }

  private take(
    said: NativeCompletion,
    request: SuggestionRequest,
    options: CompletionOptions,
    { engine, remote, calibration }: Reply,
    binding?: SchemaBinding,
  ): CompletionOutcome {
    const { document, fork, explicit = false } = request;
    const completion = fork === undefined ? said : withLead(said, fork.lead);
    const { stop, ids, timings, drafting } = completion;
    const confidence = binding === undefined ? completion.confidence : meanConfidence(completion);
    // What has to follow does, however likely the model finds the end.
    const endProbability = binding?.goesOn === true ? 0 : completion.endProbability;
    const from = remote ? { remote } : {};
    const made = { confidence, endProbability, source: 'model', ids, timings, drafting, ...from } as const;
    if (stop === 'cancelled') return { ...nothing('cancelled'), ...made, text: completion.text, stop };
    // Only what is allowed came: nothing more is on this line.
    if (binding !== undefined && /^\s*[\r\n]/.test(completion.text)) {
      return { ...nothing('line_complete'), ...made, stop };
    }
    const cut = stop === 'max_tokens' || stop === 'context_full';
    const isWhole = stop === 'line_end' || stop === 'end_token';
    const plain = isWhole ? this.schemas?.fitted(document, completion.text) : undefined;
    const text = binding?.finish(completion.text, cut) ?? plain ?? completion.text;
    const followsSchema = binding !== undefined;
    const course = { probabilities: completion.tokenProbabilities, ends: completion.tokenEnds };
    const probabilities = completion.idProbabilities;
    const answer = { ids, probabilities, course };
    const about = { followsSchema, endProbability, readsLine: readsLine(engine.fim), calibration };
    const generation = { ...answer, text, stop, confidence, ...about };
    const ended = request.mayEnd === true && firstLine(text).trim() === '';
    if (fork === undefined) this.memory.add(document, generation, ended);
    // One that became too unlikely was cut off, and ends nowhere.
    else if (!ended && stop !== 'unsure') this.memory.addFork(document, generation);
    const judged = judge(
      { source: 'model', ids, timings, drafting, ...from, generation, typed: 0 },
      { document, explicit, leastCertainty: options.leastCertainty },
    );
    return fork === undefined ? judged : { ...judged, barredProbability: completion.barredProbability };
  }
}

const FROM_CACHE = {
  source: 'cache',
  ids: new Uint32Array(),
  timings: NO_TIMINGS,
  drafting: NO_DRAFTS,
} as const;

/**
 * What follows a schema has a right shape and a key that belongs there, whatever its text says: it is rated by the mean of its tokens,
 * so that a long value does not hide its key.
 */
function meanConfidence({ confidence, ids }: NativeCompletion): number {
  return confidence ** (1 / Math.max(1, ids.length));
}

function failed(error: NativeError): CompletionOutcome {
  return { ...nothing('engine_error'), stop: 'failed', error };
}
