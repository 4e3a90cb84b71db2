/** The options that name a grammar. */
import { type Command, Option } from 'commander';
import type { NativeGrammarSource, NativeLayout } from '../core/engine/native_grammar';
import { pathToFileURL } from 'node:url';
import { referredDocuments } from '../core/schema/referred_documents';
import { isFile } from '../core/schema/schema_place';
import { parsedJson, readText } from './files';
import { readFileUri } from './local_schemas';
import { type SchemaFolder, schemaFolder } from './schema_folder';

export interface GrammarArguments {
  readonly grammar?: string;
  readonly schema?: string;
  readonly schemas?: string;
}

const LAYOUTS = ['compact', 'free', 'indented'] as const;
export type LayoutName = (typeof LAYOUTS)[number];

/** `--grammar` and `--schema`, of which one at most may be given. */
export function withGrammarOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--grammar <file>', 'a grammar in GBNF that the text has to follow').conflicts('schema'),
    )
    .option('--schema <file>', 'a JSON Schema that the text has to conform to')
    .addOption(schemasOption());
}

/** Where schemas lie that others refer to. */
export function schemasOption(): Option {
  return new Option('--schemas <folder>', 'schemas that references lead to, by their $id');
}

export function withLayoutOption(command: Command): Command {
  return command.addOption(
    new Option('--layout <name>', 'whitespace of JSON (with --schema): none, any, or two spaces a level')
      .choices(LAYOUTS)
      .default('compact'),
  );
}

/** What the options name; undefined where they name nothing. */
export async function grammarSource(
  { grammar, schema, schemas }: GrammarArguments,
  layout: LayoutName = 'compact',
): Promise<NativeGrammarSource | undefined> {
  if (grammar !== undefined) return { gbnf: await readText(grammar) };
  if (schema === undefined) return undefined;
  const folder = schemas === undefined ? undefined : schemaFolder(schemas);
  return schemaSource(await readText(schema), pathToFileURL(schema).href, layoutNamed(layout), folder);
}

/**
 * A schema with the documents it refers to: files beside it, and those of `folder`.
 *
 * @param uri Where it lies; undefined where it lies nowhere.
 */
export async function schemaSource(
  schema: string,
  uri: string | undefined,
  layout: NativeLayout,
  folder: SchemaFolder | undefined,
): Promise<NativeGrammarSource> {
  const find = async (reference: string): Promise<string | undefined> =>
    isFile(reference) ? readFileUri(reference) : folder?.(reference);
  // What is no JSON the engine says better.
  const { documents } = await referredDocuments(parsedJson(schema), uri, find);
  return { schema, layout, documents, ...(uri === undefined ? {} : { uri }) };
}

function layoutNamed(kind: LayoutName): NativeLayout {
  return kind === 'indented' ? { kind, unit: '  ', newline: '\n' } : { kind };
}
