/** `block-ends`: where suggestions of several lines end, and what decides it best. */
import type { Command } from 'commander';
import { type EngineArguments, integer, withEngine, withEngineOptions } from '../../cli/engine_options';
import type { Engine } from '../../core/engine/engine';
import { type CompletionCase, readExpectedCases } from '../completion_case';
import { type AuthorsEnd, authorsEndOf, authorsEndsTable } from './authors_ends';
import { decidedAt, decidedTable } from './decided_ends';
import { streamsOf } from './streams';

interface BlockEndsArguments extends EngineArguments {
  readonly cases: string;
  readonly promptTokens: number;
  readonly streams?: string;
  readonly authors: boolean;
}

export function addBlockEndsCommand(program: Command): void {
  const command = program
    .command('block-ends')
    .description(
      'decide where blocks end by indentation and brackets, and by a syntax tree, over the same text',
    )
    .requiredOption('--cases <file>', 'places where blocks begin, as `cut --place block` writes them')
    .option('--prompt-tokens <n>', 'tokens of prompt', integer(1, 4_096), 700)
    .option('--streams <file>', 'what the model writes there: read as far as it is there, and written')
    .option('--authors', 'where the model ends what the author wrote instead', false);
  withEngineOptions(command).action(async (options: BlockEndsArguments) => {
    const cases = await readExpectedCases(options.cases);
    if (options.authors) {
      const ends = await withEngine(options, (engine) => authorsEnds(engine, cases, options.promptTokens));
      console.log(authorsEndsTable(ends).join('\n'));
      return;
    }
    const streams = await withEngine(options, (engine) =>
      streamsOf(engine, cases, options.promptTokens, options.streams),
    );
    const decided = cases.flatMap((one, index) => {
      const stream = streams[index];
      return stream === undefined ? [] : (decidedAt(one, stream) ?? []);
    });
    console.log(decidedTable(decided).join('\n'));
  });
}

async function authorsEnds(
  engine: Engine,
  cases: readonly CompletionCase[],
  promptTokens: number,
): Promise<AuthorsEnd[]> {
  const ends: AuthorsEnd[] = [];
  for (const one of cases) ends.push(await authorsEndOf(engine, one, promptTokens));
  return ends;
}
