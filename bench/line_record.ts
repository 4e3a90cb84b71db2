/** What was asked for a suggestion, line by line: what a rule for where it ends can go by. */
import type { GenerationEngine } from '../core/completion/engine_port';
import type { CompletionOutcome } from '../core/completion/outcome';
import type { CompletionPipeline } from '../core/completion/pipeline';
import type { NativeCompletion } from '../core/engine/native_types';

/** What became of a line, and what the model said of it; JSON. */
export interface LineRecord extends Pick<
  CompletionOutcome,
  'text' | 'shown' | 'reason' | 'stop' | 'certainty' | 'confidence' | 'endProbability'
> {
  /** The whole text, its indentation included. */
  readonly made: string;
  /** How probable each token was, and where the text ends behind it, the one that ended it included. */
  readonly tokens: { readonly probabilities: readonly number[]; readonly ends: readonly number[] };
}

/** Listens to what a pipeline is asked and answers. */
export class LineRecorder {
  readonly lines: LineRecord[] = [];
  private completion: NativeCompletion | undefined;

  /** The engine for a pipeline whose lines are recorded. */
  engine(engine: GenerationEngine): GenerationEngine {
    return {
      state: engine.state,
      speed: engine.speed,
      context: engine.context,
      fim: engine.fim,
      parameters: engine.parameters,
      complete: async (request, signal) => {
        const answer = await engine.complete(request, signal);
        this.completion = answer.ok ? answer.value : undefined;
        return answer;
      },
      generate: (request, signal, onText) => engine.generate(request, signal, onText),
    };
  }

  /** The pipeline that the lines are asked of, one at a time. */
  pipeline(pipeline: CompletionPipeline): Pick<CompletionPipeline, 'complete' | 'recall'> {
    return {
      complete: async (request) => {
        this.completion = undefined;
        const outcome = await pipeline.complete(request);
        this.lines.push(recordOf(outcome, this.completion));
        return outcome;
      },
      recall: (request) => pipeline.recall(request),
    };
  }
}

function recordOf(outcome: CompletionOutcome, completion: NativeCompletion | undefined): LineRecord {
  const { reason, stop, confidence, endProbability, uncut } = outcome;
  const { text, certainty } = uncut ?? outcome;
  const shown = outcome.shown && uncut === undefined;
  const probabilities = [...(completion?.tokenProbabilities ?? [])];
  const tokens = { probabilities, ends: [...(completion?.tokenEnds ?? [])] };
  const made = completion?.text ?? '';
  return { text, shown, reason, stop, certainty, confidence, endProbability, made, tokens };
}
