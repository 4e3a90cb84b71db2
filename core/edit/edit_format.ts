/**
 * The form in which a model writes edits: one that a small model can write, because it looks like what it is given.
 *
 * The lines to edit are shown with their numbers, `3|text`. The answer has the lines that change in the same form, ascending:
 *
 *     3|the new text of line 3
 *     +|a line that comes behind it
 *     5-6|one line for lines 5 and 6
 *     8 delete
 *
 * A grammar made for the request has the numbers be those of lines that are there, each line at most once, in their
 * order, so that every answer that is complete can be applied. What a line holds begins behind the first `|`: no text can be
 * mistaken for a mark.
 */
import type { LineEdit } from './line_edit';

/** More lines are not shown to a model at once. */
export const MOST_LINES = 120;
/** Lines that may come behind one: a small model that does not know how to end goes on and on. */
export const MOST_ADDED = 4;
/** Levels of indentation. */
const MOST_LEVELS = 10;
/** Odd indentations that are taken over as they are. */
const MOST_INDENTATIONS = 40;

/** How lines are indented: by so many units, or as lines that are there. */
export interface Indentation {
  /** Tab or spaces; not empty. */
  readonly unit: string;
}

/** Longer lines are not written, characters: a little longer than those that are there. */
export function lineLimit(lines: readonly string[]): number {
  const longest = Math.max(...lines.map((line) => line.trim().length));
  return Math.min(240, Math.max(60, longest + 40));
}

/** A model that knows no end of a turn ends an answer with a blank line, as the examples that it is given do. */
const END = 'end ::= "\\n\\n"?';

export function numbered(lines: readonly string[]): string {
  return lines.map((line, index) => `${index + 1}|${line}`).join('\n');
}

/** GBNF of every answer that edits `lines`: at least one of them is named. */
export function editGrammar(lines: readonly string[], indentation: Indentation): string {
  const count = lines.length;
  // Behind `next<k>` lines from k on may be named; `name<k>` names one, `end<k>` says where a range ends.
  const rules = ['root ::= name1 end'];
  for (let line = 1; line <= count; line++) {
    const last = line === count;
    const digits = `"${line}"`;
    rules.push(`next${line} ::= ("\\n" name${line})?`);
    rules.push(
      `name${line} ::= ${digits} (what next${line + 1}${last ? '' : ` | "-" end${line + 1}`})${last ? '' : ` | name${line + 1}`}`,
    );
    if (line > 1)
      rules.push(`end${line} ::= ${digits} what next${line + 1}${last ? '' : ` | end${line + 1}`}`);
  }
  rules.push(`next${count + 1} ::= ""`);
  rules.push(`what ::= "|" text ("\\n+|" text){0,${MOST_ADDED}} | " delete"`);
  return [...rules, END, ...textRules(lines, indentation)].join('\n');
}

/** GBNF of lines that are added. */
export function additionGrammar(lines: readonly string[], indentation: Indentation, most: number): string {
  const root = `root ::= "+|" text ("\\n+|" text){0,${most - 1}} end`;
  return [root, END, ...textRules(lines, indentation)].join('\n');
}

/** A literal of GBNF. */
export function literal(text: string): string {
  const escaped = text.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 || code === 0x7f ? `\\x${code.toString(16).padStart(2, '0')}` : character;
  });
  return `"${escaped}"`;
}

/** `text`: a line that is blank, or indented as lines are here. */
function textRules(lines: readonly string[], { unit }: Indentation): readonly string[] {
  const odd = new Set(lines.map((line) => /^[ \t]*/.exec(line)?.[0] ?? ''));
  for (let level = 0; level <= MOST_LEVELS; level++) odd.delete(unit.repeat(level));
  const others = [...odd].slice(0, MOST_INDENTATIONS).map((indentation) => ` | ${literal(indentation)}`);
  return [
    `text ::= (indentation [^\\x00-\\x20\\x7f] [^\\x00-\\x08\\x0a-\\x1f\\x7f]{0,${lineLimit(lines)}})?`,
    `indentation ::= ${literal(unit)}{0,${MOST_LEVELS}}${others.join('')}`,
  ];
}

const ANCHOR = /^(\d+)(?:-(\d+))?(?:\|(.*)| delete)$/su;
const ADDITION = '+|';

/**
 * The edits of an answer.
 * @param count Lines that were shown.
 * @returns undefined for what is no complete answer.
 */
export function parseEdits(answer: string, count: number): readonly LineEdit[] | undefined {
  const edits: { first: number; last: number; lines: string[] }[] = [];
  for (const line of answer.split('\n')) {
    const current = edits.at(-1);
    if (line.startsWith(ADDITION)) {
      if (current === undefined || current.lines.length === 0) return undefined;
      current.lines.push(line.slice(ADDITION.length));
      continue;
    }
    const parts = ANCHOR.exec(line);
    if (parts === null) return undefined;
    const [, from = '', to = from, text] = parts;
    const edit = { first: Number(from), last: Number(to), lines: text === undefined ? [] : [text] };
    if (edit.first <= (current?.last ?? 0) || edit.last < edit.first || edit.last > count) return undefined;
    edits.push(edit);
  }
  return edits;
}

/** The lines of an answer that adds some; undefined for what is no complete answer. */
export function parseAddition(answer: string): readonly string[] | undefined {
  const lines = answer.split('\n');
  if (!lines.every((line) => line.startsWith(ADDITION))) return undefined;
  return lines.map((line) => line.slice(ADDITION.length));
}
