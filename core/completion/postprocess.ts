/** From what the model produced to what the editor may show, or a reason to show nothing. */
import { isHighSurrogate, UNPRINTABLE } from './characters';
import { type DocumentSnapshot, lineAfter, lineBefore, MAX_BEFORE } from './document';
import { fitToLine } from './fit';
import { columnsBefore, indentationIn } from './indentation';
import type { Reason } from './reasons';
import type { Stop } from './stop';

/** Longer than a line anyone reads as a suggestion, UTF-16 units. */
const MAX_SHOWN = 400;
/** A repeated line shorter than this is no sign of trouble: brackets and single words repeat in good code. */
const MIN_REPEATED_LINE = 6;
/** A line that ends a block with a tag or a word. */
const ENDS_BLOCK = /^(?:<\/|end\w*(?:\s*\([^()]*\)| \w+)?\W*$)/;

export interface Shaped {
  /** The text to insert at the cursor; also filled, as far as it makes sense, when there is a reason to hide it. */
  readonly text: string;
  /** UTF-16 units right of the cursor that `text` replaces. */
  readonly replace: number;
  /** Why it must not be shown. */
  readonly reason: Reason | undefined;
}

/** @param readsLine Whether the model has read what stands right of the cursor. */
export function postprocess(raw: string, stop: Stop, document: DocumentSnapshot, readsLine = false): Shaped {
  const line = withIndentation(withoutStraySpace(firstLine(raw), document), document);
  const text = wellFormed(line.slice(0, MAX_SHOWN));
  const hidden = (reason: Reason): Shaped => ({ text: text.trimEnd(), replace: 0, reason });
  if (text.trim() === '') return { text: '', replace: 0, reason: 'blank_result' };
  if (UNPRINTABLE.test(text)) return hidden('not_text');
  const between = readsLine && stop === 'end_token';
  const fit = fitToLine(text, { left: lineBefore(document), right: lineAfter(document), between });
  if (fit.kind !== 'insert') return hidden(fit.kind);
  const shaped = (reason: Reason | undefined): Shaped => ({ text: fit.text, replace: fit.replace, reason });
  if (stop === 'max_tokens' && isPeriodic(text)) return shaped('repetitive');
  if (repeatsNeighbour(fit.text, fit.replace, document)) return shaped('repeats_line');
  if (closesNothing(fit.text, document) || leavesTextOpen(fit.text, document)) return shaped('does_not_fit');
  return shaped(undefined);
}

/** What stands before the first line break. */
export function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)?.[0] ?? '';
}

/** Within a line, a space the document has already must not come again. */
function withoutStraySpace(text: string, document: DocumentSnapshot): string {
  const line = lineBefore(document);
  return line.trim() !== '' && /\s$/.test(line) ? text.trimStart() : text;
}

/** Indentation the suggestion begins with is written as the document writes its own. */
function withIndentation(text: string, document: DocumentSnapshot): string {
  const line = lineBefore(document);
  const indentation = /^[ \t]+/.exec(text)?.[0];
  if (indentation === undefined || line.trim() !== '') return text;
  return indentationIn(document, indentation) + text.slice(indentation.length);
}

/** Without half a character at its end. */
function wellFormed(text: string): string {
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text;
}

/** True when the end of `text` is one piece over and over: a short one five times, a longer one three times. */
function isPeriodic(text: string): boolean {
  const again = /(.{1,16}?)\1{4,}.{0,15}$|(.{17,48}?)\2{2,}.{0,47}$/su;
  return again.test(text) && !/^(.)\1*$/u.test(text.trim());
}

/** True when the whole line would be the same as the next one, or as the last one; what ends a block, if it is as deep, too. */
export function repeatsNeighbour(text: string, replace: number, document: DocumentSnapshot): boolean {
  const whole = lineBefore(document) + text + lineAfter(document).slice(replace);
  const line = whole.trim();
  if (line.length < MIN_REPEATED_LINE || !/\p{L}/u.test(line)) return false;
  const above = document.before.split('\n').slice(0, -1);
  const below = document.after.split('\n').slice(1);
  const isText = (candidate: string): boolean => candidate.trim() !== '';
  const neighbours = [above.findLast(isText), below.find(isText)];
  // Blocks within one another end alike.
  if (ENDS_BLOCK.test(line)) return neighbours.some((one) => one?.trimEnd() === whole.trimEnd());
  return neighbours.some((one) => one?.trim() === line);
}

/** True where a triple quote of the line begins a string that goes on behind it: all below would be a part of that, until somebody closes it. */
function leavesTextOpen(text: string, { before }: DocumentSnapshot): boolean {
  // Where the text in front is cut, it may begin within a string.
  if (before.length >= MAX_BEFORE) return false;
  const hasOdd = (some: string, quote: string): boolean => some.split(quote).length % 2 === 0;
  return ['"""', "'''"].some((quote) => hasOdd(text, quote) && !hasOdd(before, quote));
}

/** What is in quotes on a line. */
const QUOTED = /(["'`])(?:\\.|(?!\1)[^\\\n])*\1/g;

/**
 * True when a line begins with a brace that closes no block as deep as itself: it would stand among the lines of a block whose own brace
 * is less deep, and most often there already. At the edge, where lines of a block may stand as well, no block at all is open.
 */
function closesNothing(text: string, document: DocumentSnapshot): boolean {
  const line = lineBefore(document) + text;
  if (!line.trimStart().startsWith('}')) return false;
  const depth = columnsBefore(document, line);
  let all = 0;
  let unquoted = 0;
  // The more of the counts with and without strings, as what a quote begins is not sure.
  const open = (): number => Math.max(all, unquoted);
  for (const one of document.before.split('\n').slice(0, -1).toReversed()) {
    const within = open();
    all += openBraces(one);
    unquoted += openBraces(one.replace(QUOTED, ''));
    // A label, a directive or a line of a string is less deep as well, and opens nothing.
    const opensBlock = open() > 0 && one.trim() !== '' && columnsBefore(document, one) < depth;
    if (opensBlock) return within <= 0;
  }
  // What opens it may stand in front of what is looked at.
  return document.before.length < MAX_BEFORE && open() <= 0;
}

/** How many braces are opened and not closed. */
function openBraces(text: string): number {
  return text.split('{').length - text.split('}').length;
}
