/** What this machine can do, measured in the same run by a program that does nothing else. */
import type { MachineLimits } from './floors';
import { numberOf, requestLine } from './line_protocol';
import { Worker } from './worker';

export class LimitsReader {
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

  /** `bytes`: of the buffer that is read, so that caches count for as much as they do with weights of that size. */
  async read(bytes: number): Promise<MachineLimits> {
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
