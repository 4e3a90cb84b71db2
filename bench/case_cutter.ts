/**
 * Cuts completion cases from source files: takes the rest of a line, or a block of lines, out and keeps what stood around it.
 * Within a line the cursor is equally likely before each character but the first.
 */
import { isCommentLine, languageOfPath } from '../core/completion/languages';
import { MAX_AFTER, MAX_BEFORE } from '../core/completion/document';
import { blocksOf } from './block_finder';
import type { CompletionCase, LinePlace, Place } from './completion_case';
import type { SeededRandom } from './random';
import { codeLines, commentLines, indentationOf, type SourceFile } from './source_lines';
import { firstUnits, lastUnits } from './whole_characters';

/** How much is kept around a place, UTF-16 units: all that an editor looks at. */
const MAX_PREFIX = MAX_BEFORE;
const MAX_SUFFIX = MAX_AFTER;

/** What is taken out, UTF-16 units of the file. */
interface Cut {
  readonly from: number;
  readonly to: number;
}

/** At most `count` cases of `file`, each in another line. */
export function cutCases(
  file: SourceFile,
  place: Place,
  count: number,
  random: SeededRandom,
): Omit<CompletionCase, 'id'>[] {
  const { path, text } = file;
  const cases: Omit<CompletionCase, 'id'>[] = [];
  if (count <= 0) return cases;
  for (const { from, to } of place === 'block' ? blockCuts(file, random) : lineCuts(file, place, random)) {
    cases.push({
      path,
      prefix: tailFromLineStart(text.slice(0, from), MAX_PREFIX),
      suffix: firstUnits(text.slice(to), MAX_SUFFIX),
      expected: text.slice(from, to),
    });
    // Before the next one is drawn: what a seed gives depends on how many random numbers were taken.
    if (cases.length === count) break;
  }
  return cases;
}

/** In random order. */
function* lineCuts(
  { path, text, language }: SourceFile,
  place: LinePlace,
  random: SeededRandom,
): Generator<Cut> {
  const lines = text.split('\n');
  const starts = lineStarts(lines);
  const some = place === 'comment' ? commentLines(text, languageOfPath(path)) : codeLines(text, language);
  for (const index of random.shuffled(some)) {
    const line = lines[index] ?? '';
    const column = place === 'start' ? indentationOf(line) : columnWithin(line, random);
    const start = starts[index] ?? 0;
    const isInMark = place === 'comment' && !isCommentLine(languageOfPath(path), line.slice(0, column));
    if (column !== undefined && !isInMark) yield { from: start + column, to: start + line.length };
  }
}

/** In random order. */
function* blockCuts(file: SourceFile, random: SeededRandom): Generator<Cut> {
  const lines = file.text.split('\n');
  const starts = lineStarts(lines);
  for (const { first, last } of random.shuffled(blocksOf(file))) {
    const from = (starts[first] ?? 0) + indentationOf(lines[first] ?? '');
    yield { from, to: (starts[last] ?? 0) + (lines[last] ?? '').length };
  }
}

function lineStarts(lines: readonly string[]): number[] {
  let next = 0;
  return lines.map((line) => {
    const start = next;
    next += line.length + 1;
    return start;
  });
}

/** A column with something visible on both sides, not inside a surrogate pair; undefined where there is none. */
export function columnWithin(line: string, random: SeededRandom): number | undefined {
  const first = indentationOf(line) + 1;
  const end = line.trimEnd().length;
  if (end <= first) return undefined;
  const column = first + random.below(end - first);
  if (!/[\uDC00-\uDFFF]/.test(line.charAt(column))) return column;
  return column + 1 < end ? column + 1 : undefined;
}

/** The last `length` UTF-16 units, from where a line begins in them; all of them where none does. */
export function tailFromLineStart(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = lastUnits(text, length);
  return tail.slice(tail.indexOf('\n') + 1);
}
