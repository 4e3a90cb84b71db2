/**
 * What is suggested at a place: a line, and the lines behind it where the model is sure of them.
 *
 * Each line is asked for as if the ones before had been typed: it is judged, remembered and typed along like any other, the KV cache
 * holds all but its own tokens, and whoever accepts one finds the next one waiting.
 */
import { type Anchor, anchorAt, typedAlong } from './anchor';
import { BlockLines, takesLines } from './block_lines';
import { LEAST_CERTAINTY, leastOfLines } from './certainty';
import { type DocumentSnapshot, lineBefore, withTyped } from './document';
import { type Foreseen, HeadStart } from './head_start';
import { LINE_COMPLETE } from './judgement';
import { isCommentLine } from './languages';
import type { CompletionOptions } from './options';
import type { CompletionOutcome } from './outcome';
import type { CompletionPipeline, SuggestionRequest } from './pipeline';
import { firstLine } from './postprocess';
import { TypedLines } from './typed_lines';

/** After so long no further line is begun, ms; the first one stands there meanwhile. */
const MOST_MS = 600;
/** Who asked for it waits so many times as long: there is no further chance for what a busy machine left out. */
const ASKED = 3;

/** Which lines behind the first are wanted. */
interface Wanted {
  /** More than one. */
  readonly several: boolean;
  /** Once there is something to show, those alone that are known without the model. */
  readonly known: boolean;
}

/** The lines behind the first. */
interface Followed {
  /** The probability that all lines are right, the first among them, 0 to 1. */
  readonly certainty: number;
  /** What was asked for them. */
  readonly outcomes: readonly CompletionOutcome[];
  readonly goesOn: boolean;
}

/** What was shown, and where. */
interface Shown {
  readonly anchor: Anchor;
  readonly text: string;
  /** Whether several lines were wanted there. */
  readonly inBlock: boolean;
}

/** The break and the indentation of a line on which nothing stands yet. */
const NEW_LINE = /\n[ \t]*$/;

export class Suggestions {
  private readonly pipeline: Pick<CompletionPipeline, 'complete' | 'recall'>;
  private readonly options: () => Pick<CompletionOptions, 'multiline' | 'leastCertainty' | 'delayMs'>;
  private readonly mostMs: number;
  private readonly headStart = new HeadStart((request) => this.make(request, true));

  private last: Shown | undefined;
  private readonly typedLines = new TypedLines();

  /** @param mostMs After so long no further line is begun that nobody asked for, ms. */
  constructor(
    pipeline: Pick<CompletionPipeline, 'complete' | 'recall'>,
    options: () => Pick<CompletionOptions, 'multiline' | 'leastCertainty' | 'delayMs'>,
    mostMs: number = MOST_MS,
  ) {
    this.pipeline = pipeline;
    this.options = options;
    this.mostMs = mostMs;
  }

  /** All of it. Never rejects. */
  complete(request: SuggestionRequest): Promise<CompletionOutcome> {
    return this.suggest(request, false);
  }

  /** What need not wait for the lines behind it: the first line, and those that are known. Never rejects. */
  begin(request: SuggestionRequest): Promise<CompletionOutcome> {
    return this.suggest(request, true);
  }

  /** Begins what `begin` will be asked for next, before it is: nobody has seen it until then. */
  foresee(foreseen: Foreseen): void {
    if (this.foresees) this.headStart.begin(foreseen);
  }

  /** Whether anything is begun before it is asked for: who wants a pause in typing first wants nothing begun in it. */
  get foresees(): boolean {
    return this.options().delayMs === 0;
  }

  /** The place of what was foreseen and not asked for. */
  get foreseen(): DocumentSnapshot | undefined {
    return this.headStart.document;
  }

  /** What stands in a document now, and in it alone: of what was made there it may be known whether it was right. */
  seen(document: DocumentSnapshot): void {
    this.typedLines.seen(document);
  }

