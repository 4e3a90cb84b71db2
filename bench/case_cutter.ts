/**
 * Cuts completion cases from source files: takes the rest of a line out and keeps what stood around it.
 *
 * Lines are code that a person wrote: no comments, docstrings, lines of punctuation alone, very long lines, and nothing
 * of minified or generated files. Within a line the cursor is equally likely before each character but the first.
 */
import type { CompletionCase, Language, Place } from './completion_case';
import type { SeededRandom } from './random';

/** How much is kept around a place, UTF-16 units. */
const MAX_PREFIX = 8000;
const MAX_SUFFIX = 1000;

const MAX_LINE = 120;
/** Lines before the first place: with less there is nothing to go by. */
const MIN_LINES_BEFORE = 8;

/** One such line anywhere, and the file was not written by hand. */
const LONGEST_HAND_WRITTEN_LINE = 400;
const GENERATED =
  /@generated|auto-?generated|generated (?:by|from|file)|do not (?:edit|modify)|sourceMappingURL|__esModule|__webpack/i;

export interface SourceFile {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly language: Language;
  /** Line breaks as `\n`. */
  readonly text: string;
}

/** Whether a person wrote the file and may be expected to complete it. */
export function isHandWritten(text: string): boolean {
  if (text.includes('\0') || GENERATED.test(text)) return false;
  return text.split('\n').every((line) => line.length <= LONGEST_HAND_WRITTEN_LINE);
}

/** Indices of the lines that can be cut. */
export function codeLines(text: string, language: Language): number[] {
  const isProse = language === 'py' ? pythonProse() : cFamilyProse();
  const result: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (isProse(line)) continue;
    if (index >= MIN_LINES_BEFORE && line.length <= MAX_LINE && /[\p{L}\p{N}]/u.test(line))
      result.push(index);
  }
  return result;
}

/** At most `count` cases of `file`, each in another line. */
export function cutCases(
  file: SourceFile,
  place: Place,
  count: number,
  random: SeededRandom,
): Omit<CompletionCase, 'id'>[] {
  const cases: Omit<CompletionCase, 'id'>[] = [];
  const lines = file.text.split('\n');
  const starts = lineStarts(lines);
  for (const index of random.shuffled(codeLines(file.text, file.language))) {
    if (cases.length === count) break;
    const line = lines[index] ?? '';
    const column = place === 'start' ? indentationOf(line) : columnWithin(line, random);
    if (column === undefined) continue;
    const start = starts[index] ?? 0;
    const end = start + line.length;
    cases.push({
      path: file.path,
      prefix: tailFromLineStart(file.text.slice(0, start + column), MAX_PREFIX),
      suffix: file.text.slice(end, end + MAX_SUFFIX),
      expected: line.slice(column),
    });
  }
  return cases;
}

function lineStarts(lines: readonly string[]): number[] {
  let next = 0;
  return lines.map((line) => {
    const start = next;
    next += line.length + 1;
    return start;
  });
}

function indentationOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** A column with something visible on both sides, not inside a surrogate pair. */
function columnWithin(line: string, random: SeededRandom): number | undefined {
  const first = indentationOf(line) + 1;
  const end = line.trimEnd().length;
  if (end <= first) return undefined;
  const column = first + random.below(end - first);
  return /[\uDC00-\uDFFF]/.test(line.charAt(column)) ? column + 1 : column;
}

function tailFromLineStart(text: string, length: number): string {
  if (text.length <= length) return text;
  const from = text.length - length;
  return text.slice(text.indexOf('\n', from) + 1);
}

/** Says of one line after another whether it is, or holds, a comment or a docstring. */
function pythonProse(): (line: string) => boolean {
  let open: string | undefined;
  return (line) => {
    const inside = open !== undefined;
    for (const [quotes] of line.matchAll(/"""|'''/g)) {
      if (open === undefined) open = quotes;
      else if (open === quotes) open = undefined;
    }
    return inside || /^\s*(?:#|[a-z]{0,2}(?:"""|'''))|\s#/i.test(line);
  };
}

function cFamilyProse(): (line: string) => boolean {
  let open = false;
  return (line) => {
    const inside = open;
    if (open) open = !line.includes('*/');
    else if (/^\s*\/\*/.test(line)) open = !line.includes('*/');
    return inside || /(?:^|\s)\/[/*]/.test(line);
  };
}
