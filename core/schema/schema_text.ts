/** The text of a schema as files have it: JSON, with comments and commas behind the last member or item. */
import { type ParseError, parse } from 'jsonc-parser';

/** What a schema calls itself, as it is written; undefined for what has no name. */
export function schemaName(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  const { $id, id } = schema as Record<string, unknown>;
  return [$id, id].find((name) => typeof name === 'string');
}

/** Undefined where it is none. */
export function parsedSchema(text: string): { readonly schema: unknown } | undefined {
  const errors: ParseError[] = [];
  const schema: unknown = parse(text, errors, { allowTrailingComma: true });
  return errors.length > 0 ? undefined : { schema };
}
