/**
 * Several suggestions for one place, when somebody asks for one: first what is suggested unasked, then what else the model may say, each
 * drawn more freely and worth a look. Asked again at the same place, there are others.
 */
import { LEAST_CERTAINTY } from './certainty';
import { lineAfter } from './document';
import type { CompletionOptions } from './options';
import type { CompletionOutcome, CompletionPipeline, SuggestionRequest } from './pipeline';

/** What is offered at once, at most: more than three nobody looks through. */
const MOST_OFFERED = 3;
/** Draws beside the first suggestion; each takes as long as its tokens, since its prompt has been read. */
const MOST_DRAWS = 5;
/** So freely, other lines come that are not nonsense. */
const TEMPERATURE = 0.8;

interface Asked {
  readonly uri: string;
  readonly before: string;
  readonly lineAfter: string;
  readonly offered: Set<string>;
  seed: number;
}

export class Alternatives {
  private readonly pipeline: Pick<CompletionPipeline, 'complete'>;
  private readonly options: () => Pick<CompletionOptions, 'sampling'>;
  private last: Asked | undefined;

  constructor(
    pipeline: Pick<CompletionPipeline, 'complete'>,
    options: () => Pick<CompletionOptions, 'sampling'>,
  ) {
    this.pipeline = pipeline;
    this.options = options;
  }

  /** One outcome at least; more than one only where all are shown. Never rejects. */
  async complete(request: SuggestionRequest): Promise<readonly CompletionOutcome[]> {
    const first = await this.pipeline.complete({ ...request, explicit: true });
    // Refused, cancelled, or no model to ask: another draw would end the same way.
    if (first.source === 'none') return [first];
    const asked = this.askedAt(request);
    const again = asked.offered.size > 0;
    const offered = first.shown && !again ? [first] : [];
    if (first.shown) asked.offered.add(first.text);
    const others: CompletionOutcome[] = [];
    for (let draw = 0; draw < MOST_DRAWS && offered.length + others.length < MOST_OFFERED; draw++) {
      const other = await this.draw(request, asked.seed++);
      if (request.signal.aborted) break;
      const isNew = other.shown && !asked.offered.has(other.text);
      if (!isNew || other.certainty < LEAST_CERTAINTY.eager) continue;
      asked.offered.add(other.text);
      others.push(other);
    }
    offered.push(...others.toSorted((a, b) => b.certainty - a.certainty));
    return offered.length === 0 ? [first] : offered;
  }

  private draw(request: SuggestionRequest, seed: number): Promise<CompletionOutcome> {
    const { sampling } = this.options();
    const temperature = Math.max(sampling.temperature, TEMPERATURE);
    return this.pipeline.complete({
      ...request,
      explicit: true,
      sampling: { ...sampling, temperature, seed },
    });
  }

  /** What was offered here since somebody asked elsewhere. */
  private askedAt({ document }: SuggestionRequest): Asked {
    const { uri, before } = document;
    const here = { uri, before, lineAfter: lineAfter(document) };
    const { last } = this;
    if (last?.uri === uri && last.before === before && last.lineAfter === here.lineAfter) return last;
    return (this.last = { ...here, offered: new Set(), seed: 0 });
  }
}
