/**
 * Several suggestions for one place, when somebody asks for one: first what is suggested unasked, then what else the model may say, each as
 * probable as is worth a look. They fork off what it said at the tokens of which it was least sure (fork_order.ts), so that the KV cache has
 * all of them up to there. Asked again at the same place, there are others, at last mere guesses, and behind the last of them the first again.
 */
import { BlockLines } from './block_lines';
import { withoutBlanks } from './candidate_search';
import { type DocumentSnapshot, lineAfter, withTyped } from './document';
import { anyAnswer, type Fork, ForkOrder } from './fork_order';
import type { CompletionOptions } from './options';
import type { CompletionOutcome } from './outcome';
import type { CompletionPipeline, SuggestionRequest } from './pipeline';
import { isComplete } from './suggestions';

/** What is offered at once, at most: more than three nobody looks through. */
const MOST_OFFERED = 3;
/** Forks that are tried for that; most of them end behind a token or two, which nobody would say. */
const MOST_FORKS = 16;
/** Nor is one begun after so long, ms: the first suggestion waits for the others. */
const MOST_MS = 400;
/** So many times as many, and as long, where there is nothing to show otherwise that was not shown before. */
const PATIENCE = 5;
/** What is less probable than this is a mere guess. */
const LEAST_PROBABILITY = 0.01;
/** Who asks again where nothing likelier is left may see guesses: the same once more is no answer. */
const LEAST_OF_GUESSES = 1e-4;

/** What the others are answers to. */
interface Origin {
  readonly document: DocumentSnapshot;
  /** Whether it is the line behind the cursor's, which is complete. */
  readonly nextLine: boolean;
}

interface Found {
  readonly outcome: CompletionOutcome;
  readonly probability: number;
}

/** Of a place, what was offered since somebody asked elsewhere, and what is still to be tried. */
interface Search {
  readonly uri: string;
  readonly before: string;
  readonly lineAfter: string;
  readonly order: ForkOrder<Origin>;
  /** What is less probable is not offered, 0 to 1. */
  readonly least: number;
  readonly offered: Set<string>;
  /** What nobody has seen yet. */
  readonly found: Found[];
}

export class Alternatives {
  private readonly pipeline: Pick<CompletionPipeline, 'complete'>;
  private readonly options: () => Pick<CompletionOptions, 'multiline'>;
  private readonly mostMs: number;
  private last: Search | undefined;

  /** @param mostMs No fork is begun after so long. */
  constructor(
    pipeline: Pick<CompletionPipeline, 'complete'>,
    options: () => Pick<CompletionOptions, 'multiline'>,
    mostMs: number = MOST_MS,
  ) {
    this.pipeline = pipeline;
    this.options = options;
    this.mostMs = mostMs;
  }

  /** One outcome at least; more than one only where all are shown. Never rejects. */
  async complete(request: SuggestionRequest): Promise<readonly CompletionOutcome[]> {
    const asked = { ...request, explicit: true };
    const first = await this.pipeline.complete(asked);
    // Refused, cancelled, or no model to ask: another answer would end the same way.
    if (first.source === 'none') return [first];
    for (const search of this.searches(asked, first)) {
      this.last = search;
      const offered = await this.offer(asked, first, search);
      if (offered.length > 0) return offered;
      if (request.signal.aborted || !search.order.isEmpty) break;
    }
    return [first];
  }

  /** What is left of the last one at the place, then guesses, then all from the beginning. */
  private *searches(request: SuggestionRequest, first: CompletionOutcome): Generator<Search> {
    const last = this.lastAt(request);
    if (last !== undefined) yield last;
    if (last?.least === LEAST_PROBABILITY)
      yield { ...this.beginAt(request, first, LEAST_OF_GUESSES), offered: last.offered };
    yield this.beginAt(request, first, LEAST_PROBABILITY);
  }

  /** Forgets what was offered in a document: one that is opened anew is asked about for the first time. */
  forget(uri: string): void {
    if (this.last?.uri === uri) this.last = undefined;
  }

  /** Forgets what was offered: another model says it otherwise, and has other tokens. */
  reset(): void {
    this.last = undefined;
  }

