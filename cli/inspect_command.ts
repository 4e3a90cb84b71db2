/** `inspect`: what is in a model file, and whether it will run. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addonPath, loadAddon } from '../extension/engine/binding';
import type { NativeInspection } from '../extension/engine/native_types';
import { ROOT } from './engine_options';
import { valueOf } from './failure';
import { printJson, printLine } from './output';

export function addInspectCommand(program: Command): void {
  program
    .command('inspect')
    .description('print what is in a model file, and whether it will run')
    .argument('<model>', 'a GGUF file')
    .option('--json', 'as JSON')
    .action(async (model: string, { json }: { json?: boolean }) => {
      const inspection = valueOf(await valueOf(loadAddon(addonPath(ROOT))).inspect(resolve(model)));
      if (json === true) printJson(jsonOf(inspection));
      else for (const line of linesOf(inspection)) printLine(line);
    });
}

function jsonOf({ version, fileBytes, metadata, tensors, unsupported }: NativeInspection): object {
  return { runs: unsupported === '', unsupported, version, file_bytes: fileBytes, metadata, tensors };
}

function linesOf({ version, fileBytes, metadata, tensors, unsupported }: NativeInspection): string[] {
  const widest = Math.max(0, ...tensors.map(({ name }) => name.length));
  return [
    unsupported === '' ? 'runs: yes' : `runs: no. ${unsupported}`,
    `GGUF version ${version}, ${fileBytes} bytes, ${metadata.length} entries, ${tensors.length} tensors`,
    '',
    ...metadata.map(({ key, type, value }) => `${key} (${type}) = ${value}`),
    '',
    ...tensors.map(
      ({ name, type, shape, bytes }) =>
        `${name.padEnd(widest)}  ${type.padEnd(5)} ${shape.join('x')}, ${bytes} bytes`,
    ),
  ];
}
