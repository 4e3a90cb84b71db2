/**
 * Whether a suggestion in a JSON document was bound to a schema, and why not: a closed set. The suggestion itself has a reason of
 * its own (reasons.ts); without a schema it is made as in any other text.
 */
export const SCHEMA_USES = {
  bound: 'The suggestion follows the schema.',
  off: 'Schemas are not followed (setting emberline.json.schemas).',
  no_schema: 'No schema is known for this file.',
  yaml: 'YAML is completed without a schema.',
  not_local: 'The schema is not on this machine, and nothing is fetched from the network.',
  unreadable_schema: 'The schema cannot be read, or is no JSON.',
  invalid_schema: 'The schema is no valid JSON Schema; the log has the details.',
  unsupported_schema: 'The schema has a keyword that cannot be enforced; the log names it.',
  empty_schema: 'No document at all conforms to the schema.',
  too_large: 'The schema, or the text before the cursor, is too large to be followed.',
  in_comment: 'The cursor is in a comment.',
  unreadable_text: 'The text before the cursor is no JSON, even read generously.',
  rejected_text: 'The text before the cursor does not follow the schema.',
} as const;

export type SchemaUse = keyof typeof SCHEMA_USES;