  /** What was not offered yet; nothing where that is cancelled, as nobody would see it. */
  private async offer(
    request: SuggestionRequest,
    first: CompletionOutcome,
    { order, least, offered, found }: Search,
  ): Promise<readonly CompletionOutcome[]> {
    const own = first.shown && offered.size === 0 ? [first] : [];
    const most = MOST_OFFERED - own.length;
    const began = performance.now();
    for (let tried = 0; found.length < most; tried++) {
      const patience = own.length + found.length > 0 ? 1 : PATIENCE;
      if (tried >= patience * MOST_FORKS || performance.now() - began > patience * this.mostMs) break;
      const fork = order.next();
      if (fork === undefined) break;
      const outcome = await this.ask(request, fork, least);
      const { generation, barredProbability = 0 } = outcome;
      if (generation === undefined) {
        if (outcome.error === undefined) order.put(fork);
        break;
      }
      const probability = order.add(fork, generation, barredProbability);
      const known = [first.shown ? first.text : '', ...offered, ...found.map((one) => one.outcome.text)];
      const isWhole = outcome.shown && outcome.stop !== 'unsure' && probability >= least;
      if (isWhole && !isKnown(outcome.text, known)) found.push({ outcome, probability });
    }
    if (request.signal.aborted) return [];
    const others = found.splice(0, most).toSorted((a, b) => b.probability - a.probability);
    const all = [...own, ...others.map(({ outcome }) => outcome)];
    for (const { text } of all) offered.add(text);
    return all;
  }

  /** What is said to a fork, as it would be inserted at the cursor. */
  private async ask(
    request: SuggestionRequest,
    fork: Fork<Origin>,
    least: number,
  ): Promise<CompletionOutcome> {
    const { origin, lead, barred, leadProbability } = fork;
    const { document, nextLine } = origin;
    const outcome = await this.pipeline.complete({
      ...request,
      document,
      ...(nextLine && { mayEnd: true }),
      fork: { lead, barred, leastConfidence: Math.min(1, least / leadProbability) },
    });
    if (!nextLine || !outcome.shown) return outcome;
    const lines = new BlockLines(request.document, '');
    const belongs = lines.add(outcome.text) && lines.count > 1;
    return belongs ? { ...outcome, text: lines.text } : { ...outcome, shown: false, reason: 'does_not_fit' };
  }

  private lastAt({ document }: SuggestionRequest): Search | undefined {
    const { uri, before } = document;
    const { last } = this;
    const isHere = last?.uri === uri && last.before === before && last.lineAfter === lineAfter(document);
    return isHere ? last : undefined;
  }

  /** Where the line may end at the cursor, what follows on the next one is forked as well. */
  private beginAt(request: SuggestionRequest, first: CompletionOutcome, least: number): Search {
    const { document } = request;
    const { uri, before } = document;
    const order = new ForkOrder<Origin>(least);
    const begin = (origin: Origin, probability: number, said: CompletionOutcome | undefined): void => {
      const any = anyAnswer(origin, probability);
      if (said?.generation === undefined) order.put(any);
      else order.add(any, said.generation, 0, true);
    };
    // The probabilities of what was said count the end.
    const goesOn = first.generation === undefined ? 1 - first.endProbability : 1;
    begin({ document, nextLine: false }, goesOn, first);
    if (isComplete(first, request) && this.options().multiline !== 'never') {
      const next = { document: withTyped(document, '\n'), nextLine: true };
      begin(next, first.endProbability, first.further?.[0]);
    }
    return { uri, before, lineAfter: lineAfter(document), order, least, offered: new Set(), found: [] };
  }
}

/** Whether a text was offered, alone or as the first lines of several. One that differs in blanks alone is no other to who looks through them. */
function isKnown(text: string, known: readonly string[]): boolean {
  const count = text.split('\n').length;
  const said = withoutBlanks(text);
  return known.some((one) => {
    const lines = one.split('\n');
    return lines.some(
      (_, index) => index + 1 >= count && withoutBlanks(lines.slice(0, index + 1).join('\n')) === said,
    );
  });
}
