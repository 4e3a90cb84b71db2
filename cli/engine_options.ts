/** The options that every command with an engine takes, and the engine they describe. */
import { dirname, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addonPath, embeddedModelPath } from '../core/engine/binding';
import { Engine, type EngineOptions } from '../core/engine/engine';
import { KV_CACHES, type KvCache } from '../core/engine/kv_cache';
import { DEVICES, type DeviceChoice } from '../core/engine/native_types';
import { valueOf } from './failure';

/** The root of the package: this runs as dist/cli.cjs. */
export const ROOT = dirname(__dirname);

export interface EngineArguments {
  readonly model?: string;
  readonly device: DeviceChoice;
  readonly threads: number;
  readonly kvCache: KvCache;
}

export function withEngineOptions(command: Command): Command {
  return withDeviceOptions(
    command.option('--model <file>', 'a GGUF file or a model folder (default: the embedded model)'),
  );
}

/** Those of a command that has its model as an argument. */
export function withDeviceOptions(command: Command): Command {
  return command
    .addOption(new Option('--device <name>', 'what computes').choices(DEVICES).default('auto'))
    .addOption(
      new Option('--kv-cache <type>', 'as what keys and values are kept').choices(KV_CACHES).default('f16'),
    )
    .option('--threads <n>', 'compute threads; 0: as many as pay', integer(0, 64), 0);
}

/**
 * Runs `work` with a loaded engine, and unloads it.
 * @param extra What the command sets itself.
 */
export async function withEngine<T>(
  { model, device, threads, kvCache }: EngineArguments,
  work: (engine: Engine) => Promise<T>,
  extra: Pick<EngineOptions, 'context' | 'draftPath'> = {},
): Promise<T> {
  const modelPath = model === undefined ? embeddedModelPath(ROOT) : resolve(model);
  const options = { addonPath: addonPath(ROOT), modelPath, device, threads, kvCache, ...extra };
  const engine = valueOf(await Engine.load(options));
  try {
    return await work(engine);
  } finally {
    await engine.dispose();
  }
}

/** Reads an option that is a whole number from `least` to `most`. */
export function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };
}

/** Reads an option that is a number from `least` to `most`. */
export function decimal(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };
}
