/**
 * The worker that measures Emberline as the extension runs it: through extension/engine, in a Node process of its own. The
 * requests and their answers are in bench/README.md.
 */
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure, valueOf } from '../cli/failure';
import { writeBytes } from '../cli/files';
import { Engine, type EngineOptions } from '../core/engine/engine';
import type { NativeCompletion } from '../core/engine/native_types';
import type { Answer } from './line_protocol';
import { copiesIn, noCopy, waitForCopy } from './packed_copy_wait';
import { promptOf, singleTokenWords, withLastReplaced } from './prompt_text';
import { peakMemoryBytes } from './process_memory';
import { median } from './statistics';

const WARM_REPEATS = 5;
const IDLE_MS = 2_000;
/** Until Node has tidied up after a completion. */
const TIDY_MS = 500;
/** The longest that a copy of a model's weights takes to reach the disk. */
const PACKING_MS = 60_000;
/** Tokens of the completion before memory and idle time are looked at. */
const COMPLETION_TOKENS = 64;

export interface OurWorkerOptions extends EngineOptions {
  /** Leave the model alone until `load` is asked for. */
  readonly openLater: boolean;
}

/** Answers requests until standard input ends. */
export async function runOurWorker(options: OurWorkerOptions): Promise<void> {
  const measurements = new Measurements(options);
  try {
    if (!options.openLater) await measurements.openAndLeaveCopy();
    say({ ready: true });
    for await (const line of createInterface({ input: process.stdin })) {
      try {
        say(await measurements.answer(line));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        say({ error: error.message, code: error.code });
      }
    }
  } finally {
    await measurements.close();
  }
}

function say(answer: Answer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}

class Measurements {
  private engine: Engine | undefined;
  private prompt = '';

  private readonly options: EngineOptions;

  constructor(options: EngineOptions) {
    this.options = options;
  }

  async open(): Promise<void> {
    this.engine = valueOf(await Engine.load(this.options));
  }

  /** Waits until the copy that a first load leaves behind is there: what is measured is how an editor starts every day. */
  async openAndLeaveCopy(): Promise<void> {
    const folder = this.copyFolder;
    // Before the load, which may be done with it at once.
    const known = folder === undefined ? new Set<string>() : copiesIn(folder);
    await this.open();
    if (folder !== undefined && !this.ready.info.packedCopy) await waitForCopy(folder, known, PACKING_MS);
  }

  async close(): Promise<void> {
    await this.engine?.dispose();
  }

  async answer(line: string): Promise<Answer> {
    const [request = '', ...words] = line.split(' ');
    const numbers = words.map(Number);
    const [first = 0, second = 0] = numbers;
    switch (request) {
      case 'compose':
        return this.compose(first, second);
      case 'text':
        // A blank of its own stands between the request and the text.
        this.prompt = line.slice('text '.length);
        // Who loads later is not asked for them.
        return this.engine === undefined ? {} : { ids: [...(await this.ids(this.prompt))] };
      case 'prefill':
        return this.prefill();
      case 'decode':
        return this.decode(first);
      case 'reuse':
        return this.reuse(first, second, numbers[2] ?? 1);
      case 'load':
        return this.load();
      case 'logits':
        return this.writeLogits(line.slice('logits '.length));
      case 'memory':
        return this.memory();
      case 'idle':
        return this.idle();
      default:
        throw new Failure({ code: 'WORKER_FAILED', message: `There is no request '${request}'.` });
    }
  }

  /** A GPU reads the model's file itself; its pipelines are kept before the model is ready. */
  private get copyFolder(): string | undefined {
    return this.options.device === 'metal' ? undefined : this.options.packedFolder;
  }

  private get ready(): Engine {
    if (this.engine !== undefined) return this.engine;
    throw new Failure({ code: 'WORKER_FAILED', message: 'No model is loaded.' });
  }

  /** A prompt of exactly `count` tokens. */
  private async compose(count: number, seed: number): Promise<Answer> {
    const words = await singleTokenWords(async (text) => (await this.ids(text)).length);
    this.prompt = promptOf(words, count, seed).join('');
    const composed = await this.ids(this.prompt);
    if (composed.length !== count) {
      throw new Failure({
        code: 'VOCABULARY_UNKNOWN',
        message: `A prompt of ${count} words has ${composed.length} tokens.`,
      });
    }
    return { text: this.prompt, ids: [...composed] };
  }

