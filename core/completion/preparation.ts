/**
 * Reads a place before anything is asked there, so that the first suggestion need not wait for the model to read the prompt. What was read is in
 * the KV cache; a suggestion cancels this like any request before it.
 */
import type { EngineRequest } from '../engine/engine_request';
import { ask } from './asking';
import type { CompletionEngine } from './engine_port';
import type { CompletionOptions } from './options';
import type { SuggestionRequest } from './pipeline';
import type { PromptWriter } from './prompt_writer';
import { refusalOfDocument } from './trigger';

/** The first answer of an engine says how fast it reads: how much of a document is a prompt may be another question then. */
const MOST_ROUNDS = 3;
/** A prompt of which this part was in the cache is taken to have been read. */
const READ = 0.9;

export type Preparation = Pick<SuggestionRequest, 'document' | 'signal' | 'beside' | 'snippets'>;

/**
 * Whether the place was read to the end. Never rejects; does nothing where a suggestion would be refused or the engine writes a text. Whoever
 * asks for a suggestion aborts it: of two requests the later one wins.
 */
export async function prepare(
  engine: CompletionEngine,
  prompts: PromptWriter,
  options: CompletionOptions,
  { document, signal, beside, snippets }: Preparation,
): Promise<boolean> {
  if (refusalOfDocument(document, options) !== undefined || document.before.trim() === '') return false;
  const place = { document, options, beside, snippets, rests: true };
  const send = (request: EngineRequest): ReturnType<CompletionEngine['complete']> =>
    engine.complete({ ...request, maxTokens: 1 }, signal);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (engine.state !== 'ready' || engine.generating === true || signal.aborted) return false;
    const answer = await ask(prompts, place, send);
    if (!answer.ok || answer.value.stop === 'cancelled') return false;
    const { promptTokens, reusedTokens } = answer.value.timings;
    if (reusedTokens >= READ * promptTokens) return true;
  }
  return false;
}
