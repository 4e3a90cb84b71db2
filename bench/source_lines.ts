/** What the lines of a source file are: code that a person wrote, or what stands around it. */
import { isCommentLine } from '../core/completion/languages';
import { commentsOf, type Language } from './languages';

export interface SourceFile {
  /** Relative, with forward slashes. */
  readonly path: string;
  readonly language: Language;
  /** Line breaks as `\n`. */
  readonly text: string;
}

const MAX_LINE = 120;
/** Lines before the first place: with less there is nothing to go by. */
const MIN_LINES_BEFORE = 8;

/** One such line anywhere, and the file was not written by hand. */
const LONGEST_HAND_WRITTEN_LINE = 400;
const GENERATED =
  /@generated|auto-?generated|generated (?:by|from|file)|do not (?:edit|modify)|sourceMappingURL|__esModule|__webpack/i;

/** Whether a person wrote the file and may be expected to complete it. */
export function isHandWritten(text: string): boolean {
  if (text.includes('\0') || GENERATED.test(text)) return false;
  return text.split('\n').every((line) => line.length <= LONGEST_HAND_WRITTEN_LINE);
}

/** Of each line, whether it is, or holds, a comment or a docstring. */
export function proseLines(lines: readonly string[], language: Language): boolean[] {
  return lines.map(PROSE_OF[commentsOf(language)]());
}

/** Indices of the lines that can be cut: no comments, docstrings, lines of punctuation alone or very long ones. */
export function codeLines(text: string, language: Language): number[] {
  const lines = text.split('\n');
  const prose = proseLines(lines, language);
  return lines.flatMap((line, index) => {
    const fits = index >= MIN_LINES_BEFORE && line.length <= MAX_LINE;
    return fits && prose[index] === false && /[\p{L}\p{N}]/u.test(line) ? [index] : [];
  });
}

/** Indices of the lines that are comments, as far as they say something. */
export function commentLines(text: string, languageId: string): number[] {
  return text.split('\n').flatMap((line, index) => {
    const fits = index >= MIN_LINES_BEFORE && line.length <= MAX_LINE;
    return fits && isCommentLine(languageId, line) && /\p{L}{2}/u.test(line) ? [index] : [];
  });
}

/** UTF-16 units of the blanks a line begins with. */
export function indentationOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Each says of one line after another whether it is, or holds, a comment or a docstring. */
const PROSE_OF = { python: pythonProse, hash: hashProse, c: cFamilyProse, none: noProse };

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

function hashProse(): (line: string) => boolean {
  return (line) => /(?:^|\s)#/.test(line);
}

/** Where all is text, none of it stands beside the text. */
function noProse(): (line: string) => boolean {
  return () => false;
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
