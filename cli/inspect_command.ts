/** `inspect`: what is in a model file, and whether it will run. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { addonPath, loadAddon } from '../core/engine/binding';
import { kvBytesAPosition, type KvCache, kvCacheBytes } from '../core/engine/kv_cache';
import { MAX_BATCH_ROWS, type NativeDispatch, type NativeInspection } from '../core/engine/native_inspection';
import { type ExpectedSpeed, expectedSpeed, speedLine } from '../core/models/expected_speed';
import { dispatchLines } from './dispatch_table';
import { outlineLines } from './model_outline';
import { type EngineArguments, integer, ROOT, withDeviceOptions, withEngine } from './engine_options';
import { valueOf } from './failure';
import { printJson, printLine } from './output';
import { prefillRate } from './prefill_probe';
import { whyNot } from './remedy';

interface InspectArguments extends Omit<EngineArguments, 'model'> {
  readonly json?: boolean;
  readonly dispatches?: boolean;
  readonly rows: number;
  readonly sampled?: boolean;
}

export function addInspectCommand(program: Command): void {
  const command = program
    .command('inspect')
    .description('print what is in a model file, and whether it will run')
    .argument('<model>', 'a GGUF file or a model folder')
    .option('--json', 'as JSON')
    .option('--dispatches', 'instead, what the device is told for a token, command by command')
    .addOption(
      new Option('--rows <n>', 'for so many tokens at once (with --dispatches)')
        .argParser(integer(1, MAX_BATCH_ROWS))
        .default(1),
    )
    .option('--sampled', 'for one that is drawn (with --dispatches)');
  withDeviceOptions(command).action(async (model: string, options: InspectArguments) => {
    if (options.dispatches === true) {
      if (options.sampled === true && options.rows !== 1)
        command.error("error: option '--sampled' is of one row: leave out '--rows'");
      await printDispatches(model, options);
      return;
    }
    for (const [name, given] of [
      ['--rows', options.rows !== 1],
      ['--sampled', options.sampled === true],
    ] as const) {
      if (given) command.error(`error: option '${name}' needs '--dispatches'`);
    }
    const addon = valueOf(loadAddon(addonPath(ROOT)));
    const inspection = valueOf(await addon.inspect(resolve(model)));
    const rate = inspection.outline === undefined ? undefined : await prefillRate(addon);
    const speed = await expectedSpeed(addon, inspection, { kvCache: options.kvCache, prefillRate: rate });
    if (options.json === true) printJson(jsonOf(inspection, options.kvCache, speed));
    else for (const line of linesOf(inspection, options.kvCache, speed)) printLine(line);
  });
}

async function printDispatches(model: string, options: InspectArguments): Promise<void> {
  const { rows, sampled = false, json } = options;
  await withEngine({ ...options, model }, async (engine) => {
    const dispatches = valueOf(await engine.dispatches(rows, sampled));
    if (json === true) {
      printJson({ device: engine.info.device, rows, sampled, dispatches: dispatches.map(jsonOfDispatch) });
      return;
    }
    printLine(`${engine.info.name} on ${engine.info.device}`);
    printLine('');
    for (const line of dispatchLines(dispatches, rows)) printLine(line);
  });
}

function jsonOf(inspection: NativeInspection, kvCache: KvCache, speed: ExpectedSpeed | undefined): object {
  const { version, fileBytes, metadata, tensors, unsupported, outline } = inspection;
  const memory =
    outline === undefined
      ? {}
      : {
          weight_bytes: outline.weightBytes,
          kv_cache: kvCache,
          kv_bytes_a_position: kvBytesAPosition(outline.kvCache[kvCache]),
          kv_bytes: kvCacheBytes(outline.kvCache[kvCache], outline.contextLength),
          context_length: outline.contextLength,
          ...(speed === undefined ? {} : { expected_tokens_a_second: Math.round(speed.tokensASecond) }),
          ...(speed?.firstTokenMs === undefined
            ? {}
            : { expected_first_token_ms: Math.round(speed.firstTokenMs) }),
          fim: outline.fim,
        };
  return {
    runs: unsupported === '',
    unsupported: whyNot(inspection),
    version,
    file_bytes: fileBytes,
    ...memory,
    metadata,
    tensors,
  };
}

function jsonOfDispatch({ label, kernel, threadgroups, threads, patch, ...bytes }: NativeDispatch): object {
  const { weightBytes: weight_bytes, kvBytes: kv_bytes_a_position, otherBytes: other_bytes } = bytes;
  return { label, kernel, threadgroups, threads, patch, weight_bytes, kv_bytes_a_position, other_bytes };
}

function linesOf(inspection: NativeInspection, kvCache: KvCache, speed: ExpectedSpeed | undefined): string[] {
  const { version, fileBytes, metadata, tensors, unsupported } = inspection;
  const widest = Math.max(0, ...tensors.map(({ name }) => name.length));
  return [
    unsupported === '' ? 'runs: yes' : `runs: no. ${whyNot(inspection)}`,
    `${version === 0 ? 'SafeTensors' : `GGUF version ${version}`}, ${fileBytes} bytes, ${metadata.length} entries, ${tensors.length} tensors`,
    ...outlineLines(inspection, kvCache),
    ...(speed === undefined ? [] : [speedLine(speed)]),
    '',
    ...metadata.map(({ key, type, value }) => `${key} (${type}) = ${value}`),
    '',
    ...tensors.map(
      ({ name, type, shape, bytes }) =>
        `${name.padEnd(widest)}  ${type.padEnd(5)} ${shape.join('x')}, ${bytes} bytes`,
    ),
  ];
}
