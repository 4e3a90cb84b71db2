/** The command of the grammar suite: what it costs that text has to conform, and whether it does. */
import { Argument, type Command } from 'commander';
import { type EngineArguments, integer, withEngine, withEngineOptions } from '../../cli/engine_options';
import { formatRow, reportOf, reportText, type Row } from '../report';
import { runGenerations } from './generations';
import { runBounds, runMasks, runPeers } from './mask_suite';

const PARTS = ['generations', 'masks', 'bounds', 'peers'] as const;
type Part = (typeof PARTS)[number];

const MOST_GENERATIONS = 100_000;

interface GrammarArguments extends EngineArguments {
  readonly schemas: number;
  readonly generations: number;
  readonly documents: number;
  readonly cases?: string;
  readonly python: string;
  readonly json: boolean;
  readonly markdown: boolean;
}

export function addGrammarSuite(program: Command): void {
  const command = program
    .command('grammar')
    .description('text that has to conform: is it right, and what does it cost?')
    .addArgument(new Argument('[parts...]', 'only these').choices(PARTS).default(PARTS))
    .option(
      '--schemas <n>',
      'random schemas: all that documents are generated for, and some of those that masks are measured with',
      integer(1, MOST_GENERATIONS),
      200,
    )
    .option('--generations <n>', 'documents in all', integer(1, MOST_GENERATIONS), 1_000)
    .option('--documents <n>', 'most of a schema that masks are measured along', integer(1, 10_000), 50)
    .option(
      '--cases <folder>',
      'measure masks with these schemas and documents, in the shape of JSON-Schema-Test-Suite',
    )
    .option('--python <program>', 'has llguidance and xgrammar, or one of them', 'python3')
    .option('--json', 'print the rows as JSON', false)
    .option('--markdown', 'print the rows as a Markdown table', false);
  withEngineOptions(command).action(async (parts: readonly Part[], options: GrammarArguments) => {
    const rows: Row[] = [];
    for (const part of parts) {
      console.error(`grammar: ${part}`);
      const measured = await RUN[part](options);
      for (const row of measured) console.error(formatRow(row));
      rows.push(...measured);
    }
    console.log(reportText(reportOf('grammar', rows), options));
  });
}

/** Each throws Failure. */
const RUN: Readonly<Record<Part, (options: GrammarArguments) => Promise<Row[]>>> = {
  generations: (options) =>
    withEngine(options, (engine) => runGenerations(engine, options.schemas, options.generations)),
  masks: runMasks,
  bounds: runBounds,
  peers: runPeers,
};
