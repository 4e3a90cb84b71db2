/**
 * Writes the request for a place in a document: how much of the text around the cursor the model reads follows
 * from its speed, from how far estimates were off, and from how the document's text was cut last time. What follows the cursor is
 * read by models alone that were taught to (fim_layout.ts).
 */
import type { EngineRequest } from '../engine/engine_request';
import type { NativeGrammarUse } from '../engine/native_grammar';
import type { NativeCompletion } from '../engine/native_types';
import type { DocumentSnapshot } from './document';
import type { CompletionEngine } from './engine_port';
import { type FimLayout, fimLayout } from './fim_layout';
import { type Healed, heal, MAX_HEALED } from './healing';
import { readsSimilarCode, remembers } from './memory';
import type { CompletionOptions } from './options';
import { clipboardSnippet } from './clipboard';
import { CLIPBOARD_SHARE, type ProjectOptions, sharesFor } from './project_context';
import { isWhereItWas, pathLine, promptText, selectWindow, type Window } from './prompt';
import { PromptBudget } from './prompt_budget';
import { type OtherText, referencesFor } from './references';
import { samplingFor } from './sampling';
import { type ChosenSnippets, chooseSnippets, costOf, type FindSnippets, keeps } from './snippets';
import { selectSuffix, type Suffix } from './suffix';
import { estimateTokens } from './token_estimate';

/** Documents of which is remembered how their text was cut. */
const MAX_DOCUMENTS = 64;
/** The suffix may have this part of a prompt … */
const SUFFIX_SHARE = 1 / 4;
/** … and no more tokens than this: the model was taught with no more. */
const MAX_SUFFIX_TOKENS = 256;
/** Where the suffix is read again for each key, that may take this long, ms … */
const SUFFIX_MS = 40;
/** … and it has a line or two all the same. */
const MIN_SUFFIX_TOKENS = 16;
/** A prompt may have this part of even the smallest context. */
const MIN_PROMPT_SHARE = 1 / 4;

/** What a request takes from the user's options. */
export type RequestOptions = Pick<CompletionOptions, 'maxTokens' | 'promptTokens' | 'sampling' | 'drafting'> &
  ProjectOptions;

/** What the text has to be. */
export interface Constraint {
  /** What of the text before the cursor is made by the model again: the grammar reads it from there on. */
  readonly requiredPrefix: string;
  readonly grammar: NativeGrammarUse;
}

/** Where something is asked for, and what there is to go by. */
export interface Place {
  readonly document: DocumentSnapshot;
  readonly options: RequestOptions;
  /** Texts of other files in which drafts are looked up, nearest first; a small model remembers those of its language. Default: none. */
  readonly beside?: readonly OtherText[] | undefined;
  /** Finds pieces of other files for a model that reads them, the most useful first; default: there are none. */
  readonly snippets?: FindSnippets | undefined;
  /** What the user copied, where a suggestion that was asked for may use it. Default: it may not. */
  readonly clipboard?: string | undefined;
  /** The cursor rests: there is time to read a prompt that begins with other snippets. Default: somebody types. */
  readonly rests?: boolean | undefined;
  /** Default: the text may be anything. */
  readonly constraint?: Constraint | undefined;
}

/** How a document's text was cut, and what was put beside it. */
interface Cut {
  readonly window: Window;
  /** Undefined where the model does not read it. */
  readonly suffix: Suffix | undefined;
  readonly snippets: ChosenSnippets;
}

/** A request, and how the text that it holds was cut. */
export interface Written {
  readonly request: EngineRequest;
  readonly cut: Cut;
}

export class PromptWriter {
  private readonly budget = new PromptBudget();
  private readonly cuts = new Map<string, Cut>();
  private readonly engine: Pick<CompletionEngine, 'speed' | 'context' | 'fim' | 'parameters'>;

  constructor(engine: Pick<CompletionEngine, 'speed' | 'context' | 'fim' | 'parameters'>) {
    this.engine = engine;
  }