  /** Drops what is remembered of a closed document. */
  forget(uri: string): void {
    this.typedLines.forget(uri);
    if (this.last?.anchor.uri === uri) this.last = undefined;
  }

  /** Gives up what was foreseen in a document, or in any, and not asked for. */
  forgetForeseen(uri?: string): void {
    this.headStart.giveUp(uri);
  }

  private async suggest(request: SuggestionRequest, known: boolean): Promise<CompletionOutcome> {
    const foreseen = known ? await this.headStart.take(request) : undefined;
    const outcome = foreseen ?? (await this.make(request, known));
    // One that forks off another need not be the one that is offered.
    if (request.fork !== undefined) return outcome;
    this.typedLines.made(request.document, outcome);
    const steady = request.explicit === true ? outcome : this.asItWasShown(request, outcome);
    // Nor does anybody see what was cancelled.
    if (steady.shown && steady === outcome && !request.signal.aborted) {
      const { document } = request;
      const { text } = outcome;
      const inBlock = this.wantsMore(document, new BlockLines(document, firstLine(text)));
      this.last = { anchor: anchorAt(document.uri, document.before), text, inBlock };
    }
    return steady;
  }

  /** Asks for what follows a suggestion that is shown, so that it is there once that is accepted. Never rejects. */
  async prepareNext(request: SuggestionRequest, { text, replace }: CompletionOutcome): Promise<void> {
    await this.make({ ...request, document: withTyped(request.document, text, replace) }, false);
  }

  /**
   * With each key that is typed along the model is surer of what is left, and could say more; and what is left of a part may be too short to
   * be shown for itself. But what one reads stays as it is until it is typed.
   */
  private asItWasShown(request: SuggestionRequest, outcome: CompletionOutcome): CompletionOutcome {
    if (this.last === undefined || !(outcome.shown || outcome.reason === 'low_confidence')) return outcome;
    const { uri, before } = request.document;
    const { anchor, text } = this.last;
    const typed = typedAlong(anchor, text, uri, before);
    if (typed === undefined || typed === 0 || typed === text.length) return outcome;
    const rest = text.slice(typed);
    const uncut = outcome.uncut ?? outcome;
    const differs = outcome.text !== rest || !outcome.shown;
    if (!differs || !uncut.text.startsWith(rest)) return outcome;
    return { ...outcome, text: rest, uncut, shown: true, reason: 'shown', goesOn: false };
  }

  private async make(request: SuggestionRequest, known: boolean): Promise<CompletionOutcome> {
    const first = await this.pipeline.complete(request);
    const { document } = request;
    const { multiline } = this.options();
    // At its place a fork is not remembered, and each line would be asked for anew.
    if (multiline === 'never' || request.fork !== undefined) return first;
    if (isComplete(first, request)) return this.nextLines(request, first, known);
    if (!first.shown || first.replace > 0 || first.uncut !== undefined) return first;
    const lines = new BlockLines(document, first.text);
    if (!this.wantsMore(document, lines)) return first;
    return joined(first, lines, await this.follow(request, lines, first.certainty, { several: true, known }));
  }

  /** Whether lines should follow the first: where one opens a block, behind a comment that asks for it, and further on in a block. */
  private wantsMore(document: DocumentSnapshot, lines: BlockLines): boolean {
    const { multiline } = this.options();
    if (lines.asksForMore(multiline)) return true;
    if (multiline !== 'auto' || !takesLines(document)) return false;
    return isCommentLine(document.languageId, lineBefore(document)) || this.goesOnWithBlock(document);
  }

  /** Whether the cursor stands where a block was shown, in it or behind it, all of it typed or accepted so far, if need be on a new line. */
  private goesOnWithBlock({ uri, before }: DocumentSnapshot): boolean {
    if (this.last?.inBlock !== true) return false;
    const { anchor, text } = this.last;
    if (typedAlong(anchor, text, uri, before) !== undefined) return true;
    return typedAlong(anchor, text, uri, before.replace(NEW_LINE, '')) === text.length;
  }

