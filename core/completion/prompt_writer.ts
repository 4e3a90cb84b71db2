/**
 * Writes the request for a place in a document: how much of the text around the cursor the model reads follows
 * from its speed, from how far estimates were off, and from how the document's text was cut last time. What follows the cursor is
 * read by models alone that were taught to (fim_layout.ts).
 */
import type { EngineRequest } from '../engine/engine_request';
import type { NativeGrammarUse } from '../engine/native_grammar';
import type { NativeCompletion } from '../engine/native_types';
import { clipboardSnippet } from './clipboard';
import type { DocumentSnapshot } from './document';
import type { CompletionEngine } from './engine_port';
import { type FimLayout, fimLayout } from './fim_layout';
import { type Healed, heal, MAX_HEALED } from './healing';
import { remembered } from './memory';
import type { CompletionOptions } from './options';
import { CLIPBOARD_SHARE, type ProjectOptions, sharesFor } from './project_context';
import { isWhereItWas, pathLine, promptText, selectWindow, type Window } from './prompt';
import { PromptBudget } from './prompt_budget';
import { putLast } from './recent_map';
import { type OtherText, referencesFor } from './references';
import { samplingFor } from './sampling';
import {
  type ChosenSnippets,
  chooseSnippets,
  costOf,
  type FindSnippets,
  keeps,
  type Snippet,
} from './snippets';
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
  /** Of the clipboard; it stands behind the others, and is not kept. */
  readonly copied: readonly Snippet[];
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
   * `part` scales the budget.
   */
  write(place: Place, part = 1): Written {
    const { document, options, beside = [], constraint } = place;
    const { maxTokens, sampling } = options;
    const { prompt: text, requiredPrefix } = healedFor(document.before, constraint);
    const layout = fimLayout(this.engine.fim);
    const cut = this.cut(place, text, layout, part);
    const { path, languageId, repository } = document;
    const prefix = text.slice(cut.window.start);
    const snippets = [...cut.snippets.snippets, ...cut.copied];
    const prompt =
      layout?.write({ path, languageId, repository, prefix, suffix: cut.suffix?.text ?? '', snippets }) ??
      pathLine(languageId, path) + prefix;
    const drafts = options.drafting === 'auto';
    const use = { drafts, ...remembered(options.similarCode, this.engine.parameters) };
    const request = {
      prompt,
      requiredPrefix,
      maxTokens,
      sampling: samplingFor(sampling, promptText(prompt) + requiredPrefix),
      drafting: { lookup: drafts, model: drafts },
      ...referencesFor(document, cut.window.start, beside, use),
      ...(constraint === undefined ? {} : { grammar: constraint.grammar }),
    };
    return { request, cut };
  }

  /** Learns from the answer to what was written for the document: how its text was cut, how long reading took, how far estimates were off. */
  learn(uri: string, { request, cut }: Written, { timings }: NativeCompletion): void {
    putLast(this.cuts, uri, cut, MAX_DOCUMENTS);
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

  /**
   * What of the document the prompt has, and what beside it. What the suffix and the snippets do not need is the window's.
   * @param text Before the cursor.
   */
  private cut(place: Place, text: string, layout: FimLayout | undefined, part: number): Cut {
    const { document, options, clipboard = '' } = place;
    const { maxTokens, promptTokens } = options;
    const tokens = Math.min(promptTokens > 0 ? promptTokens : this.budget.tokens, this.roomFor(maxTokens));
    const share = (most: number): number => this.budget.estimateOf(part * most);
    const last = this.cuts.get(document.uri);
    const suffix =
      layout &&
      selectSuffix(
        document.after,
        share(this.suffixTokens(tokens, layout)),
        last?.suffix,
        layout.suffixStart,
      );
    const room = layout === undefined ? 0 : share(tokens * CLIPBOARD_SHARE);
    const copied = clipboardSnippet(clipboard, document.languageId, room);
    const choose = (): ChosenSnippets => {
      const shares = sharesFor(options, this.engine);
      const budget = new Map(Array.from(shares, ([kind, most]) => [kind, share(tokens * most)]));
      return chooseSnippets(document, place.snippets, budget);
    };
    const windowBeside = ({ snippets: chosen }: ChosenSnippets): Window => {
      const own = pathLine(document.languageId, document.path) + (suffix?.text ?? '');
      const pieces = [...chosen, ...copied].reduce((sum, one) => sum + costOf(one), 0);
      return selectWindow(
        text,
        Math.max(1, share(tokens) - estimateTokens(own) - pieces),
        last?.window.memory,
      );
    };
    const isSame = part === 1 && last !== undefined && last.suffix?.text === suffix?.text;
    let snippets = isSame && keeps(last.snippets, place) ? last.snippets : choose();
    let window = windowBeside(snippets);
    // Where the prompt is read anew in any case, so may be what stands in front.
    if (snippets === last?.snippets && !isWhereItWas(window, last.window)) {
      snippets = choose();
      window = windowBeside(snippets);
    }
    return { window, suffix, snippets, copied };
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
}

function healedFor(before: string, constraint: Constraint | undefined): Healed {
  if (constraint === undefined) return heal(before);
  const { requiredPrefix } = constraint;
  return { prompt: before.slice(0, before.length - requiredPrefix.length), requiredPrefix };
}
