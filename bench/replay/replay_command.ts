/** The command of the replay suite: what drafts are worth on recorded edits. */
import { Argument, type Command, Option } from 'commander';
import { type EngineArguments, integer, withEngine, withEngineOptions } from '../../cli/engine_options';
import { writeBytes } from '../../cli/files';
import { readExpectedCases } from '../completion_case';
import { OWN_CASES } from '../quality';
import { formatMarkdown, formatReport, formatRow, reportOf, type Row } from '../report';
import { endChildrenOnInterrupt, MOST_REPEATS } from '../speed_command';
import { runDraftModel } from './draft_model_suite';
import { compareIds, comparisonRows } from './ids_equal';
import { LOOKUP_PARTS, runLookup } from './lookup_suite';
import { readReplayCases } from './replay_case';
import { replayPlot } from './replay_plot';
import { typeAll, typingRows } from './typing_session';

const PARTS = [...LOOKUP_PARTS, 'draft', 'ids', 'keys'] as const;
type Part = (typeof PARTS)[number];

const COMPARED_TOKENS = 20_000;

interface ReplayArguments extends EngineArguments {
  readonly rounds: number;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly plot?: string;
}

export function addReplaySuite(program: Command): void {
  const command = program
    .command('replay')
    .description('what drafts are worth on recorded edits, beside plain decode in the same run')
    .addArgument(new Argument('[parts...]', 'only these').choices(PARTS).default(PARTS))
    .option('--rounds <n>', 'samples of each', integer(1, MOST_REPEATS), 5)
    .addOption(new Option('--json', 'print the rows as JSON').conflicts('markdown'))
    .option('--markdown', 'print the rows as a Markdown table')
    .option('--plot <file>', 'draw the speeds as an SVG image');
  withEngineOptions(command).action(async (parts: readonly Part[], options: ReplayArguments) => {
    endChildrenOnInterrupt();
    const rows: Row[] = [];
    for (const part of parts) {
      console.error(`replay: ${part}`);
      const measured = await runPart(part, options);
      for (const row of measured) console.error(formatRow(row));
      rows.push(...measured);
    }
    const report = reportOf('replay', rows);
    if (options.plot !== undefined) await writeBytes(options.plot, Buffer.from(await replayPlot(report)));
    if (options.json === true) console.log(JSON.stringify(report, null, 2));
    else console.log(options.markdown === true ? formatMarkdown(report) : formatReport(report));
  });
}

/** Throws Failure. */
async function runPart(part: Part, options: ReplayArguments): Promise<Row[]> {
  if (part === 'draft') return runDraftModel(options);
  return withEngine(options, async (engine) => {
    switch (part) {
      case 'ids':
        return comparisonRows(await compareIds(engine, await realTexts(), COMPARED_TOKENS));
      case 'keys':
        return typingRows(await typeAll(engine));
      default:
        return runLookup(engine, part, options.rounds);
    }
  });
}

/** What stands before the cursor in every case of the bench. */
async function realTexts(): Promise<string[]> {
  const cases = [...(await readReplayCases()), ...(await readExpectedCases(OWN_CASES))];
  return cases.map(({ prefix }) => prefix);
}
