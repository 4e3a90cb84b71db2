/** How long the first start of a model on a GPU takes, when its pipelines are compiled, and a later one, which finds them. */
import { rmSync } from 'node:fs';
import { STARTS } from '../build_folder';
import { composePrompt } from '../composed_prompt';
import { ourCommand } from '../contenders';
import { numberOf, requestLine } from '../line_protocol';
import { ownRow, type Row } from '../report';
import { median } from '../statistics';
import { Worker } from '../worker';

const PROMPT_TOKENS = 16;

export interface StartOptions {
  readonly model: string;
  /** The part of the rows' names behind the slash. */
  readonly name: string;
  readonly threads: number;
  readonly repeats: number;
}

/**
 * Medians of the time from opening the model to the first token of a short prompt, less that of the same prompt when it is
 * loaded: in a process with an empty folder for pipelines, and in the next one with the same folder. The system keeps what its
 * compiler made in a cache of its own, too, so a machine's very first start is longer. Throws Failure.
 */
export async function startRows({ model, name, threads, repeats }: StartOptions): Promise<Row[]> {
  const [first, later]: [number[], number[]] = [[], []];
  const options = { threads, device: 'metal', later: true } as const;
  const composing = ourCommand(model, { threads, device: 'cpu', later: false });
  const { text } = await composePrompt(composing, PROMPT_TOKENS);
  for (let repeat = 1; repeat <= repeats; repeat++) {
    console.error(`starts: ${repeat} of ${repeats}`);
    rmSync(STARTS, { recursive: true, force: true });
    for (const times of [first, later]) {
      const worker = await Worker.start(ourCommand(model, options, STARTS));
      try {
        await worker.ask(requestLine('text', text));
        times.push(numberOf(await worker.ask('load'), 'ms'));
      } finally {
        await worker.stop();
      }
    }
  }
  return [
    ownRow(`first-start/${name}`, 'ms', median(first)),
    ownRow(`second-start/${name}`, 'ms', median(later)),
  ];
}
