/** The quality suite: completes cases the way an editor would and compares with what the authors wrote. */
import { snapshotOfText } from '../extension/completion/document';
import type { CompletionEngine } from '../extension/completion/engine_port';
import { languageOfPath } from '../extension/completion/languages';
import { DEFAULT_OPTIONS } from '../extension/completion/options';
import { CompletionPipeline } from '../extension/completion/pipeline';
import type { CompletionCase } from './completion_case';
import type { Completed } from './quality_rows';

export interface QualityOptions {
  /** Tokens of prompt; 0 follows the measured speed, as the editor does. */
  readonly promptTokens: number;
  /** Called after each case. */
  readonly onCompleted?: (completed: Completed) => void;
}

export class EngineFailure extends Error {}

/** Completes one case after another. Throws EngineFailure when the engine reports an error. */
export async function completeCases(
  engine: CompletionEngine,
  cases: readonly CompletionCase[],
  { promptTokens, onCompleted }: QualityOptions,
): Promise<Completed[]> {
  const pipeline = new CompletionPipeline(engine, () => ({ ...DEFAULT_OPTIONS, promptTokens }));
  const { signal } = new AbortController();
  const result: Completed[] = [];
  for (const one of cases) {
    const document = snapshotOfText({
      // No two cases share a document, or the pipeline would answer from what it remembers of it.
      uri: `case:${result.length}`,
      path: one.path,
      languageId: languageOfPath(one.path),
      text: one.prefix + one.suffix,
      offset: one.prefix.length,
    });
    const outcome = await pipeline.complete({ document, signal, evenIfRefused: true });
    if (outcome.error !== undefined) throw new EngineFailure(`${one.id}: ${outcome.error.message}`);
    const completed = { case: one, text: outcome.text, shown: outcome.shown, confidence: outcome.confidence };
    result.push(completed);
    onCompleted?.(completed);
  }
  return result;
}
