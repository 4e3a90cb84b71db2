/** The command of the replay suite: what drafts are worth on recorded edits. */
import { Argument, type Command, Option } from 'commander';
import { join, resolve } from 'node:path';
import { type EngineArguments, integer, ROOT, withEngine, withEngineOptions } from '../../cli/engine_options';
import { writeBytes } from '../../cli/files';
import { embeddedModelPath } from '../../core/engine/binding';
import type { Engine } from '../../core/engine/engine';
import { readExpectedCases } from '../completion_case';
import { type Figure, htmlPage } from '../html_page';
import { OWN_CASES } from '../quality';
import { formatRow, reportOf, reportText, type Row } from '../report';
import { serversRows } from '../servers/servers_rows';
import { runServers } from '../servers/servers_suite';
import { MOST_REPEATS } from '../speed_command';
import { typingDetails } from '../typing/typing_details';
import { typingFigures } from '../typing/typing_figures';
import { typingRows } from '../typing/typing_rows';
import { runTyping, type TypingOptions } from '../typing/typing_suite';
import { runDraftModel } from './draft_model_suite';
import { compareIds, comparisonRows } from './ids_equal';
import { LOOKUP_PARTS, runLookup } from './lookup_suite';
import { readReplayCases } from './replay_case';
import { replayPlot } from './replay_plot';

const OWN_PARTS = [...LOOKUP_PARTS, 'draft', 'ids', 'keys'] as const;
/** The last compiles llama.cpp's server where that was not done yet: it runs where it is named, and only there. */
const PARTS = [...OWN_PARTS, 'servers'] as const;
type Part = (typeof PARTS)[number];

const COMPARED_TOKENS = 20_000;

/** What is typed where nothing else is said. */
const OWN_SOURCES = join(ROOT, 'bench', 'cases', 'sources');
const MOST_KEYS = 1_000_000;
const MOST_PROMPT_TOKENS = 4_096;

interface ReplayArguments extends EngineArguments, TypingOptions {
  readonly rounds: number;
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly plot?: string;
  readonly html?: string;
  readonly details?: string;
  readonly llamaServer?: string;
}

/** What one part gives. */
interface Measured {
  readonly rows: readonly Row[];
  readonly figures?: readonly Figure[];
}

export function addReplaySuite(program: Command): void {
  const command = program
    .command('replay')
    .description('what drafts are worth on recorded edits, beside plain decode in the same run')
    .addArgument(new Argument('[parts...]', 'only these').choices(PARTS).default(OWN_PARTS))
    .option('--rounds <n>', 'samples of each', integer(1, MOST_REPEATS), 5)
    .addOption(new Option('--json', 'print the rows as JSON').conflicts('markdown'))
    .option('--markdown', 'print the rows as a Markdown table')
    .option('--plot <file>', 'draw the speeds as an SVG image')
    .option('--html <file>', 'write a page with the rows, and plots of `keys`')
    .option('--details <file>', 'keys: write each key with what was shown behind it, one JSON object a line')
    .option('--files <folder>', 'keys, servers: sources to type in', OWN_SOURCES)
    .option('--keys <n>', 'keys, servers: how many to type, about', integer(1, MOST_KEYS), 1_500)
    .option(
      '--seed <n>',
      'keys, servers: another seed, other stretches and intervals',
      integer(0, 2 ** 32 - 1),
      1,
    )
    .option('--patient', 'keys: wait for each answer before the next key; servers: nobody else types', false)
    .option(
      '--prompt-tokens <n>',
      'keys, servers: tokens of prompt; 0: as the measured speed allows',
      integer(0, MOST_PROMPT_TOKENS),
      0,
    )
    .option('--llama-server <program>', 'servers: llama.cpp’s server; default: compiled from its sources')
    .option('--alone', 'keys: without prompts of other extensions', false);
  withEngineOptions(command).action(async (parts: readonly Part[], options: ReplayArguments) => {
    const rows: Row[] = [];
    const figures: Figure[] = [];
    for (const part of parts) {
      console.error(`replay: ${part}`);
      const measured = await runPart(part, options);
      for (const row of measured.rows) console.error(formatRow(row));
      rows.push(...measured.rows);
      figures.push(...(measured.figures ?? []));
    }
    const report = reportOf('replay', rows);
    console.log(reportText(report, options));
    if (options.plot !== undefined) await writeBytes(options.plot, Buffer.from(await replayPlot(report)));
    if (options.html !== undefined) await writeBytes(options.html, htmlPage(report, figures));
  });
}

/** Throws Failure. */
async function runPart(part: Part, options: ReplayArguments): Promise<Measured> {
  if (part === 'draft') return { rows: await runDraftModel(options) };
  return withEngine(options, async (engine) => {
    switch (part) {
      case 'ids':
        return { rows: comparisonRows(await compareIds(engine, await realTexts(), COMPARED_TOKENS)) };
      case 'keys':
        return runKeys(engine, options);
      case 'servers': {
        const typing = { ...options, files: resolve(options.files) };
        const typed = await runServers(engine, engine.modelPath, typing, options.llamaServer);
        return { rows: serversRows(typed) };
      }
      default:
        return { rows: await runLookup(engine, part, options.rounds) };
    }
  });
}

async function runKeys(engine: Engine, options: ReplayArguments): Promise<Measured> {
  const chosen = { ...options, files: resolve(options.files) };
  const typing = await runTyping(engine, chosen, { isLearnt: engine.modelPath !== embeddedModelPath(ROOT) });
  if (options.details !== undefined) {
    await writeBytes(options.details, Buffer.from(typingDetails(typing.along)));
  }
  const figures = options.html === undefined ? [] : await typingFigures(typing);
  return { rows: typingRows(typing), figures };
}

/** What stands before the cursor in every case of the bench. */
async function realTexts(): Promise<string[]> {
  const cases = [...(await readReplayCases()), ...(await readExpectedCases(OWN_CASES))];
  return cases.map(({ prefix }) => prefix);
}