  private async ids(text: string): Promise<Uint32Array> {
    return valueOf(await this.ready.tokenize(text, false));
  }

  private async complete(prompt: string, maxTokens: number, reused?: number): Promise<NativeCompletion> {
    const completion = valueOf(
      await this.ready.complete({ prompt, maxTokens, singleLine: false, banBlankStart: false }),
    );
    const { generatedTokens, reusedTokens } = completion.timings;
    if (generatedTokens !== maxTokens) {
      throw new Failure({
        code: 'EARLY_END',
        message: `The model ended after ${generatedTokens} of ${maxTokens} tokens.`,
      });
    }
    // Nothing that counts is kept where there is but a start token, with which some models begin every prompt.
    const kept = reused === 0 && reusedTokens === 1 ? 0 : reusedTokens;
    if (reused !== undefined && kept !== reused) {
      throw new Failure({
        code: 'WRONG_REUSE',
        message: `${reusedTokens} tokens of the prompt were reused, not ${reused}.`,
      });
    }
    return completion;
  }

  /** Puts something into the cache that no prompt begins with. */
  private async forget(): Promise<void> {
    await this.complete('0', 1);
  }

  private async timed(prompt: string, maxTokens: number, reused: number): Promise<number> {
    const start = performance.now();
    await this.complete(prompt, maxTokens, reused);
    return performance.now() - start;
  }

  private async prefill(): Promise<Answer> {
    await this.forget();
    return { ms: await this.timed(this.prompt, 1, 0) };
  }

  /** What the tokens after the first add to a request whose prompt is in the cache. */
  private async decode(count: number): Promise<Answer> {
    const { timings } = await this.complete(this.prompt, 1);
    const reused = timings.promptTokens - 1;
    const one = await this.timed(this.prompt, 1, reused);
    const start = performance.now();
    const { ids } = await this.complete(this.prompt, count, reused);
    return { ms: performance.now() - start - one, ids: [...ids] };
  }

  /** The last of `times` in a row. */
  private async reuse(count: number, step: number, times: number): Promise<Answer> {
    const words = this.prompt.split(/(?= )/);
    const changed = withLastReplaced(words, count, step).join('');
    let ms = 0;
    for (let time = 0; time < times; time++) {
      const { timings } = await this.complete(this.prompt, 1);
      ms = await this.timed(changed, 1, timings.promptTokens - count);
    }
    return { ms };
  }

  private async load(): Promise<Answer> {
    const start = performance.now();
    await this.open();
    await this.complete(this.prompt, 1, 0);
    const cold = performance.now() - start;
    if (this.copyFolder !== undefined && !this.ready.info.packedCopy) throw noCopy(this.copyFolder);
    const warm: number[] = [];
    for (let repeat = 0; repeat < WARM_REPEATS; repeat++) {
      await this.forget();
      warm.push(await this.timed(this.prompt, 1, 0));
    }
    return { ms: cold - median(warm) };
  }

  private async writeLogits(path: string): Promise<Answer> {
    const ids = valueOf(await this.ready.tokenize(this.prompt, false));
    const logits = valueOf(await this.ready.logits(ids));
    await writeBytes(path, new Uint8Array(logits.buffer, logits.byteOffset, logits.byteLength));
    return { vocabulary: logits.length };
  }

  /** The most memory this process ever had, once it has completed something; with no model, that of Node alone. */
  private async memory(): Promise<Answer> {
    if (this.engine === undefined) return { bytes: peakMemoryBytes(), positions: 0 };
    await this.forget();
    const { timings } = await this.complete(this.prompt, COMPLETION_TOKENS);
    return { bytes: peakMemoryBytes(), positions: timings.promptTokens + timings.generatedTokens };
  }

  /** Processor time of a process that has a model, has completed something, and is left alone. */
  private async idle(): Promise<Answer> {
    await this.complete(this.prompt, COMPLETION_TOKENS);
    await delay(TIDY_MS);
    const before = process.cpuUsage();
    await delay(IDLE_MS);
    const { user, system } = process.cpuUsage(before);
    return { ms: (user + system) / 1_000 };
  }
}
