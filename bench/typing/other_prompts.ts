/**
 * Prompts of other extensions, rebuilt from what is public about them, for the same model: what each of them has it read. How the
 * text goes on from the cursor (token healing), sampling and drafts are ours for all.
 */
import type { CompletionEngine } from '../../core/completion/engine_port';
import { fimLayout } from '../../core/completion/fim_layout';
import type { NativeCompletion } from '../../core/engine/native_types';
import { pathLine, promptText } from '../../core/completion/prompt';
import { PromptBudget } from '../../core/completion/prompt_budget';
import { type Place, PromptWriter, type Written } from '../../core/completion/prompt_writer';
import { samplingFor } from '../../core/completion/sampling';
import { type ChosenSnippets, chooseSnippets, keeps } from '../../core/completion/snippets';
import { estimateTokens } from '../../core/completion/token_estimate';
import { firstUnits, lastUnits } from '../whole_characters';

/** What there is to cut from. */
export interface Around {
  /** The line that names the file. */
  readonly head: string;
  readonly before: string;
  /** From where the model's layout wants it on. */
  readonly after: string;
  /** Estimated tokens of the whole prompt that ours would have. */
  readonly budget: number;
  /** What an amount of tokens is in estimated ones. */
  readonly estimateOf: (tokens: number) => number;
}

/** What the model reads. */
export interface CutTexts {
  readonly prefix: string;
  readonly suffix: string;
  /** Estimated tokens that pieces of other files may have; default: there are none. */
  readonly roomForSnippets?: number;
}

export type Cutter = (around: Around) => CutTexts;

const PLAIN_CHARACTERS = 2_000;
const LLAMA_PREFIX_LINES = 256;
const LLAMA_SUFFIX_LINES = 64;
/** llama.cpp's infill takes so many tokens at most, for a batch of 1,024 as that extension's own presets have it: three quarters and one. */
const INFILL_PREFIX_TOKENS = 768;
const INFILL_SUFFIX_TOKENS = 256;
const COPILOT_PREFIX_SHARE = 0.35;
const COPILOT_SUFFIX_SHARE = 0.15;
const COPILOT_SNIPPET_SHARE = 0.5;

export const CUTTERS = {
  prefix: ({ before }) => ({ prefix: lastUnits(before, PLAIN_CHARACTERS), suffix: '' }),

  'llama-vscode': ({ before, after, estimateOf }) => {
    const lines = before.split('\n');
    const line = lines.pop() ?? '';
    const above = lines
      .slice(-LLAMA_PREFIX_LINES)
      .map((one) => `${one}\n`)
      .join('');
    const below = after.split('\n').slice(0, LLAMA_SUFFIX_LINES).join('\n');
    return {
      prefix: lastTokens(above, estimateOf(INFILL_PREFIX_TOKENS)) + line,
      suffix: firstTokens(below, estimateOf(INFILL_SUFFIX_TOKENS)),
      roomForSnippets: Infinity,
    };
  },

  copilot: ({ head, before, after, budget }) => {
    const room = budget * COPILOT_PREFIX_SHARE - estimateTokens(head);
    const tail = lastTokens(before, Math.max(0, room));
    const whole = tail.length === before.length;
    // It leaves out whole lines; the cursor's own is kept whatever its length.
    const prefix = whole ? tail : tail.slice(tail.indexOf('\n') + 1);
    return {
      prefix: head + prefix,
      suffix: firstTokens(after, budget * COPILOT_SUFFIX_SHARE),
      roomForSnippets: budget * COPILOT_SNIPPET_SHARE,
    };
  },
} as const satisfies Readonly<Record<string, Cutter>>;

export type OtherPrompt = keyof typeof CUTTERS;
export const OTHER_PROMPTS = Object.keys(CUTTERS) as readonly OtherPrompt[];

/** Writes prompts as a cutter says, in the layout of the model, and without a memory of the document beyond. */
export class CutPrompts extends PromptWriter {
  private readonly measured = new PromptBudget();
  private readonly reads: CompletionEngine;
  private readonly cutter: Cutter;
  private readonly chosen = new Map<string, ChosenSnippets>();

  constructor(engine: CompletionEngine, cutter: Cutter) {
    super(engine);
    this.reads = engine;
    this.cutter = cutter;
  }

  override write(place: Place, part = 1): Written {
    const written = super.write(place, part);
    const { document, options } = place;
    const { requiredPrefix = '' } = written.request;
    const layout = fimLayout(this.reads.fim);
    const lineEnd = document.after.indexOf('\n');
    const below = lineEnd < 0 ? '' : document.after.slice(lineEnd + 1);
    const tokens = options.promptTokens > 0 ? options.promptTokens : this.measured.tokens;
    const estimateOf = (count: number): number => part * this.measured.estimateOf(count);
    const {
      prefix,
      suffix,
      roomForSnippets = 0,
    } = this.cutter({
      head: pathLine(document.languageId, document.path),
      before: document.before,
      after: layout?.suffixStart === 'cursor' ? document.after : below,
      budget: estimateOf(tokens),
      estimateOf,
    });
    // What is healed the model writes again.
    const given = prefix.slice(0, Math.max(0, prefix.length - requiredPrefix.length));
    const snippets = this.snippetsAt(place, roomForSnippets);
    // What names the file is in the prefix, where the other has it.
    const texts = { path: '', languageId: document.languageId, prefix: given, suffix };
    const prompt = layout?.write({ ...texts, snippets: snippets.snippets }) ?? given;
    const sampling = samplingFor(options.sampling, promptText(prompt) + requiredPrefix);
    return {
      ...written,
      request: { ...written.request, prompt, sampling, remembered: 0, rememberedBeside: 0 },
    };
  }

  /** As ours: they stay until the cursor rests some way from where they were chosen. */
  private snippetsAt(place: Place, room: number): ChosenSnippets {
    const { uri } = place.document;
    const known = this.chosen.get(uri);
    if (known !== undefined && keeps(known, place)) return known;
    const budget = new Map(room > 0 ? [['similar', room] as const] : []);
    const chosen = chooseSnippets(place.document, place.snippets, budget);
    this.chosen.set(uri, chosen);
    return chosen;
  }

  override learn(uri: string, written: Written, completion: NativeCompletion): void {
    super.learn(uri, written, completion);
    const estimated = estimateTokens(promptText(written.request.prompt));
    this.measured.record(completion.timings, estimated, this.reads.speed.prefillTokensPerSecond);
  }
}

function lastTokens(text: string, tokens: number): string {
  let at = text.length;
  for (let cost = 0; at > 0; at--) {
    cost += estimateTokens(text, at - 1, at);
    if (cost > tokens) break;
  }
  return lastUnits(text, text.length - at);
}

function firstTokens(text: string, tokens: number): string {
  let end = 0;
  for (let cost = 0; end < text.length; end++) {
    cost += estimateTokens(text, end, end + 1);
    if (cost > tokens) break;
  }
  return firstUnits(text, end);
}
