/** The bench: what the engine and the completions are worth, in figures. `npm run bench -- --help` lists what there is. */
import { Command, InvalidArgumentError, Option } from 'commander';
import { CaseFileError, LANGUAGES, type Language } from './completion_case';
import { cut } from './cut_command';

function integer(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < least) {
      throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
    }
    return value;
  };
}

const program = new Command('bench').description('Measures the engine and the completions.');

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

program.parseAsync().catch((error: unknown) => {
  if (!(error instanceof CaseFileError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
});
