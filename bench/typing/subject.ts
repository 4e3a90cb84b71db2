/** What is put to the test: what makes suggestions, and what reads ahead for it. */
import { OneEngine } from '../../core/completion/asking';
import type { Calibration } from '../../core/completion/calibration';
import type { GenerationEngine } from '../../core/completion/engine_port';
import type { CompletionOptions } from '../../core/completion/options';
import type { CompletionOutcome } from '../../core/completion/outcome';
import { CompletionPipeline } from '../../core/completion/pipeline';
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
 * @param calibration What is learnt of how sure one may be of the model. Default: nothing, as of the embedded one.
 */
export function subjectOf(
  engine: GenerationEngine,
  options: CompletionOptions,
  prompts: PromptWriter = new PromptWriter(engine),
  readsAhead = true,
  calibration?: Calibration,
): Subject {
  const asking = new OneEngine(engine, prompts, () => calibration);
  const pipeline = new CompletionPipeline(engine, () => options, prompts, undefined, asking);
  const suggestions = new Suggestions(pipeline, () => options);
  let last: { readonly before: string; readonly outcome: CompletionOutcome } | undefined;
  const noted =
    (make: Subject['complete']): Subject['complete'] =>
    async (request) => {
      suggestions.seen(request.document);
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
