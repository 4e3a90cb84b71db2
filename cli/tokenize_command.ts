/** `tokenize`: the ids of the text on standard input. */
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { type EngineArguments, withEngine, withEngineOptions } from './engine_options';
import { valueOf } from './failure';
import { printJson, printLine } from './output';

interface TokenizeArguments extends EngineArguments {
  readonly special?: boolean;
  readonly json?: boolean;
}

export function addTokenizeCommand(program: Command): void {
  const command = program
    .command('tokenize')
    .description('print the token ids of the text on standard input')
    .option('--special', 'read control tokens that are written out, such as <|im_end|>')
    .option('--json', 'as a JSON array');
  withEngineOptions(command).action(async (options: TokenizeArguments) => {
    const input = await text(process.stdin);
    const ids = await withEngine(options, async (engine) =>
      valueOf(await engine.tokenize(input, options.special ?? false)),
    );
    if (options.json === true) printJson([...ids]);
    else printLine(ids.join(' '));
  });
}
