/** What this machine can do, measured in the same run by a program that does nothing else. */
import type { MachineLimits } from './floors';
import { numberOf, requestLine } from './line_protocol';
import type { ModelUnderTest } from './model_under_test';
import { Worker } from './worker';

/** What a machine allows to a model. */
export interface Limits {
  read(model: ModelUnderTest): Promise<MachineLimits>;
  stop(): Promise<void>;
}

export class LimitsReader implements Limits {
  private readonly worker: Worker;
  private readonly bandwidths = new Map<number, number>();
  private operationsPerSecond: number | undefined;

  private constructor(worker: Worker) {
    this.worker = worker;
  }

  static async start(program: string, threads: number): Promise<LimitsReader> {
    return new LimitsReader(
      await Worker.start({ name: 'The measurement of the machine', program, args: [String(threads)] }),
    );
  }

  /** Of a buffer of the weights' size, so that caches count for as much as they do with those. */
  async read({ cost: { weightBytes: bytes } }: Pick<ModelUnderTest, 'cost'>): Promise<MachineLimits> {
    this.operationsPerSecond ??= numberOf(await this.worker.ask('int8'), 'operationsPerSecond');
    const bytesPerSecond =
      this.bandwidths.get(bytes) ??
      numberOf(await this.worker.ask(requestLine('read', bytes)), 'bytesPerSecond');
    this.bandwidths.set(bytes, bytesPerSecond);
    return { bytesPerSecond, operationsPerSecond: this.operationsPerSecond };
  }

  stop(): Promise<void> {
    return this.worker.stop();
  }
}
