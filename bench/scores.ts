/** How near a proposed text is to what the author wrote. */
import { indentationOf } from './source_lines';

/** A line that goes on with the statement before it. */
const GOES_ON_WITH = /^\s*(?:[)\]}.?:&|]|(?:else|elif|except|finally|catch|and|or)\b)/;

/** What was expected at a place, and what was proposed. */
export interface Scored {
  readonly expected: string;
  readonly text: string;
}

/** Equal but for blanks at the ends of lines. */
export function isExact({ expected, text }: Scored): boolean {
  return withoutTrailingBlanks(text) === withoutTrailingBlanks(expected);
}

/** The first word or run of punctuation agrees; the blanks before it do not matter. */
export function isFirstWordRight({ expected, text }: Scored): boolean {
  const word = firstWord(expected);
  return word !== undefined && word === firstWord(text);
}

/** The first line agrees but for blanks at its end. */
export function isFirstLineRight({ expected, text }: Scored): boolean {
  return firstLine(expected) === firstLine(text);
}

/** The expected text begins with the proposed one, and its last word ends there as well. */
export function beginsRight({ expected, text }: Scored): boolean {
  const inWord = /[\p{L}\p{N}_$]$/u.test(text) && /^[\p{L}\p{N}_$]/u.test(expected.slice(text.length));
  return expected.startsWith(text) && !inWord;
}

/**
 * The text is over where the expected one is: both have as many lines that are not blank, and their last lines have the same
 * indentation and begin with the same closing brackets.
 */
export function endsRight({ expected, text }: Scored): boolean {
  const [wanted, made] = [visibleLines(expected), visibleLines(text)];
  return wanted.length === made.length && edgeOf(wanted.at(-1)) === edgeOf(made.at(-1));
}

/**
 * The text is over where a statement of the expected one is, with all that it opens: its last line begins with the same closing brackets as the
 * line of that number, which nothing deeper, and no part of the same statement, follows.
 * @param depth Blanks before the first line, which the texts do not have.
 */
export function endsStatement({ expected, text }: Scored, depth: number): boolean {
  const [wanted, made] = [visibleLines(expected), visibleLines(text)];
  const last = wanted[made.length - 1];
  if (last === undefined || edgeOf(last) !== edgeOf(made.at(-1))) return false;
  const next = wanted[made.length];
  return next === undefined || (indentationOf(next) <= depth && !GOES_ON_WITH.test(next));
}

/** 1: the same but for blanks at the ends of lines; 0: nothing in common. Edits (Levenshtein) a unit of the longer text, less 1. */
export function similarity({ expected, text }: Scored): number {
  const [a, b] = [withoutTrailingBlanks(expected), withoutTrailingBlanks(text)];
  const longer = Math.max(a.length, b.length);
  return longer === 0 ? 1 : 1 - editDistance(a, b) / longer;
}

function firstWord(text: string): string | undefined {
  return /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+/u.exec(text)?.[0];
}

function firstLine(text: string): string {
  return /^[^\n]*/.exec(text)?.[0].trimEnd() ?? '';
}

function withoutTrailingBlanks(text: string): string {
  return text.replace(/[^\S\n]+$/gm, '').trimEnd();
}

function visibleLines(text: string): string[] {
  return text.split('\n').filter((line) => line.trim() !== '');
}

function edgeOf(line = ''): string {
  return /^\s*[)\]}]*/.exec(line)?.[0] ?? '';
}

/** Insertions, deletions and replacements of UTF-16 units. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
