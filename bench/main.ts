/** The bench: what the engine and the completions are worth, in figures. `npm run bench -- --help` lists what there is. */
import { Command, CommanderError, Option } from 'commander';
import { type EngineArguments, integer, withEngine, withEngineOptions } from '../cli/engine_options';
import { Failure } from '../cli/failure';
import { LANGUAGES, type Language } from './completion_case';
import { cut } from './cut_command';
import { addGrammarSuite } from './grammar/grammar_command';
import { addMetalSuite } from './metal/metal_command';
import { OWN_CASES, runQuality } from './quality';
import { formatReport, reportOf, type Row } from './report';
import { addReplaySuite } from './replay/replay_command';
import { addSamplingSuite } from './sampling/sampling_command';
import { addSpeedSuites } from './speed_command';

interface SuiteArguments extends EngineArguments {
  readonly json: boolean;
}

interface QualityArguments extends SuiteArguments {
  readonly cases: string;
  readonly promptTokens: number;
  readonly details?: string;
}

interface CutArguments {
  readonly language: Language;
  readonly count: number;
  readonly perFile: number;
  readonly seed: number;
  readonly out: string;
}

const MAX_COUNT = 1_000_000;

function print(name: string, rows: readonly Row[], { json }: { readonly json: boolean }): void {
  const report = reportOf(name, rows);
  console.log(json ? JSON.stringify(report, null, 2) : formatReport(report));
}

function addQualitySuite(program: Command): void {
  const command = program
    .command('quality')
    .description('complete places in source files and compare with what their authors wrote')
    .option('--cases <file>', 'one {id, path, prefix, suffix, expected} a line', OWN_CASES)
    .option('--prompt-tokens <n>', 'tokens of prompt; 0: as an editor starts', integer(0, 4_096), 700)
    .option('--details <file>', 'write each place with what was proposed, one JSON object a line')
    .option('--json', 'print the rows as JSON', false);
  withEngineOptions(command).action(async (options: QualityArguments) => {
    print('quality', await withEngine(options, (engine) => runQuality(engine, options)), options);
  });
}

function addCutCommand(program: Command): void {
  program
    .command('cut')
    .description('cut completion cases from the source files of a folder, for the quality suite')
    .argument('<folder>')
    .addOption(
      new Option('--language <name>', 'py, or js for JavaScript and TypeScript')
        .choices(LANGUAGES)
        .makeOptionMandatory(),
    )
    .option(
      '--count <n>',
      'cases, half within a line and half at the start of one',
      integer(1, MAX_COUNT),
      400,
    )
    .option('--per-file <n>', 'most of each half from one file', integer(1, MAX_COUNT), 1)
    .option('--seed <n>', 'another seed, other places', integer(0, 2 ** 32 - 1), 1)
    .requiredOption('--out <file>', 'where to write them, one JSON object a line')
    .action(async (folder: string, options: CutArguments) => {
      const cases = await cut(folder, options);
      console.error(`${cases.length} cases in ${options.out}`);
    });
}

/** Gives the exit status: 1 for a failure, 2 for bad usage. */
async function main(): Promise<number> {
  const program = new Command('bench')
    .description('Measures the engine and the completions.')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'USAGE: ')) })
    .helpCommand(false);
  addSpeedSuites(program);
  addQualitySuite(program);
  addMetalSuite(program);
  addReplaySuite(program);
  addGrammarSuite(program);
  addSamplingSuite(program);
  addCutCommand(program);
  try {
    await program.parseAsync();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof Failure)) throw error;
    console.error(`${error.code}: ${error.message}`);
    return 1;
  }
}

void main().then((status) => {
  process.exitCode = status;
});
