/** A place in a source file, and what its author wrote there. */
import { type DocumentSnapshot, snapshotOfText } from '../core/completion/document';
import { isCommentLine, languageOfPath } from '../core/completion/languages';
import { readCases, type Case } from '../cli/case_file';
import { Failure } from '../cli/failure';
import { lineOf } from './closers';

/** `path` is relative, with forward slashes; `suffix` begins with the line break that ended the last line, if one did. */
export interface CompletionCase extends Case {
  /** The rest of the line, or a block of lines, taken out between `prefix` and `suffix`. */
  readonly expected: string;
}

/** Places where one line is completed. `start`: nothing but indentation stands before the cursor; `mid`: code does; `comment`: a comment. */
export const LINE_PLACES = ['mid', 'start', 'comment'] as const;
export type LinePlace = (typeof LINE_PLACES)[number];

/** `block`: several lines are expected, from the start of the first one's text. */
export const PLACES = [...LINE_PLACES, 'block'] as const;
export type Place = (typeof PLACES)[number];

export function placeOf({
  path,
  prefix,
  expected,
}: Pick<CompletionCase, 'path' | 'prefix' | 'expected'>): Place {
  if (expected.includes('\n')) return 'block';
  const line = lineOf(prefix);
  if (line.trim() === '') return 'start';
  return isCommentLine(languageOfPath(path), line) ? 'comment' : 'mid';
}

/**
 * The document of a case as if its file had just been opened.
 * @param closers What stands right of the cursor that the case does not have.
 */
export function documentOf(
  { id, path, prefix, suffix }: Pick<CompletionCase, 'id' | 'path' | 'prefix' | 'suffix'>,
  closers = '',
): DocumentSnapshot {
  const text = prefix + closers + suffix;
  const languageId = languageOfPath(path);
  return snapshotOfText({ uri: `case:${id}`, path, languageId, text, offset: prefix.length });
}

/** Reads a case a line; each says what is expected and has an id of its own, and there is at least one. Throws Failure. */
export async function readExpectedCases(path: string): Promise<CompletionCase[]> {
  const cases = await readCases(path);
  if (cases.length === 0) fail(`${path} has no cases; cut some.`);
  const expected = cases.map(withExpected);
  const ids = cases.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) < at);
  if (twice !== undefined)
    fail(`${path} has two cases ${twice}; give each an id of its own, by which runs are compared.`);
  return expected;
}

function withExpected(one: Case): CompletionCase {
  return hasExpected(one) ? one : fail(`Case ${one.id} does not say what is expected; add "expected" to it.`);
}

function hasExpected(one: Case): one is CompletionCase {
  return 'expected' in one && typeof one.expected === 'string' && one.expected.trim() !== '';
}

function fail(message: string): never {
  throw new Failure({ code: 'INVALID_ARGUMENT', message });
}
