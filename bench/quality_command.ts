/** `quality` and `compare`: how good completions are, and which of two models makes the better ones. */
import { type Command, Option } from 'commander';
import { type EngineArguments, integer, withEngine, withEngineOptions } from '../cli/engine_options';
import { EAGERNESS, type Eagerness } from '../core/completion/certainty';
import { writeBytes } from '../cli/files';
import { compareDetails, formatComparison } from './comparison';
import { htmlPage } from './html_page';
import { jsonLines } from './json_lines';
import { languageTable } from './language_table';
import { readingPiecesAsText } from './pieces_as_text';
import { readDetails } from './quality_details';
import { qualityFigures } from './quality_figures';
import { OWN_CASES, runQuality, WAYS } from './quality';
import { reportOf, reportText } from './report';

const SWITCH = ['on', 'off'] as const;
type Switch = (typeof SWITCH)[number];

interface QualityArguments extends EngineArguments {
  readonly cases: string;
  readonly promptTokens: number;
  readonly drawn: boolean;
  readonly greedy: boolean;
  readonly suffix: Switch;
  readonly snippets: Switch;
  readonly definitions: Switch;
  readonly edits: Switch;
  readonly memory: Switch;
  readonly beside: readonly string[];
  readonly closers: Switch;
  readonly eagerness: Eagerness;
  readonly alternatives: boolean;
  readonly piecesAsText: boolean;
  readonly details?: string;
  readonly html?: string;
  readonly json: boolean;
}

export function addQualitySuite(program: Command): void {
  const command = program
    .command('quality')
    .description('complete places in source files and compare with what their authors wrote')
    .option('--cases <file>', 'one {id, path, prefix, suffix, expected, snippets?, edits?} a line', OWN_CASES)
    .option('--prompt-tokens <n>', 'tokens of prompt; 0: as an editor starts', integer(0, 4_096), 700)
    .option('--drawn', 'lines as an editor draws them, and not greedily', false)
    .option('--greedy', 'lines greedily, and not drawn', false)
    .addOption(switchOption('suffix', 'what follows the cursor, for a model that reads it'))
    .addOption(switchOption('snippets', "a case's pieces of other files, for a model that reads them"))
    .addOption(
      switchOption('definitions', 'behind what a file imports, found in the folders of --beside', 'off'),
    )
    .addOption(switchOption('edits', 'what a case says was edited before'))
    .addOption(switchOption('memory', 'what followed in the document where the same stood before'))
    .option(
      '--pieces-as-text',
      'pieces of other files as text in front, for a model that does not fill in the middle',
      false,
    )
    .option(
      '--beside <folder...>',
      'where the files of the cases lie: others of their packages have a say',
      [],
    )
    .addOption(switchOption('closers', 'closers of open brackets and quotes behind the cursor', 'off'))
    .addOption(
      new Option('--eagerness <name>', 'how much is shown unasked').choices(EAGERNESS).default('balanced'),
    )
    .option('--alternatives', 'what is offered to somebody who asks', false)
    .option('--details <file>', 'write each place with what was proposed, one JSON object a line')
    .option('--html <file>', 'write a page with the rows and a plot')
    .option('--json', 'print the rows as JSON', false);
  withEngineOptions(command).action(async (options: QualityArguments) => {
    const chosen = WAYS.filter((way) => options[way]);
    const ways = chosen.length === 0 ? WAYS : chosen;
    const given = {
      suffix: options.suffix === 'on' && !options.piecesAsText,
      snippets: options.snippets === 'on',
      definitions: options.definitions === 'on',
      edits: options.edits === 'on',
      memory: options.memory === 'on',
      closers: options.closers === 'on',
    };
    const quality = await withEngine(options, (engine) =>
      runQuality(options.piecesAsText ? readingPiecesAsText(engine) : engine, { ...options, ...given, ways }),
    );
    const report = reportOf('quality', quality.rows);
    console.log(reportText(report, options));
    if (options.details !== undefined) await writeBytes(options.details, jsonLines(quality.details));
    if (options.html !== undefined) {
      await writeBytes(options.html, htmlPage(report, await qualityFigures(quality)));
    }
  });
}

function switchOption(name: string, what: string, otherwise: Switch = 'on'): Option {
  return new Option(`--${name} <switch>`, what).choices(SWITCH).default(otherwise);
}

export function addCompareCommand(program: Command): void {
  program
    .command('compare')
    .description('compare two quality runs over the same cases, place by place')
    .argument('<a>', 'a file that `quality --details` wrote')
    .argument('<b>', 'another one, over the same cases')
    .option('--json', 'print the rows as JSON', false)
    .action(async (a: string, b: string, { json }: { readonly json: boolean }) => {
      const rows = compareDetails(await readDetails(a), await readDetails(b));
      console.log(json ? JSON.stringify(rows, null, 2) : formatComparison(rows));
    });
}

export function addLanguagesCommand(program: Command): void {
  program
    .command('languages')
    .description('print how good completions of lines are in each language, as a Markdown table')
    .argument('<details...>', 'files that `quality --drawn --details` wrote')
    .action(async (files: readonly string[]) => {
      const details = await Promise.all(files.map((file) => readDetails(file)));
      console.log(languageTable(details.flat()).join('\n'));
    });
}
