/**
 * What is offered to somebody who asks for a suggestion: how often the author's line is among the first ones. Beside them, what is drawn
 * more freely until as many tokens were decoded as for the forks.
 */
import type { GenerationEngine } from '../core/completion/engine_port';
import { LEAST_CERTAINTY } from '../core/completion/certainty';
import { Alternatives } from '../core/completion/alternatives';
import type { CompletionOptions } from '../core/completion/options';
import type { CompletionOutcome } from '../core/completion/outcome';
import { CompletionPipeline, type SuggestionRequest } from '../core/completion/pipeline';
import type { PromptWriter } from '../core/completion/prompt_writer';
import { Suggestions } from '../core/completion/suggestions';
import { Failure } from '../cli/failure';
import type { CompletionCase } from './completion_case';
import { ownRow, type Row } from './report';
import { isExact } from './scores';

/** What is offered at once. */
const MOST_OFFERED = 3;
/** So freely, other lines come that are not nonsense. */
const TEMPERATURE = 0.8;
/** Where all draws say the same. */
const MOST_DRAWS = 32;

interface Offered {
  readonly text: string;
  /** How probable the model finds it, 0 to 1. */
  readonly confidence: number;
}

/** A place, and what is offered there, in order. */
export interface Asked {
  readonly case: CompletionCase;
  readonly forked: readonly Offered[];
  readonly drawn: readonly Offered[];
  /** Decoded for the forks, beside those of the first suggestion. */
  readonly forkedTokens: number;
  readonly drawnTokens: number;
}

/** Counts what is decoded beside what would be suggested unasked. */
class CountedSuggestions extends Suggestions {
  tokens = 0;

  override async complete(request: SuggestionRequest): Promise<CompletionOutcome> {
    const outcome = await super.complete(request);
    if (outcome.error !== undefined) throw new Failure(outcome.error);
    if (request.fork !== undefined) this.tokens += outcome.timings.generatedTokens;
    return outcome;
  }
}

/** Throws Failure when the engine reports an error. */
export async function askAt(
  engine: GenerationEngine,
  one: CompletionCase,
  options: CompletionOptions,
  prompts: PromptWriter,
  request: SuggestionRequest,
): Promise<Asked> {
  const pipeline = new CompletionPipeline(engine, () => options, prompts);
  const suggestions = new CountedSuggestions(pipeline, () => options, Infinity);
  // However slow this machine is.
  const outcomes = await new Alternatives(suggestions, () => options, Infinity).complete(request);
  const forked = outcomes.filter(({ shown }) => shown);
  const first = await suggestions.complete({ ...request, explicit: true });
  const drawn = first.shown ? [first] : [];
  let drawnTokens = 0;
  for (let seed = 0; seed < MOST_DRAWS; seed++) {
    if (drawn.length >= MOST_OFFERED || drawnTokens >= suggestions.tokens) break;
    const sampling = { ...options.sampling, temperature: TEMPERATURE, seed };
    const draws = new CompletionPipeline(engine, () => ({ ...options, sampling }), prompts);
    const outcome = await draws.complete({ ...request, explicit: true });
    if (outcome.error !== undefined) throw new Failure(outcome.error);
    drawnTokens += outcome.timings.generatedTokens;
    if (!outcome.shown || outcome.certainty < LEAST_CERTAINTY.eager) continue;
    if (!drawn.some((known) => isSame(known.text, outcome.text))) drawn.push(outcome);
  }
  const others = drawn.slice(first.shown ? 1 : 0).toSorted((a, b) => b.certainty - a.certainty);
  return {
    case: one,
    forked: forked.map(offeredOf),
    drawn: [...(first.shown ? [first] : []), ...others].map(offeredOf),
    forkedTokens: suggestions.tokens,
    drawnTokens,
  };
}

/** For other programs, and for people. */
export function alternativeDetails({ case: { id, path, expected }, ...offered }: Asked): object {
  return { id, path, expected, ...offered };
}

/** How often one of the first few is exactly right, how many there are, and what they cost beside the first. */
export function alternativeRows(asked: readonly Asked[]): Row[] {
  if (asked.length === 0) return [];
  const mean = (of: (one: Asked) => number): number =>
    asked.reduce((sum, one) => sum + of(one), 0) / asked.length;
  return (['forked', 'drawn'] as const).flatMap((way) => {
    const name = `quality/${way}`;
    const among = (count: number): number =>
      100 * mean((one) => (one[way].slice(0, count).some(({ text }) => isRight(one.case, text)) ? 1 : 0));
    return [
      ...[1, 2, MOST_OFFERED].map((count) => ownRow(`${name}-exact-among-${count}`, '%', among(count))),
      ownRow(
        `${name}-offered`,
        'texts',
        mean((one) => one[way].length),
      ),
      ownRow(
        `${name}-tokens`,
        'tokens',
        mean((one) => one[`${way}Tokens`]),
      ),
    ];
  });
}

/** Of several lines, the first is what the author's line is compared with. */
function isRight({ expected }: CompletionCase, text: string): boolean {
  return isExact({ expected, text: text.split('\n', 1)[0] ?? '' });
}

function offeredOf({ text, confidence }: CompletionOutcome): Offered {
  return { text, confidence };
}

/** Alone or as the first of several lines; blanks make no other text. */
function isSame(known: string, text: string): boolean {
  const said = (one: string): string => (one.split('\n', 1)[0] ?? '').replace(/\s+/g, '');
  return said(known) === said(text);
}
