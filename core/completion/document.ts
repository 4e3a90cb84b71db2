/** What the pipeline knows of a document and a cursor: plain data, the same for an editor and for a terminal. */

/** How far the pipeline looks, UTF-16 units. More than any prompt budget needs, small enough to copy on each keystroke. */
export const MAX_BEFORE = 32_768;
export const MAX_AFTER = 16_384;
/** How much of a JSON document is looked at, whose schema says what may come only from its start on, UTF-16 units. */
export const MAX_FRONT = 262_144;

/** JSON as VS Code knows it, without and with comments. Their texts have to be known from their start. */
export const JSON_LANGUAGES: ReadonlySet<string> = new Set(['json', 'jsonc']);

/** Whether suggestions make sense in a document; decided by whoever opens it. */
export type DocumentKind =
  | 'text'
  /** The commit box. */
  | 'source_control'
  /** The commit box, where somebody asks for a message. */
  | 'commit_message'
  | 'read_only'
  | 'unsupported';

export interface DocumentSnapshot {
  /** Identifies the document between requests; never shown to the model. */
  readonly uri: string;
  /** As a person would say it, relative to the workspace, with forward slashes; shown to the model. */
  readonly path: string;
  /** From the root, with forward slashes; never shown to the model. The same as `path` where there is no other. */
  readonly fullPath: string;
  readonly languageId: string;
  /** The name of the workspace folder; shown to models that know repositories. Default: nobody says. */
  readonly repository?: string | undefined;
  readonly kind: DocumentKind;
  /** Text before the cursor, at most MAX_BEFORE units of it, line breaks as `\n`. May begin with what stands above the document (notebook.ts). */
  readonly before: string;
  /**
   * Text in front of `before`, line breaks as `\n`: empty where that is all there is; undefined where there is more than is looked
   * at, or where the language does not ask for it (JSON_LANGUAGES).
   */
  readonly front: string | undefined;
  /** Text after the cursor, at most MAX_AFTER units of it, line breaks as `\n`. The same of what stands below. */
  readonly after: string;
  /** UTF-16 units of the whole line the cursor is on. */
  readonly lineLength: number;
  /** True when the editor indents with tabs. */
  readonly tabs: boolean;
  /** Columns of one level of indentation. */
  readonly tabSize: number;
  readonly selectionEmpty: boolean;
  readonly cursors: number;
}

export interface TextSource {
  readonly uri: string;
  readonly path: string;
  /** Default: `path`. */
  readonly fullPath?: string;
  readonly languageId: string;
  readonly text: string;
  /** The cursor, UTF-16 units from the start of `text`. */
  readonly offset: number;
}

/** A change of a document: `length` UTF-16 units at `offset` become `text`. */
export interface Replacement {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** The model reads one kind of line break: `\r\n` and a lone `\r` become `\n`. */
export function normalizeLineBreaks(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** The line the cursor is on, up to the cursor. */
export function lineBefore(document: DocumentSnapshot): string {
  return document.before.slice(document.before.lastIndexOf('\n') + 1);
}

/** The rest of the line the cursor is on. */
export function lineAfter(document: DocumentSnapshot): string {
  const end = document.after.indexOf('\n');
  return end < 0 ? document.after : document.after.slice(0, end);
}

/** A snapshot of plain text, for callers without an editor. The indentation is read off the text. */
export function snapshotOfText(source: TextSource): DocumentSnapshot {
  const { text, offset } = source;
  // A line break of two units becomes one, so that a cut text is as long as it may be.
  const from = Math.max(0, offset - 2 * MAX_BEFORE);
  const before = normalizeLineBreaks(text.slice(from, offset)).slice(-MAX_BEFORE);
  const after = normalizeLineBreaks(text.slice(offset, offset + 2 * MAX_AFTER)).slice(0, MAX_AFTER);
  return {
    uri: source.uri,
    path: source.path,
    fullPath: source.fullPath ?? source.path,
    languageId: source.languageId,
    kind: 'text',
    before,
    front: frontOf(text.slice(0, offset), source.languageId),
    after,
    lineLength: lineLengthAt(text, offset),
    ...indentationOf(before + after),
    selectionEmpty: true,
    cursors: 1,
  };
}

/** The same document once `text`, one or more lines of it, is typed in place of the next `replace` UTF-16 units; the cursor is behind it. */
export function withTyped(document: DocumentSnapshot, text: string, replace = 0): DocumentSnapshot {
  const before = document.before + text;
  const cut = Math.max(0, before.length - MAX_BEFORE);
  return {
    ...document,
    before: before.slice(cut),
    front: document.front === undefined || cut === 0 ? document.front : document.front + before.slice(0, cut),
    after: document.after.slice(replace),
    lineLength: document.lineLength + text.length - replace,
  };
}

/** One level of indentation. */
export function indentationUnit({ tabs, tabSize }: Pick<DocumentSnapshot, 'tabs' | 'tabSize'>): string {
  return tabs ? '\t' : ' '.repeat(tabSize);
}

/** DocumentSnapshot.front, of all the text before the cursor. */
export function frontOf(whole: string, languageId: string): string | undefined {
  const before = normalizeLineBreaks(whole);
  if (before.length <= MAX_BEFORE) return '';
  if (!JSON_LANGUAGES.has(languageId) || before.length > MAX_FRONT + MAX_BEFORE) return undefined;
  return before.slice(0, -MAX_BEFORE);
}

/**
 * The offset of a 1-based line and column (UTF-16 units, a tab is one), or undefined when the text has no such place. The
 * column after the last character of a line is a place.
 */
export function offsetAt(text: string, line: number, column: number): number | undefined {
  if (line < 1 || column < 1) return undefined;
  let start = 0;
  for (let skipped = 1; skipped < line; skipped++) {
    const end = lineEnd(text, start);
    if (end === text.length) return undefined;
    start = end + (text.startsWith('\r\n', end) ? 2 : 1);
  }
  const offset = start + column - 1;
  return offset <= lineEnd(text, start) ? offset : undefined;
}

function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const unit = text[at];
    if (unit === '\n' || unit === '\r') return at;
  }
  return text.length;
}

function lineLengthAt(text: string, offset: number): number {
  const start = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return lineEnd(text, offset) - (offset === 0 ? 0 : start);
}

function indentationOf(text: string): { tabs: boolean; tabSize: number } {
  const tabbed = text.match(/^\t/gm)?.length ?? 0;
  const spaced = text.match(/^ {2,}(?=\S)/gm) ?? [];
  const narrowest = Math.min(...spaced.map((run) => run.length), 8);
  return { tabs: tabbed > spaced.length, tabSize: spaced.length === 0 ? 4 : narrowest };
}
