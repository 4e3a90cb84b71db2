/**
 * Several suggestions for one place, when somebody asks for one: first what is suggested unasked, then what else the model may say, each
 * drawn more freely and worth a look. Asked again at the same place, there are others.
 */
import { LEAST_CERTAINTY } from './certainty';
import { lineAfter } from './document';
import type { CompletionOptions } from './options';
import type { CompletionOutcome, CompletionPipeline, SuggestionRequest } from './pipeline';
import { firstLine } from './postprocess';

/** What is offered at once, at most: more than three nobody looks through. */
const MOST_OFFERED = 3;
/** Draws beside the first suggestion; each takes as long as its tokens, since its prompt has been read. */
const MOST_DRAWS = 5;
/** Nor is one begun after so long, ms: the first suggestion waits for the others. */
const MOST_MS = 400;
/** So freely, other lines come that are not nonsense. */
const TEMPERATURE = 0.8;

interface Asked {
  readonly uri: string;
  readonly before: string;
  readonly lineAfter: string;
  readonly offered: ReadonlySet<string>;
  readonly seed: number;
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
    const known = new Set(asked.offered);
    const offered = first.shown && known.size === 0 ? [first] : [];
    if (first.shown) known.add(first.text);
    const others: CompletionOutcome[] = [];
    let { seed } = asked;
    const until = performance.now() + MOST_MS;
    for (let draw = 0; draw < MOST_DRAWS && offered.length + others.length < MOST_OFFERED; draw++) {
      if (performance.now() > until) break;
      const other = await this.draw(request, seed++);
      // Nobody sees what was cancelled: it is offered next time.
      if (request.signal.aborted) return [first];
      if (!other.shown || isKnown(other.text, known) || other.certainty < LEAST_CERTAINTY.eager) continue;
      known.add(other.text);
      others.push(other);
    }
    this.last = { ...asked, offered: known, seed };
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
    return { ...here, offered: new Set(), seed: 0 };
  }
}

/** Whether a line was offered, alone or as the first of several. One that differs in blanks alone is no other to who looks through them. */
function isKnown(line: string, known: ReadonlySet<string>): boolean {
  const said = withoutBlanks(line);
  return [...known].some((text) => withoutBlanks(text) === said || withoutBlanks(firstLine(text)) === said);
}

function withoutBlanks(text: string): string {
  return text.replace(/\s+/g, '');
}
