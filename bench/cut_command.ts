/** `cut`: makes a case file from folders of sources. */
import { type Command, Option } from 'commander';
import { integer } from '../cli/engine_options';
import { writeBytes } from '../cli/files';
import { cutCases } from './case_cutter';
import { commitCases } from './commit_cases';
import type { CompletionCase } from './completion_case';
import { jsonLines } from './json_lines';
import { type Language, LANGUAGE_TITLES, LANGUAGES } from './languages';
import { Neighbours } from './neighbours';
import { SeededRandom } from './random';
import { sourceFiles } from './source_files';
import { pattern } from './speed_command';

/** What is cut in one go: places of both kinds in a line of code, or of one kind. */
const CUTS = {
  line: ['mid', 'start'],
  block: ['block'],
  mid: ['mid'],
  start: ['start'],
  comment: ['comment'],
} as const;

export interface CutOptions {
  readonly language: Language;
  /** `line`, the default: as many places within a line as at the start of one. */
  readonly place?: keyof typeof CUTS;
  /** Cases in all. */
  readonly count: number;
  /** At most so many of each kind from one file. */
  readonly perFile: number;
  readonly seed: number;
  /** Pieces of other files that each case gets, at most. */
  readonly snippets?: number;
  /** Files whose path in their folder matches are passed over. */
  readonly exclude?: RegExp;
  readonly out: string;
}

const MAX_COUNT = 1_000_000;

export function addCutCommand(program: Command): void {
  program
    .command('cut')
    .description('cut completion cases from the source files of folders, for the quality suite')
    .argument('<folders...>', 'take turns; in each its children do')
    .addOption(new Option('--language <name>', LANGUAGE_TITLES).choices(LANGUAGES).makeOptionMandatory())
    .addOption(
      new Option('--place <name>', 'line: half within a line and half at the start of one')
        .choices(Object.keys(CUTS))
        .default('line'),
    )
    .option('--count <n>', 'cases in all', integer(1, MAX_COUNT), 400)
    .option('--per-file <n>', 'most of each kind from one file', integer(1, MAX_COUNT), 1)
    .option('--seed <n>', 'another seed, other places', integer(0, 2 ** 32 - 1), 1)
    .option('--snippets <n>', 'most pieces of other files of its package a case gets', integer(0, 16), 0)
    .option('--exclude <pattern>', 'pass over files whose path in the folder matches', pattern)
    .requiredOption('--out <file>', 'where to write them, one JSON object a line')
    .action(async (folders: string[], options: CutOptions) => {
      const cases = await cut(folders, options);
      console.error(`${cases.length} cases in ${options.out}`);
    });
}

export function addCutEditsCommand(program: Command): void {
  program
    .command('cut-edits')
    .description("cut completion cases from a repository's commits, each with what its commit changed before")
    .argument('<folder>', 'of the repository')
    .addOption(new Option('--language <name>', LANGUAGE_TITLES).choices(LANGUAGES).makeOptionMandatory())
    .option('--count <n>', 'most cases', integer(1, MAX_COUNT), 400)
    .option('--seed <n>', 'another seed, other places', integer(0, 2 ** 32 - 1), 1)
    .requiredOption('--out <file>', 'where to write them, one JSON object a line')
    .action(async (folder: string, options: Pick<CutOptions, 'language' | 'count' | 'seed' | 'out'>) => {
      const { language, count, seed, out } = options;
      const cases = await commitCases(folder, language, count, new SeededRandom(seed));
      await writeBytes(out, jsonLines(cases));
      console.error(`${cases.length} cases in ${out}`);
    });
}

/** Writes the cases, one JSON object a line, and returns them; fewer than asked for when the files run out. */
export async function cut(folders: readonly string[], options: CutOptions): Promise<CompletionCase[]> {
  const { language, count, perFile, seed, snippets = 0, exclude, out } = options;
  const neighbours = new Neighbours(folders, language);
  const random = new SeededRandom(seed);
  const places = CUTS[options.place ?? 'line'];
  const cases: CompletionCase[] = [];
  for await (const file of sourceFiles(folders, language, random, exclude)) {
    for (const place of places) {
      const wanted = Math.min(perFile, count - cases.length);
      for (const made of cutCases(file, place, wanted, random)) {
        const number = String(cases.length + 1).padStart(4, '0');
        const found = snippets > 0 ? { snippets: await neighbours.snippetsFor(made, snippets) } : {};
        cases.push({ id: `${language}-${place}-${number}`, ...made, ...found });
      }
    }
    if (cases.length >= count) break;
  }
  await writeBytes(out, jsonLines(cases));
  return cases;
}
