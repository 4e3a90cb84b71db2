import Ajv from 'ajv';
import { Failure } from './failure';
import { parsedJson, readText } from './files';

/** A place to complete at. */
export interface Case {
  readonly id: string;
  readonly path: string;
  /** Text before the cursor. */
  readonly prefix: string;
  /** Text after it. */
  readonly suffix: string;
  /** Pieces of other files, for a model that reads them; the most useful first. */
  readonly snippets?: readonly { readonly path: string; readonly text: string }[];
  /** What was edited before, oldest first, for a model that reads them. */
  readonly edits?: readonly { readonly path: string; readonly before: string; readonly after: string }[];
}

const TEXT = { type: 'string' } as const;

const isCase = new Ajv().compile<Case>({
  type: 'object',
  required: ['id', 'path', 'prefix', 'suffix'],
  properties: {
    id: TEXT,
    path: TEXT,
    prefix: TEXT,
    suffix: TEXT,
    snippets: {
      type: 'array',
      items: { type: 'object', required: ['path', 'text'], properties: { path: TEXT, text: TEXT } },
    },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'before', 'after'],
        properties: { path: TEXT, before: TEXT, after: TEXT },
      },
    },
  },
});

/** Reads a case a line; blank lines are passed over. */
export async function readCases(path: string): Promise<Case[]> {
  const cases: Case[] = [];
  for (const [index, line] of (await readText(path)).split('\n').entries()) {
    if (line.trim() === '') continue;
    const value = parsedJson(line);
    if (!isCase(value)) {
      const [error] = isCase.errors ?? [];
      const what =
        value === undefined
          ? 'is not JSON'
          : `is no case: ${error?.instancePath ?? ''} ${error?.message ?? ''}`;
      const message = `Line ${index + 1} of ${path} ${what}; correct it.`;
      throw new Failure({ code: 'INVALID_ARGUMENT', message });
    }
    cases.push(value);
  }
  return cases;
}
