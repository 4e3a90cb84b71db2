/**
 * A notebook's cells as one text: the code above a cell has run before it, and what a cell goes on from. Text in another language is no
 * context, but for prose above code, which becomes comments.
 *
 * Cells of JSON stand alone: each is a document of its own, whose schema would say nothing of several in a row.
 */
import { isHighSurrogate } from './characters';
import { JSON_LANGUAGES } from './document';
import { commentLine, hasComments } from './languages';

/** Of prose, so many lines right above the code … */
const PROSE_LINES = 8;
/** … and so much of each, UTF-16 units: a paragraph may be one line, and a picture as well. */
const PROSE_UNITS = 200;

/** A cell's text is read only as far as it is wanted: a keystroke costs no more where a notebook is long. */
export interface Cell {
  readonly languageId: string;
  /** Prose (Markdown), not code. */
  readonly prose: boolean;
  /** The end of its text, line breaks as `\n`: `least` UTF-16 units or more, or all. */
  readonly end: (least: number) => string;
  /** The same of its start. */
  readonly start: (least: number) => string;
}

/**
 * What stands above a cell in `languageId`: each text with a blank line behind it, so that the cell begins a line of its own.
 * @param cells Nearest first.
 * @param most UTF-16 units of the result; where there is more, its start is cut off.
 */
export function textAbove(cells: Iterable<Cell>, languageId: string, most: number): string {
  if (most <= 0 || JSON_LANGUAGES.has(languageId)) return '';
  const texts: string[] = [];
  let length = 0;
  for (const cell of cells) {
    const text =
      cell.languageId === languageId ? codeAbove(cell, most - length) : proseAbove(cell, languageId);
    texts.push(text);
    length += text.length;
    if (length >= most) break;
  }
  return texts.reverse().join('').slice(-most);
}

/**
 * What stands below a cell in `languageId`: each text behind a blank line, so that none of it is on the cell's last line.
 * @param cells Nearest first.
 * @param most UTF-16 units of the result; where there is more, its end is cut off.
 */
export function textBelow(cells: Iterable<Cell>, languageId: string, most: number): string {
  if (most <= 0 || JSON_LANGUAGES.has(languageId)) return '';
  let below = '';
  for (const cell of cells) {
    if (below.length >= most) break;
    if (cell.languageId !== languageId) continue;
    const text = cell.start(most - below.length);
    if (text.trim() !== '') below += `\n\n${text}`;
  }
  return below.slice(0, most);
}

function codeAbove(cell: Cell, most: number): string {
  const text = cell.end(most);
  if (text.trim() === '') return '';
  return text.endsWith('\n') ? `${text}\n` : `${text}\n\n`;
}

function proseAbove(cell: Cell, languageId: string): string {
  if (!cell.prose || !hasComments(languageId)) return '';
  const lines = cell
    .end(PROSE_LINES * PROSE_UNITS)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-PROSE_LINES);
  return lines.length === 0 ? '' : `${lines.map((line) => comment(line, languageId)).join('')}\n`;
}

function comment(line: string, languageId: string): string {
  const cut = isHighSurrogate(line.charCodeAt(PROSE_UNITS - 1)) ? PROSE_UNITS - 1 : PROSE_UNITS;
  return commentLine(languageId, line.slice(0, cut));
}
