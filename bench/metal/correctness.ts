/** Whether a GPU computes what the processor does, with the product itself on both. */
import { Failure } from '../../cli/failure';
import { disagreement, logitsOf } from '../agreement';
import { composePrompt } from '../composed_prompt';
import { ourCommand } from '../contenders';
import { idsOf, requestLine } from '../line_protocol';
import { correlation } from '../statistics';
import { type Worker, withWorkers } from '../worker';

const PROMPT_TOKENS = 64;
const DECODE = requestLine('decode', 64);

export interface Correctness {
  readonly promptTokens: number;
  /** Pearson's correlation of the logits behind the prompt. */
  readonly correlation: number;
  /** Greedy tokens behind the prompt, and how many of them are the same before the first that differs. */
  readonly decoded: number;
  readonly same: number;
}

/**
 * Compares logits behind a prompt, and the greedy tokens that follow. The processor quantises activations to 8 bits and a GPU
 * does not, so that the tokens may part where two are nearly as likely. Throws Failure where the logits do not agree.
 */
export async function checkCorrectness(model: string, threads: number): Promise<Correctness> {
  return withWorkers(async (start) => {
    const onMetal = ourCommand(model, { threads, device: 'metal', later: false });
    const onCpu = ourCommand(model, { threads, device: 'cpu', later: false });
    const prompt = await composePrompt(onCpu, PROMPT_TOKENS, DECODE);
    const [metal, cpu] = [await start(onMetal), await start(onCpu)];
    await metal.ask(onMetal.prompt(prompt));
    await cpu.ask(onCpu.prompt(prompt));
    const [own, other] = [await logitsOf(metal, 'metal'), await logitsOf(cpu, 'cpu')];
    const problem = disagreement(own, other);
    if (problem !== undefined) {
      throw new Failure({ code: 'RESULTS_DIFFER', message: `The GPU and the processor differ: ${problem}.` });
    }
    const [ours, expected] = [await greedy(metal), await greedy(cpu)];
    const same = commonPrefix(ours, expected);
    return {
      promptTokens: PROMPT_TOKENS,
      correlation: correlation(own, other),
      decoded: expected.length,
      same,
    };
  });
}

async function greedy(worker: Worker): Promise<readonly number[]> {
  return idsOf(await worker.ask(DECODE));
}

/** How many ids at the front of both are the same. */
export function commonPrefix(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((id, index) => id !== b[index]);
  return differs === -1 ? a.length : differs;
}
