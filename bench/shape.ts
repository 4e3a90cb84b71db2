/**
 * What is wrong with the shape of a suggestion, whatever it says. Found by the parsers of the languages and by the text the author wrote, and by
 * nothing of what made the suggestion.
 */
import { MAX_BEFORE } from '../core/completion/document';
import { lineOf } from './closers';
import type { CompletionCase } from './completion_case';
import { languageOf } from './languages';
import { type Parser, parserOf } from './parsers';

/**
 * `unbalanced`: it closes a bracket that is not open, or leaves one or a quote open within its last line; `doubled`: it ends with what stands behind
 * it already; `misindented`: a line is deeper than what it follows allows, or goes back to where no line above stands.
 */
export const SHAPE_FAULTS = ['unbalanced', 'doubled', 'misindented'] as const;
export type ShapeFault = (typeof SHAPE_FAULTS)[number];

/** A place in a document, and what is put there. */
export interface Placed extends Pick<CompletionCase, 'path' | 'prefix' | 'suffix'> {
  readonly text: string;
}

const CLOSER_OF: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['InterpolationStart', 'InterpolationEnd'],
]);
const CLOSERS = new Set(CLOSER_OF.values());
/** As the grammars call what quotes of one kind hold; raw strings, whose quotes have marks of their own, are left out. */
const STRINGS = new Set([
  'String',
  'TemplateString',
  'FormatString',
  'StringLiteral',
  'CharacterLiteral',
  'CharLiteral',
]);
/** What a line ends with that the next one goes on with: a bracket may be open there. */
const GOES_ON = /(?:[([{,:?=&|+\-*/%<>.\\]|=>|\b(?:and|or|not|in|is|if|else|for|return|await))$/;
/** What a line begins with that goes on with the one before: it may be deeper. */
const CONTINUES = /^\s*(?:[.?:|&+\-*/=]|(?:where|throws|extends|implements)\b)/;
/** Where braces are left out, the line behind one of these is deeper: a statement that takes another, a directive. */
const TAKES_ONE = /^\s*(?:\}\s*)?(?:else\s+)?(?:if|for|while)\b.*\)$|^\s*#/;
/** Shorter lines are in any file, UTF-16 units. */
const TELLING_LINE = 6;
const TAB_COLUMNS = 8;

/** None for a language without a parser here. */
export function shapeFaults(placed: Placed): ShapeFault[] {
  const parser = parserOf(placed.path);
  if (parser === undefined) return [];
  const faults: ShapeFault[] = [];
  if (isUnbalanced(placed, parser)) faults.push('unbalanced');
  if (isDoubled(placed)) faults.push('doubled');
  if (isMisindented(placed)) faults.push('misindented');
  return faults;
}

function isUnbalanced({ prefix, suffix, text }: Placed, parser: Parser): boolean {
  const whole = prefix + text + suffix;
  const from = prefix.length;
  const to = from + text.trimEnd().length;
  const lineEnd = to + (/^[^\n]*/.exec(whole.slice(to))?.[0].length ?? 0);
  const open: { readonly closer: string; readonly inside: boolean }[] = [];
  const faults = { closers: 0, strings: 0 };
  // Cut where a line begins, so that it may be a line shorter than what is kept.
  const mayBeCut = prefix.length > MAX_BEFORE / 2;
  parser.parse(whole).iterate({
    enter({ name, from: at, to: end }) {
      if (at >= lineEnd) return;
      const inside = at >= from && at < to;
      if (STRINGS.has(name) && inside && !isClosed(whole.slice(at, end))) faults.strings++;
      const closer = CLOSER_OF.get(name);
      if (closer !== undefined) open.push({ closer, inside });
      if (!CLOSERS.has(name)) return;
      if (open.at(-1)?.closer === name) open.pop();
      // What stands in front may be cut, and what it closes with it; it may be broken itself.
      else if (at >= from && (open.length > 0 || !mayBeCut)) faults.closers++;
    },
  });
  const goesOn = GOES_ON.test(whole.slice(from, to));
  return faults.closers + faults.strings > 0 || (!goesOn && open.some(({ inside }) => inside));
}

function isClosed(string: string): boolean {
  const quoted = string.replace(/^[a-zA-Z]*/, '');
  const quote = /^(?:"""|'''|["'`])/.exec(quoted)?.[0] ?? '';
  return quoted.length >= 2 * quote.length && quoted.endsWith(quote);
}

function isDoubled({ prefix, suffix, text }: Placed): boolean {
  const right = (/^[^\n]*/.exec(suffix)?.[0] ?? '').trim();
  // Two brackets that close may well stand behind each other.
  if (/[^\s)\]};,]/.test(right) && text.trimEnd().endsWith(right)) return true;
  const head = lineOf(prefix);
  const made = visible(head + text);
  const below = visible(suffix.slice(suffix.indexOf('\n') + 1));
  for (let count = 1; count <= made.length; count++) {
    const tail = made.slice(-count);
    const telling = tail.some((line) => line.length >= TELLING_LINE && /\p{L}/u.test(line));
    if (telling && tail.every((line, at) => line === below[at])) return true;
  }
  return false;
}

function isMisindented({ path, prefix, text }: Placed): boolean {
  const bracesAreOptional = languageOf(path) !== 'py';
  const head = lineOf(prefix);
  const [first = '', ...others] = text.trimEnd().split('\n');
  const above = prefix.slice(0, prefix.length - head.length).split('\n');
  // Where it adds no blanks itself, the cursor stands where the author's line begins.
  const given = head.trim() !== '' || !/^[ \t]/.test(first);
  if (given) above.push(head + first);
  for (const line of given ? others : [head + first, ...others]) {
    if (line.trim() === '') continue;
    const last = above.findLast((one) => one.trim() !== '') ?? '';
    const depth = columns(line);
    const deeper = depth > columns(last);
    if (deeper && !mayGoDeeper(last, line, bracesAreOptional)) return true;
    if (depth < columns(last) && !above.some((one) => one.trim() !== '' && columns(one) === depth))
      return true;
    above.push(line);
  }
  return false;
}

/** Whether `line` may be deeper than `last`, which stands before it. */
function mayGoDeeper(last: string, line: string, bracesAreOptional: boolean): boolean {
  if (GOES_ON.test(last.trimEnd()) || isOpen(last) || CONTINUES.test(line)) return true;
  return bracesAreOptional && TAKES_ONE.test(last.trimEnd());
}

/** Whether a line opens a bracket that it does not close, read without regard to strings. */
function isOpen(line: string): boolean {
  return (line.match(/[([{]/g)?.length ?? 0) > (line.match(/[)\]}]/g)?.length ?? 0);
}

function columns(line: string): number {
  let count = 0;
  for (const blank of /^[ \t]*/.exec(line)?.[0] ?? '') {
    count += blank === '\t' ? TAB_COLUMNS - (count % TAB_COLUMNS) : 1;
  }
  return count;
}

function visible(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
