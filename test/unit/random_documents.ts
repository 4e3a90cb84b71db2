/** Documents, and what a model may say of them, for properties: code in pieces, with all that text may have. */
import fc from 'fast-check';
import { type DocumentSnapshot, snapshotOfText } from '../../core/completion/document';

const PIECES = [
  ...Array.from('abxyz_09 ()[]{}<>"\'`.,:;=+-*/\\#@$'),
  '\n',
  '\n\n',
  '\n    ',
  '\n\t',
  '    ',
  '\t',
  'def f(x):',
  'return ',
  'if (a) {',
  '});',
  'foo(bar, 1)',
  '"text"',
  "it's",
  '// a comment (with',
  '日本語',
  'é',
  '😀',
  '👩‍👩‍👧',
  '\u0301',
  '\u200b',
  '1234567890'.repeat(3),
  'x'.repeat(140),
];

/** Text as code has it, with all kinds of characters. */
export const codeText = (maxPieces = 60): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ unit: 'binary' })), {
      maxLength: maxPieces,
    })
    .map((pieces) => pieces.join(''));

/** One line of it. */
export const codeLine = (maxPieces = 20): fc.Arbitrary<string> =>
  codeText(maxPieces).map((text) => text.replace(/[\r\n]/g, ''));

export interface Cursor {
  readonly before: string;
  readonly after: string;
}

/** A cursor in a text, within no character. */
export const cursor = (maxPieces = 60): fc.Arbitrary<Cursor> =>
  fc.record({ before: codeText(maxPieces), after: codeText(maxPieces) });

export function snapshotAt({ before, after }: Cursor, uri = 'file:///a.py'): DocumentSnapshot {
  return snapshotOfText({
    uri,
    path: 'a.py',
    languageId: 'python',
    text: before + after,
    offset: before.length,
  });
}

/** The same each time, and as many as keep the unit tests quick; `EMBERLINE_PROPERTY_SEED=N` draws others. */
export const RUNS = { numRuns: 500, seed: Number(process.env['EMBERLINE_PROPERTY_SEED'] ?? 1) };

/** Whether no character of `text` is cut in two where it begins or ends. */
export function isWholeText(text: string, around: string): boolean {
  // Half a character that stands in the document itself is the document's.
  const halves = /\p{Surrogate}/u;
  return !halves.test(text) || halves.test(around);
}

/** Whether the characters of `some` come in `text`, in their order. */
export function holds(text: string, some: string): boolean {
  let at = 0;
  for (let unit = 0; unit < text.length && at < some.length; unit++) if (text[unit] === some[at]) at++;
  return at === some.length;
}
