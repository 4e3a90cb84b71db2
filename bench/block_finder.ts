/**
 * Finds blocks of lines that a suggestion of several lines should reproduce, and end with.
 *
 * A block is 2 to 12 lines of code that begin where a statement does. Behind a line that opens a body it is the body: all that is as
 * deep as its first line or deeper, up to where the indentation falls back. Elsewhere it is the rest of a paragraph: the same, up to
 * the next blank line. Its brackets are balanced, what stands behind it begins no deeper, and no line of it is a comment or a docstring.
 */
import { OPENER_OF } from '../core/completion/brackets';
import { codeLines, indentationOf, proseLines, type SourceFile } from './source_lines';

export interface Block {
  /** Indices of its lines. */
  readonly first: number;
  readonly last: number;
}

const MIN_LINES = 2;
const MAX_LINES = 12;
/** About as many tokens as a block is generated with, and room to spare: a longer one could not be reproduced, UTF-16 units. */
const MAX_UNITS = 400;

/** A line that opens a body. */
const OPENS = /[:{]$/;
/** A line that goes on in the next one, or is one of several that a bracket holds. */
const GOES_ON = /(?:[,([\\.?&|=<%*/]|[^+]\+|[^-]-|=>|\b(?:and|or|not|in|is))$/;
/** Of a line that goes on with what the last one began. */
const CONTINUES = /^(?:[.?:&|)\]}]|(?:else|elif|except|finally|catch|and|or)\b)/;
const STRINGS = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

/** At most one a line. */
export function blocksOf({ text, language }: SourceFile): Block[] {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const prose = proseLines(lines, language);
  return codeLines(text, language).flatMap((first) => {
    const last = lastOfBlock(lines, first);
    if (last === undefined || prose.slice(first, last + 1).includes(true)) return [];
    const block = lines.slice(first, last + 1);
    const count = block.filter((line) => line !== '').length;
    const joined = block.join('\n').trim();
    const fits = count >= MIN_LINES && count <= MAX_LINES && joined.length <= MAX_UNITS;
    return fits && isBalanced(joined) ? [{ first, last }] : [];
  });
}

/** Whether every bracket outside of strings is opened and closed. */
export function isBalanced(text: string): boolean {
  const open: string[] = [];
  for (const [bracket] of text.replace(STRINGS, '').matchAll(/[()[\]{}]/g)) {
    const opener = OPENER_OF.get(bracket);
    if (opener === undefined) open.push(bracket);
    else if (open.pop() !== opener) return false;
  }
  return open.length === 0;
}

/** Undefined where no block begins. */
function lastOfBlock(lines: readonly string[], first: number): number | undefined {
  const line = lines[first] ?? '';
  const depth = indentationOf(line);
  const above = lines.slice(0, first).findLast((one) => one !== '') ?? '';
  const opened = OPENS.test(above) && depth > indentationOf(above);
  const begins = opened || (!GOES_ON.test(above) && !OPENS.test(above) && depth <= indentationOf(above));
  if (!begins || CONTINUES.test(line.trimStart())) return undefined;
  const isOver = (one: string): boolean => (one === '' ? !opened : indentationOf(one) < depth);
  const count = lines.slice(first).findIndex(isOver);
  const end = count < 0 ? lines.length : first + count;
  const last = lines.slice(0, end).findLastIndex((one) => one !== '');
  if (opened) return last;
  const below = lines.slice(end).find((one) => one !== '') ?? '';
  return indentationOf(below) > depth || GOES_ON.test(lines[last] ?? '') ? undefined : last;
}
