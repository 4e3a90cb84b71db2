/** Prompts of a number of tokens, made of words that are one each. */
import { Failure } from '../cli/failure';
import type { Prompt } from './contenders';
import { idsOf, requestLine, textOf } from './line_protocol';
import { Worker, type WorkerCommand } from './worker';

/** Prompts are tried until one does not lead the model to its end token too soon. */
const SEEDS = 8;

/**
 * A prompt of exactly `tokens` tokens, by a worker of ours that is started for it.
 * @param goesOn A request that the model must be able to answer behind it without coming to an end. Throws Failure.
 */
export async function composePrompt(
  command: WorkerCommand,
  tokens: number,
  goesOn?: string,
): Promise<Prompt> {
  const worker = await Worker.start(command);
  try {
    for (let seed = 1; ; seed++) {
      const answer = await worker.ask(requestLine('compose', tokens, seed));
      const prompt: Prompt = { text: textOf(answer), ids: idsOf(answer) };
      if (goesOn === undefined) return prompt;
      try {
        await worker.ask(goesOn);
        return prompt;
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'EARLY_END' || seed === SEEDS) throw error;
      }
    }
  } finally {
    await worker.stop();
  }
}
