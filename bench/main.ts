/** The bench: what the engine and the completions are worth, in figures. `npm run bench -- --help` lists what there is. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { CaseFileError, LANGUAGES, type Language } from './completion_case';
import { cut } from './cut_command';
import { BenchFailure, withEngine, type EngineChoice } from './engine_choice';
import { OWN_CASES, runQuality } from './quality';
import { formatReport, reportOf, type Row } from './report';

interface SuiteOptions extends EngineChoice {
  readonly json: boolean;
}

function integer(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
    }
    return value;
  };
}

/** A command that measures something, with the options every suite has. */
function suite(name: string): Command {
  return new Command(name)
    .option('--json', 'print the rows as JSON', false)
    .option('--model <file>', 'a GGUF file instead of the embedded model')
    .option('--threads <n>', 'compute threads, 0 lets the engine choose', integer(0), 0)
    .addOption(
      new Option('--device <name>', 'where to compute').choices(['auto', 'cpu', 'metal']).default('auto'),
    );
}

function print(name: string, rows: readonly Row[], { json }: SuiteOptions): void {
  const report = reportOf(name, rows);
  console.log(json ? JSON.stringify(report, null, 2) : formatReport(report));
}

const program = new Command('bench').description('Measures the engine and the completions.');

program.addCommand(
  suite('quality')
    .description('completes places in source files and compares with what their authors wrote')
    .option('--cases <file>', 'cases, one JSON object a line', OWN_CASES)
    .option('--prompt-tokens <n>', 'tokens of prompt, 0 follows the measured speed', integer(0), 700)
    .option('--details <file>', 'write each place with what was proposed, one JSON object a line')
    .action(async (options: SuiteOptions & { cases: string; promptTokens: number; details?: string }) =>
      withEngine(options, async (engine) => {
        print('quality', await runQuality(engine, options), options);
      }),
    ),
);

program
  .command('cut')
  .description('cut completion cases from the source files of a folder, for the quality suite')
  .argument('<folder>')
  .addOption(
    new Option('--language <name>', 'py, or js for JavaScript and TypeScript')
      .choices(LANGUAGES)
      .makeOptionMandatory(),
  )
  .option('--count <n>', 'cases, half within a line and half at the start of one', integer(1), 400)
  .option('--per-file <n>', 'most of each half from one file', integer(1), 1)
  .option('--seed <n>', 'another seed, other places', integer(0), 1)
  .requiredOption('--out <file>', 'where to write them, one JSON object a line')
  .action(
    async (
      folder: string,
      options: { language: Language; count: number; perFile: number; seed: number; out: string },
    ) => {
      const cases = await cut(folder, options);
      console.error(`${cases.length} cases in ${options.out}`);
    },
  );

/** Bad usage ends with 2, a failure with 1. */
program.exitOverride();
for (const command of program.commands) command.exitOverride();
program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else if (error instanceof CaseFileError || error instanceof BenchFailure) {
    console.error(error.message);
    process.exitCode = 1;
  } else {
    throw error;
  }
});
