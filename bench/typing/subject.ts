/** What is put to the test: what makes suggestions, and what reads ahead for it. */
import type { GenerationEngine } from '../../core/completion/engine_port';
import type { CompletionOptions } from '../../core/completion/options';
import { type CompletionOutcome, CompletionPipeline } from '../../core/completion/pipeline';
import { prepare, type Preparation } from '../../core/completion/preparation';
import { Suggestions } from '../../core/completion/suggestions';
import { PromptWriter } from '../../core/completion/prompt_writer';

export interface Subject extends Pick<CompletionPipeline, 'complete'> {
  /** What is shown first, where that need not wait for all; default: all of it. */
  readonly begin?: Subject['complete'];
  /** As the extension does where the cursor rests: the place is read, then what follows the suggestion there is computed. */
  readonly prepare: (place: Preparation) => Promise<boolean>;
}

/**
 * As an editor starts: nothing is remembered.
 * @param readsAhead Whether the engine reads the place at which the cursor rests; what follows a suggestion is computed all the same.
 */
export function subjectOf(
  engine: GenerationEngine,
  options: CompletionOptions,
  prompts: PromptWriter = new PromptWriter(engine),
  readsAhead = true,
): Subject {
  const pipeline = new CompletionPipeline(engine, () => options, prompts);
  const suggestions = new Suggestions(pipeline, () => options);
  let last: { readonly before: string; readonly outcome: CompletionOutcome } | undefined;
  const noted =
    (make: Subject['complete']): Subject['complete'] =>
    async (request) => {
      const outcome = await make(request);
      last = { before: request.document.before, outcome };
      return outcome;
    };
  return {
    begin: noted((request) => suggestions.begin(request)),
    complete: noted((request) => suggestions.complete(request)),
    async prepare(place) {
      const done = !readsAhead || (await prepare(engine, prompts, options, place));
      if (!done || last?.before !== place.document.before || !last.outcome.shown) return done;
      await suggestions.prepareNext(place, last.outcome);
      return true;
    },
  };
}
