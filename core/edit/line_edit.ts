/**
 * Edits of whole lines, and what they replace in a document: no more than what they change, so that every other line keeps its
 * bytes.
 */
import type { Replacement } from '../completion/document';
import { lineBreakOf, linesOf, type TextLine } from './text_lines';

/** Lines `first` to `last`, counted from 1, become `lines`; where `last` is `first` - 1, they are put before `first`. */
export interface LineEdit {
  readonly first: number;
  readonly last: number;
  /** Without line breaks. */
  readonly lines: readonly string[];
}

/**
 * What `edits` replace in `text`, in ascending order, each as of the text before any of them; those that change nothing are left out.
 * @param edits Ascending, and not overlapping.
 */
export function replacementsOf(text: string, edits: readonly LineEdit[]): readonly Replacement[] {
  const lines = linesOf(text);
  const lineBreak = lineBreakOf(lines);
  return joined(edits)
    .map((edit) => narrowed(lines, edit))
    .filter(({ first, last, lines: added }) => last >= first || added.length > 0)
    .map((edit) => replacementOf(lines, lineBreak, edit));
}

/** @param replacements As `replacementsOf` gives them. */
export function applied(text: string, replacements: readonly Replacement[]): string {
  let result = '';
  let at = 0;
  for (const { offset, length, text: added } of replacements) {
    result += text.slice(at, offset) + added;
    at = offset + length;
  }
  return result + text.slice(at);
}

/** Edits of lines that follow one another are one: what a line takes along may be the line break of the one before it. */
function joined(edits: readonly LineEdit[]): readonly LineEdit[] {
  const result: LineEdit[] = [];
  for (const edit of edits) {
    const before = result.at(-1);
    if (before === undefined || edit.first > before.last + 1) {
      result.push(edit);
    } else {
      const last = Math.max(before.last, edit.last);
      result.splice(-1, 1, { first: before.first, last, lines: [...before.lines, ...edit.lines] });
    }
  }
  return result;
}

/** Without the lines at its ends that stay as they are. */
function narrowed(lines: readonly TextLine[], edit: LineEdit): LineEdit {
  let { first, last } = edit;
  let from = 0;
  let to = edit.lines.length;
  while (first <= last && from < to && lines[first - 1]?.text === edit.lines[from]) {
    first++;
    from++;
  }
  while (first <= last && from < to && lines[last - 1]?.text === edit.lines[to - 1]) {
    last--;
    to--;
  }
  return { first, last, lines: edit.lines.slice(from, to) };
}

function replacementOf(lines: readonly TextLine[], lineBreak: string, edit: LineEdit): Replacement {
  const { first, last, lines: added } = edit;
  const begin = lines[first - 1];
  const end = lines[last - 1];
  if (last >= first && begin !== undefined && end !== undefined) {
    if (added.length > 0) {
      const text = added.join(lineBreak);
      return { offset: begin.start, length: end.start + end.text.length - begin.start, text };
    }
    // A line goes with its line break; the last one, which has none, with the one before it.
    const before = end.lineBreak === '' ? (lines[first - 2]?.lineBreak.length ?? 0) : 0;
    const offset = begin.start - before;
    return { offset, length: end.start + end.text.length + end.lineBreak.length - offset, text: '' };
  }
  const text = added.map((line) => line + lineBreak).join('');
  if (begin !== undefined) return { offset: begin.start, length: 0, text };
  // Behind the last line.
  const final = lines.at(-1);
  const offset = (final?.start ?? 0) + (final?.text.length ?? 0);
  return { offset, length: 0, text: added.map((line) => lineBreak + line).join('') };
}
