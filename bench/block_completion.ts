/** Completes several lines as 'Generate at Cursor' does in an editor. */
import { Failure } from '../cli/failure';
import { ask } from '../core/completion/asking';
import type { DocumentSnapshot } from '../core/completion/document';
import type { GenerationEngine } from '../core/completion/engine_port';
import type { CompletionOptions } from '../core/completion/options';
import type { PromptWriter } from '../core/completion/prompt_writer';
import type { FindSnippets } from '../core/completion/snippets';
import { GeneratedText } from '../core/generate/generated_text';
import type { Completed } from './quality_rows';

/** Enough for the longest block that is cut. */
const MAX_TOKENS = 160;

/** As if the file had just been opened. Throws Failure when the engine reports an error. */
export async function completeBlock(
  engine: GenerationEngine,
  document: DocumentSnapshot,
  options: CompletionOptions,
  prompts: PromptWriter,
  snippets?: FindSnippets,
): Promise<Omit<Completed, 'case'>> {
  const generated = new GeneratedText(document);
  const controller = new AbortController();
  let text = '';
  const onText = (piece: string): void => {
    text += generated.add(piece);
    if (generated.over) controller.abort();
  };
  const place = { document, options: { ...options, maxTokens: MAX_TOKENS }, snippets };
  const answer = await ask(prompts, place, (request) => engine.generate(request, controller.signal, onText));
  if (!answer.ok) throw new Failure(answer.error);
  const { stop, confidence, endProbability, timings } = answer.value;
  if (stop !== 'cancelled') text += generated.end();
  return { text, shown: true, reason: 'shown', stop, confidence, endProbability, timings };
}
