/** The text of a schema as files have it: JSON, with comments and commas behind the last member or item. */
import { type ParseError, parse } from 'jsonc-parser';

/** Undefined where it is none. */
export function parsedSchema(text: string): { readonly schema: unknown } | undefined {
  const errors: ParseError[] = [];
  const schema: unknown = parse(text, errors, { allowTrailingComma: true });
  return errors.length > 0 ? undefined : { schema };
}