  /**
   * The path line and the window of text before the cursor, cut for healing, and what follows the cursor where the model reads that;
   * `part` scales the budget. What the suffix and the snippets do not need is the window's.
   */
  write(place: Place, part = 1): Written {
    const { document, options, beside = [], clipboard, constraint } = place;
    const { maxTokens, promptTokens, sampling } = options;
    const { prompt: text, requiredPrefix } = healedFor(document.before, constraint);
    const head = pathLine(document.languageId, document.path);
    const tokens = Math.min(promptTokens > 0 ? promptTokens : this.budget.tokens, this.roomFor(maxTokens));
    const remembered = this.cuts.get(document.uri);
    const layout = fimLayout(this.engine.fim);
    const share = (most: number): number => this.budget.estimateOf(part * most);
    const suffix =
      layout &&
      selectSuffix(
        document.after,
        share(this.suffixTokens(tokens, layout)),
        remembered?.suffix,
        layout.suffixStart,
      );
    const choose = (): ChosenSnippets => {
      const shares = sharesFor(options, this.engine);
      const budget = new Map(Array.from(shares, ([kind, most]) => [kind, share(tokens * most)]));
      return chooseSnippets(document, place.snippets, budget);
    };
    const copied =
      layout === undefined || clipboard === undefined
        ? []
        : clipboardSnippet(clipboard, document.languageId, share(tokens * CLIPBOARD_SHARE));
    const windowBeside = ({ snippets }: ChosenSnippets): Window => {
      const pieces = [...snippets, ...copied].reduce((sum, one) => sum + costOf(one), 0);
      const spent = estimateTokens(head) + estimateTokens(suffix?.text ?? '') + pieces;
      return selectWindow(text, Math.max(1, share(tokens) - spent), remembered?.window.memory);
    };
    const isSame = part === 1 && remembered !== undefined && remembered.suffix?.text === suffix?.text;
    let chosen = isSame && keeps(remembered.snippets, place) ? remembered.snippets : choose();
    let window = windowBeside(chosen);
    // Where the prompt is read anew in any case, so may be what stands in front.
    if (chosen === remembered?.snippets && !isWhereItWas(window, remembered.window)) {
      chosen = choose();
      window = windowBeside(chosen);
    }
    const prefix = text.slice(window.start);
    const { path, languageId, repository } = document;
    const snippets = [...chosen.snippets, ...copied];
    const prompt =
      layout?.write({ path, languageId, repository, prefix, suffix: suffix?.text ?? '', snippets }) ??
      head + prefix;
    const drafts = options.drafting === 'auto';
    const { parameters } = this.engine;
    const remembering = remembers(parameters);
    const remembersOthers = remembering && readsSimilarCode(options.similarCode, parameters);
    const use = { drafts, remembers: remembering, remembersOthers };
    const request = {
      prompt,
      requiredPrefix,
      maxTokens,
      sampling: samplingFor(sampling, promptText(prompt) + requiredPrefix),
      drafting: { lookup: drafts, model: drafts },
      ...referencesFor(document, window.start, beside, use),
      ...(constraint === undefined ? {} : { grammar: constraint.grammar }),
    };
    return { request, cut: { window, suffix, snippets: chosen } };
  }

  /** Learns from the answer to what was written for the document: how its text was cut, how long reading took, how far estimates were off. */
  learn(uri: string, { request, cut }: Written, { timings }: NativeCompletion): void {
    this.remember(uri, cut);
    this.budget.record(
      timings,
      estimateTokens(promptText(request.prompt)),
      this.engine.speed.prefillTokensPerSecond,
    );
  }

  /** Drops what is remembered of a closed document. */
  forget(uri: string): void {
    this.cuts.delete(uri);
  }

  /** Drops what is remembered of all. */
  reset(): void {
    this.cuts.clear();
  }

  /** Tokens of prompt for which the context has room beside a completion and the healed tail it spells again. */
  private roomFor(maxTokens: number): number {
    const { context = Infinity } = this.engine;
    return Math.max(context * MIN_PROMPT_SHARE, context - maxTokens - MAX_HEALED);
  }

  /** Most tokens of a suffix in a prompt of `tokens`. */
  private suffixTokens(tokens: number, { readsSuffixAgain }: FimLayout): number {
    const most = Math.min(tokens * SUFFIX_SHARE, MAX_SUFFIX_TOKENS);
    if (!readsSuffixAgain) return most;
    const { prefillTokensPerSecond = 0 } = this.engine.speed;
    return Math.min(most, Math.max(MIN_SUFFIX_TOKENS, (prefillTokensPerSecond * SUFFIX_MS) / 1_000));
  }

  private remember(uri: string, cut: Cut): void {
    this.cuts.delete(uri);
    this.cuts.set(uri, cut);
    const [oldest] = this.cuts.keys();
    if (this.cuts.size > MAX_DOCUMENTS && oldest !== undefined) this.cuts.delete(oldest);
  }
}

function healedFor(before: string, constraint: Constraint | undefined): Healed {
  if (constraint === undefined) return heal(before);
  const { requiredPrefix } = constraint;
  return { prompt: before.slice(0, before.length - requiredPrefix.length), requiredPrefix };
}
