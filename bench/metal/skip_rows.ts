/** Both ways in which the Metal device can skip what lies behind the end of a chain: what they cost, and what they save. */
import { CHAIN_SKIPS, type ChainSkip, forwardCommand, type Prompt } from '../contenders';
import { numberOf, requestLine } from '../line_protocol';
import { ownRow, type Row } from '../report';
import { median } from '../statistics';
import { withWorkers, type Worker } from '../worker';

/** Of a chain that nothing stops. */
const CHAIN_STEPS = 64;
/** Of a submission that stops in its first step. */
const STOPPED_STEPS = 64;

export interface SkipOptions {
  readonly program: string;
  readonly model: string;
  /** The part of the rows' names behind the slash. */
  readonly name: string;
  readonly prompt: Prompt;
  readonly threads: number;
  readonly repeats: number;
}

/** Tokens a second of a chain, and microseconds for each skipped step behind a stop, with either way in turn. Throws Failure. */
export async function skipRows(options: SkipOptions): Promise<Row[]> {
  const { program, model, name, prompt, threads, repeats } = options;
  return withWorkers(async (start) => {
    const contenders: { skip: ChainSkip; worker: Worker; chain: number[]; behind: number[] }[] = [];
    for (const skip of CHAIN_SKIPS) {
      const command = forwardCommand(program, model, { threads, device: 'metal' }, skip);
      const worker = await start(command);
      await worker.ask(command.prompt(prompt));
      contenders.push({ skip, worker, chain: [], behind: [] });
    }
    for (let repeat = 1; repeat <= repeats; repeat++) {
      console.error(`ways of skipping: ${repeat} of ${repeats}`);
      for (const { worker, chain, behind } of contenders) {
        chain.push(numberOf(await worker.ask(requestLine('chain', CHAIN_STEPS)), 'ms'));
        behind.push(numberOf(await worker.ask(requestLine('behind-stop', STOPPED_STEPS)), 'ms'));
      }
    }
    return contenders.flatMap(({ skip, chain, behind }) => [
      ownRow(`chain-${skip}/${name}`, 'tok/s', (1_000 * CHAIN_STEPS) / median(chain)),
      ownRow(`skipped-step-${skip}/${name}`, 'us', (1_000 * median(behind)) / (STOPPED_STEPS - 1)),
    ]);
  });
}
