/** `logits`: what the model thinks of every next token. */
import { endianness } from 'node:os';
import { type Command, InvalidArgumentError } from 'commander';
import { type EngineArguments, withEngine, withEngineOptions } from './engine_options';
import { valueOf } from './failure';
import { writeBytes } from './files';

interface LogitsArguments extends EngineArguments {
  readonly ids: readonly number[];
  readonly out: string;
}

export function addLogitsCommand(program: Command): void {
  const command = program
    .command('logits')
    .description('write the raw logits after a sequence of tokens')
    .requiredOption('--ids <list>', 'token ids, such as 1,2,3', idList)
    .requiredOption('--out <file>', 'where to write them: float32, little-endian, one for each token');
  withEngineOptions(command).action(async (options: LogitsArguments) => {
    const logits = await withEngine(options, async (engine) =>
      valueOf(await engine.logits(Uint32Array.from(options.ids))),
    );
    const bytes = Buffer.from(logits.buffer, logits.byteOffset, logits.byteLength);
    await writeBytes(options.out, endianness() === 'LE' ? bytes : bytes.swap32());
  });
}

function idList(text: string): readonly number[] {
  const ids = text.split(',').map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : NaN));
  if (ids.every((id) => id < 2 ** 32)) return ids;
  throw new InvalidArgumentError('It must be whole numbers with commas between them.');
}
