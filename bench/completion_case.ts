/** A place in a source file, and what its author wrote there. */
import { readFile } from 'node:fs/promises';
import Ajv from 'ajv';

export interface CompletionCase {
  readonly id: string;
  /** Relative, with forward slashes; its suffix says which language it is. */
  readonly path: string;
  /** Text before the cursor; the whole file's, or its last part from the start of a line. */
  readonly prefix: string;
  /** Text after the line; begins with the line break unless the file ends. */
  readonly suffix: string;
  /** The rest of the line that was taken out between the two. */
  readonly expected: string;
}

export const LANGUAGES = ['py', 'js'] as const;
/** `js` stands for JavaScript and TypeScript. */
export type Language = (typeof LANGUAGES)[number];

export const PLACES = ['mid', 'start'] as const;
/** `start`: nothing but indentation stands before the cursor; `mid`: text does. */
export type Place = (typeof PLACES)[number];

export class CaseFileError extends Error {}

const isCase = new Ajv().compile<CompletionCase>({
  type: 'object',
  required: ['id', 'path', 'prefix', 'suffix', 'expected'],
  properties: {
    id: { type: 'string' },
    path: { type: 'string' },
    prefix: { type: 'string' },
    suffix: { type: 'string' },
    expected: { type: 'string', pattern: '\\S' },
  },
});

/** Undefined for a language that is not measured. */
export function languageOf(path: string): Language | undefined {
  if (/\.pyi?$/.test(path)) return 'py';
  return /\.[cm]?[jt]sx?$/.test(path) ? 'js' : undefined;
}

export function placeOf({ prefix }: CompletionCase): Place {
  return prefix.slice(prefix.lastIndexOf('\n') + 1).trim() === '' ? 'start' : 'mid';
}

/** Reads a case a line. Throws CaseFileError with one sentence that names the line at fault. */
export async function readCases(path: string): Promise<CompletionCase[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CaseFileError(`The case file ${path} cannot be read: ${String(error)}`);
  });
  const cases: CompletionCase[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new CaseFileError(`Line ${index + 1} of ${path} is not JSON.`);
    }
    if (!isCase(value)) {
      throw new CaseFileError(
        `Line ${index + 1} of ${path} is no case: ${isCase.errors?.[0]?.instancePath ?? ''} ${isCase.errors?.[0]?.message ?? ''}.`,
      );
    }
    cases.push(value);
  }
  if (cases.length === 0) throw new CaseFileError(`The case file ${path} has no cases.`);
  return cases;
}
