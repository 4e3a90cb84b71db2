/**
 * Pieces of other files that resemble the text around a cursor: windows of lines, compared by the sets of their identifiers (Jaccard's
 * index). The embedded model was taught with windows found in the same way (training/examples/snippets.py).
 */
import type { DocumentSnapshot } from './document';
import type { Snippet } from './snippets';

const WINDOW_LINES = 20;
/** Lines on each side of the cursor that windows are compared with. */
const AROUND_LINES = 24;
/** A window with fewer names says little. */
const LEAST_NAMES = 4;
/** A window that shares this part of its lines with those around the cursor is a copy of them. */
const COPY = 0.3;
/** Shorter lines are in any file, UTF-16 units. */
const TELLING_LINE = 8;
const DIALECTS: ReadonlyMap<string, string> = new Map([
  ['typescript', 'javascript'],
  ['cpp', 'c'],
]);
const NAME = /[A-Za-z_]\w{2,}/g;

/** A window of a file. */
export interface Window extends Snippet {
  readonly names: ReadonlySet<string>;
}

/** The windows of a file, one behind the other. */
export function windowsOf({ path, languageId, text }: Snippet): Window[] {
  const lines = text.split('\n');
  const windows: Window[] = [];
  for (let start = 0; start < lines.length; start += WINDOW_LINES) {
    const piece = lines
      .slice(start, start + WINDOW_LINES)
      .join('\n')
      .replace(/^\n+|\n+$/g, '');
    const names = namesOf(piece);
    if (names.size >= LEAST_NAMES) windows.push({ path, languageId, text: `${piece}\n`, names });
  }
  return windows;
}

/** At most `count` of the windows, the most similar to the text around the cursor first; no copies of it. */
export function mostSimilar(
  windows: Iterable<Window>,
  { before, after }: Pick<DocumentSnapshot, 'before' | 'after'>,
  count: number,
): Window[] {
  const around = [...before.split('\n').slice(-AROUND_LINES), ...after.split('\n').slice(0, AROUND_LINES)];
  const names = namesOf(around.join('\n'));
  const lines = new Set(around.map((line) => line.trim()));
  return Array.from(windows, (window) => ({ window, similarity: similarity(names, window.names) }))
    .filter((one) => one.similarity > 0)
    .toSorted((a, b) => b.similarity - a.similarity)
    .map(({ window }) => window)
    .filter((window) => !isCopy(window.text, lines))
    .slice(0, count);
}

/** Whether code of one language helps in another: they are the same, or dialects of one. */
export function readAlike(one: string, other: string): boolean {
  return dialectOf(one) === dialectOf(other);
}

function dialectOf(languageId: string): string {
  const plain = languageId.replace(/react$/, '');
  return DIALECTS.get(plain) ?? plain;
}

function namesOf(text: string): Set<string> {
  return new Set(text.match(NAME));
}

function similarity(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  for (const name of one) if (other.has(name)) both++;
  return both / (one.size + other.size - both || 1);
}

function isCopy(text: string, lines: ReadonlySet<string>): boolean {
  const own = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.length > TELLING_LINE);
  return own.length > 0 && own.filter((line) => lines.has(line)).length > COPY * own.length;
}
