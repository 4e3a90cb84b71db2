/** `cut`: makes a case file from a folder of sources. */
import { writeBytes } from '../cli/files';
import { cutCases } from './case_cutter';
import { PLACES, type CompletionCase, type Language } from './completion_case';
import { jsonLines } from './json_lines';
import { SeededRandom } from './random';
import { sourceFiles } from './source_files';

export interface CutOptions {
  readonly language: Language;
  /** Cases in all, half of them within a line, half at the start of one. */
  readonly count: number;
  /** At most so many of each kind from one file. */
  readonly perFile: number;
  readonly seed: number;
  readonly out: string;
}

/** Writes the cases, one JSON object a line, and returns them; fewer than asked for when the files run out. */
export async function cut(folder: string, options: CutOptions): Promise<CompletionCase[]> {
  const random = new SeededRandom(options.seed);
  const cases: CompletionCase[] = [];
  for await (const file of sourceFiles(folder, options.language, random)) {
    for (const place of PLACES) {
      const wanted = Math.min(options.perFile, options.count - cases.length);
      for (const made of cutCases(file, place, wanted, random)) {
        const number = String(cases.length + 1).padStart(4, '0');
        cases.push({ id: `${options.language}-${place}-${number}`, ...made });
      }
    }
    if (cases.length >= options.count) break;
  }
  await writeBytes(options.out, jsonLines(cases));
  return cases;
}
