/**
 * What was changed in a document since it was opened, as pairs of what stood there and what stands there now. Keystrokes that meet are one edit.
 * Lines are counted from 0, and as they are now.
 */

/** One event of an editor: the text between two places gave way to another. */
export interface TextChange {
  readonly start: TextPosition;
  readonly end: TextPosition;
  /** With any line breaks. */
  readonly text: string;
}

export interface TextPosition {
  readonly line: number;
  /** UTF-16 units. */
  readonly character: number;
}

/** Whole lines. */
export interface LineEdit {
  /** Where it begins, or where the lines were that are gone. */
  readonly line: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Edits that are remembered of a document. */
const MOST_EDITS = 8;
/** A passage that was written or replaced is not an edit of what was there. */
const MOST_LINES = 32;
/** Edits with so many lines in between are two. */
const APART = 1;

const LINE_BREAK = /\r\n?|\n/;

export class RecentEdits {
  private lines: readonly string[];
  /** Latest first. */
  private found: readonly LineEdit[] = [];

  constructor(text: string) {
    this.lines = text.split(LINE_BREAK);
  }

  /** Latest first. */
  get edits(): readonly LineEdit[] {
    return this.found;
  }

  /** Takes in a change. One that belongs to another text than the one that is known is passed over. */
  change({ start, end, text }: TextChange): void {
    const first = this.lines[start.line];
    const last = this.lines[end.line];
    if (first === undefined || last === undefined) return;
    const changed = (first.slice(0, start.character) + text + last.slice(end.character)).split(LINE_BREAK);
    const touched = this.found.filter((edit) => touches(edit, start.line, end.line));
    const from = Math.min(start.line, ...touched.map(({ line }) => line));
    const to = Math.max(end.line + 1, ...touched.map(endOf));
    const before = this.originally(from, to, touched);
    // Not spliced in: a paste may have more lines than a call may have arguments.
    this.lines = [...this.lines.slice(0, start.line), ...changed, ...this.lines.slice(end.line + 1)];
    const grown = changed.length - (end.line + 1 - start.line);
    const after = this.lines.slice(from, to + grown);
    const merged = difference(from, before, after);
    const others = this.found
      .filter((edit) => !touched.includes(edit))
      .map((edit) => (edit.line > end.line ? { ...edit, line: edit.line + grown } : edit));
    this.found = (isEdit(merged) ? [merged, ...others] : others).slice(0, MOST_EDITS);
  }

  /** What stood in the lines [from, to) before these edits of them. */
  private originally(from: number, to: number, edits: readonly LineEdit[]): string[] {
    const parts: (readonly string[])[] = [];
    let at = from;
    for (const edit of edits.toSorted((a, b) => a.line - b.line)) {
      parts.push(this.lines.slice(at, edit.line), edit.before);
      at = endOf(edit);
    }
    return [...parts, this.lines.slice(at, to)].flat();
  }
}

/** Without the lines that are the same at both ends. */
function difference(line: number, before: string[], after: string[]): LineEdit {
  let front = 0;
  const most = Math.min(before.length, after.length);
  while (front < most && before[front] === after[front]) front++;
  let back = 0;
  while (back < most - front && before.at(-1 - back) === after.at(-1 - back)) back++;
  return {
    line: line + front,
    before: before.slice(front, before.length - back),
    after: after.slice(front, after.length - back),
  };
}

function endOf({ line, after }: LineEdit): number {
  return line + after.length;
}

function touches(edit: LineEdit, first: number, last: number): boolean {
  return edit.line <= last + APART && endOf(edit) + APART > first;
}

/** Whether there is a difference, and one that a person sees at a glance. */
function isEdit({ before, after }: LineEdit): boolean {
  const lines = Math.max(before.length, after.length);
  return lines > 0 && lines <= MOST_LINES;
}