  /** The line is complete: the next one, and the body that it opens. Nobody sees that it is: that has to be as sure as what follows. */
  private async nextLines(
    request: SuggestionRequest,
    first: CompletionOutcome,
    known: boolean,
  ): Promise<CompletionOutcome> {
    const lines = new BlockLines(request.document, '');
    const several = this.wantsMore(request.document, lines);
    const followed = await this.follow(request, lines, first.endProbability, { several, known });
    if (lines.count === 1) return { ...first, further: followed.outcomes };
    return { ...joined(first, lines, followed), shown: true, reason: 'shown' };
  }

  /**
   * Adds lines as long as they belong there and are sure enough: the shortest suggestion as one line has to be, what is longer three quarters as much.
   * Unasked, several are shown only to their end: where the model goes on with what stands below, or where nothing does leaves the body. Where
   * it does not get there, the shortest suggestion is left.
   * @param certainty That of the first.
   */
  private async follow(
    request: SuggestionRequest,
    lines: BlockLines,
    certainty: number,
    { several, known }: Wanted,
  ): Promise<Followed> {
    const { explicit = false, document, signal } = request;
    const least = explicit ? LEAST_CERTAINTY.eager : this.options().leastCertainty;
    const until = performance.now() + this.mostMs * (explicit ? ASKED : 1);
    const outcomes: CompletionOutcome[] = [];
    let sofar = certainty;
    let whole = certainty;
    let shortest = lines.text === '' ? undefined : { count: lines.count, certainty };
    let goesOn = false;
    let ended = explicit || !several;
    let isLast = false;
    const isSure = (): boolean => sofar >= (explicit || shortest === undefined ? least : leastOfLines(least));
    while (isSure() && !signal.aborted) {
      const place = withTyped(document, `${lines.all}\n`);
      const asked = { ...request, document: place, explicit: true, mayEnd: true };
      const waits = known && lines.text !== '';
      const next = waits ? this.pipeline.recall(asked) : await this.pipeline.complete(asked);
      goesOn = next === undefined;
      if (next === undefined) break;
      outcomes.push(next);
      const comes = next.reason === 'blank_result' || next.text !== '';
      if (comes && lines.endBefore(next.text)) ended = true;
      sofar *= next.certainty;
      if (ended && several && !explicit) break;
      if (isLast || !next.shown || !isSure()) break;
      const { count } = lines;
      if (!lines.add(next.text)) break;
      if (lines.count > count) {
        whole = sofar;
        shortest ??= { count: lines.count, certainty: sofar };
      }
      isLast = next.stop === 'end_token';
      // Where nothing stands below, the model has its own end alone.
      if (isLast && lines.endDocument) ended = true;
      if (!several || (isLast && ended) || performance.now() > until) break;
    }
    if (!ended && shortest !== undefined) {
      lines.cut(shortest.count);
      whole = shortest.certainty;
    }
    return { certainty: whole, outcomes, goesOn };
  }
}

/** Whether the cursor's line is complete, and others may follow. Where somebody asks, the pipeline does not say so. */
export function isComplete(
  first: CompletionOutcome,
  { document, explicit = false }: SuggestionRequest,
): boolean {
  const { reason, stop, endProbability } = first;
  const ends = explicit && stop !== 'cancelled' && endProbability >= LINE_COMPLETE;
  return (reason === 'line_complete' || ends) && /\S$/.test(lineBefore(document)) && takesLines(document);
}

/** One outcome of all that was asked. */
function joined(
  first: CompletionOutcome,
  lines: BlockLines,
  { certainty, outcomes, goesOn }: Followed,
): CompletionOutcome {
  const asked = [first, ...outcomes].find(({ source }) => source === 'model');
  return {
    ...first,
    text: lines.text,
    certainty,
    source: asked?.source ?? 'cache',
    timings: (asked ?? first).timings,
    further: outcomes,
    goesOn,
  };
}
