/** From a place in a document to the engine's answer. */
import type { EngineAnswer, EngineRequest } from '../engine/engine_request';
import type { Place, PromptWriter } from './prompt_writer';

/** Sends a request to the engine. */
export type Send = (request: EngineRequest) => Promise<EngineAnswer>;

/** What is left of a prompt that did not fit, and the smallest part that is tried. */
const SMALLER = 1 / 4;
const SMALLEST = 1 / 100;

/** Writes what is asked for at a place, sends it, with less text where it does not fit, and has the writer learn from the answer. */
export async function ask(prompts: PromptWriter, place: Place, send: Send): Promise<EngineAnswer> {
  // Token counts are estimates: text far denser than any seen so far can overflow the context.
  for (let part = 1; ; part *= SMALLER) {
    const written = prompts.write(place, part);
    const answer = await send(written.request);
    // The cut of a prompt that did not fit is no start for the next one.
    if (answer.ok) prompts.learn(place.document.uri, written, answer.value);
    else if (answer.error.code === 'CONTEXT_OVERFLOW' && part * SMALLER > SMALLEST) continue;
    return answer;
  }
}
