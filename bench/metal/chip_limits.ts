/** What the memory of a chip allows to its GPU: the bandwidth that its maker states. */
import type { MachineLimits } from '../floors';
import { numberOf } from '../line_protocol';
import type { Limits } from '../machine_limits';
import type { ModelUnderTest } from '../model_under_test';
import { Worker, type WorkerCommand } from '../worker';

export class ChipLimits implements Limits {
  private readonly command: (model: string) => WorkerCommand;
  private bytesPerSecond: number | undefined;

  /** @param command native/forward_bench.cpp with a model on the GPU, whose name tells the chip. */
  constructor(command: (model: string) => WorkerCommand) {
    this.command = command;
  }

  async read({ path }: Pick<ModelUnderTest, 'path'>): Promise<MachineLimits> {
    this.bytesPerSecond ??= await this.ask(path);
    return { bytesPerSecond: this.bytesPerSecond, operationsPerSecond: null };
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  private async ask(path: string): Promise<number> {
    const worker = await Worker.start(this.command(path));
    try {
      return numberOf(await worker.ask('bandwidth'), 'bytesPerSecond');
    } finally {
      await worker.stop();
    }
  }
}
