import Ajv from 'ajv';
import { readJsonLines } from './files';

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

/** Reads a case a line; blank lines are passed over. Throws Failure. */
export function readCases(path: string): Promise<Case[]> {
  return readJsonLines(path, isCase, (value) => {
    if (value === undefined) return 'is not JSON; correct it';
    const [error] = isCase.errors ?? [];
    return `is no case: ${error?.instancePath ?? ''} ${error?.message ?? ''}; correct it`;
  });
}
