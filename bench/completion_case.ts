/** A place in a source file, and what its author wrote there. */
import { readCases, type Case } from '../cli/case_file';
import { Failure } from '../cli/failure';

/** `path` is relative, with forward slashes; `suffix` begins with the line break that ended the line, if one did. */
export interface CompletionCase extends Case {
  /** The rest of the line, taken out between `prefix` and `suffix`. */
  readonly expected: string;
}

export const LANGUAGES = ['py', 'js'] as const;
/** `js` stands for JavaScript and TypeScript. */
export type Language = (typeof LANGUAGES)[number];

export const PLACES = ['mid', 'start'] as const;
/** `start`: nothing but indentation stands before the cursor; `mid`: text does. */
export type Place = (typeof PLACES)[number];

/** Undefined for a language that is not measured. */
export function languageOf(path: string): Language | undefined {
  if (/\.pyi?$/.test(path)) return 'py';
  return /\.[cm]?[jt]sx?$/.test(path) ? 'js' : undefined;
}

export function placeOf({ prefix }: Pick<CompletionCase, 'prefix'>): Place {
  return prefix.slice(prefix.lastIndexOf('\n') + 1).trim() === '' ? 'start' : 'mid';
}

/** Reads a case a line; each says what is expected, and there is at least one. Throws Failure. */
export async function readExpectedCases(path: string): Promise<CompletionCase[]> {
  const cases = await readCases(path);
  if (cases.length === 0) fail(`${path} has no cases; cut some.`);
  return cases.map(withExpected);
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
