/**
 * Schemas with documents that conform to them. All is there without a network: the schemas that come with Emberline and those of
 * installed packages, with the files that packages come with, and made-up ones; or a folder of somebody's own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { ROOT } from '../../cli/engine_options';
import { readSuite } from '../../cli/grammar_suite';
import { BUNDLED_SCHEMAS } from '../../core/schema/bundled';
import { SeededRandom } from '../random';
import { randomSchema } from './random_schemas';
import { documentsOf, isMembers, validatorOf } from './schema_documents';

export interface GrammarCase {
  readonly name: string;
  readonly schema: unknown;
  /** Compact JSON. */
  readonly documents: readonly string[];
}

export interface CaseOptions {
  /** In the shape of JSON-Schema-Test-Suite, instead of all others. */
  readonly cases?: string;
  /** Made-up ones. */
  readonly schemas: number;
  /** The most of each schema. */
  readonly documents: number;
}

const SEED = 11;
/** Of schemas that come without documents. */
const MADE = 5;
/** Bytes; longer files say the same again. */
const LONGEST = 20_000;

const PACKAGES = join(ROOT, 'node_modules');

/** Throws Failure where the folder is no such suite. */
export async function grammarCases(options: CaseOptions): Promise<GrammarCase[]> {
  if (options.cases !== undefined) return folderCases(options.cases, options.documents);
  const most = Math.min(MADE, options.documents);
  // A generator of its own for each, so that what is installed changes no other case.
  const made = (schema: unknown): string[] => documentsOf(schema, new SeededRandom(SEED), most);
  const files = jsonFiles();
  const packaged = packagedSchemas(files);
  const schemas = packaged.map(({ schema }) => schema);
  return [
    ...BUNDLED_SCHEMAS.map(({ name, schema }): GrammarCase => {
      const written = evenly(conforming(schema, documentsNamed(files, name)), options.documents);
      return { name, schema, documents: written.length > 0 ? written : made(schema) };
    }),
    ...packaged.map(({ name, schema }): GrammarCase => {
      // Schemas of schemas have the others for documents.
      const written = isOfSchemas(schema) ? conforming(schema, schemas).slice(0, most) : [];
      return { name, schema, documents: [...written, ...made(schema)] };
    }),
    ...[...ruleSchemas(), ...randomSchemas(options.schemas)].map(({ name, schema }): GrammarCase => ({
      name,
      schema,
      documents: made(schema),
    })),
  ];
}

interface NamedSchema {
  readonly name: string;
  readonly schema: unknown;
}

function randomSchemas(count: number): NamedSchema[] {
  const random = new SeededRandom(SEED);
  return Array.from({ length: count }, (_, index) => ({
    name: `random ${index}`,
    schema: randomSchema(random),
  }));
}

async function folderCases(folder: string, most: number): Promise<GrammarCase[]> {
  return (await readSuite(folder)).map(({ name, schema, tests }) => ({
    name,
    schema: JSON.parse(schema) as unknown,
    documents: tests
      .filter(({ valid }) => valid)
      .slice(0, most)
      .map(({ data }) => JSON.stringify(JSON.parse(data))),
  }));
}

/** Below the installed packages, by path. */
function jsonFiles(): string[] {
  return readdirSync(PACKAGES, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .sort()
    .map((path) => join(PACKAGES, path));
}

/** Undefined of what is no JSON. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Each once. */
function packagedSchemas(files: readonly string[]): NamedSchema[] {
  const found = new Map<string, NamedSchema>();
  for (const path of files.filter((file) =>
    /schema[^/\\]*\.json$|[/\\]json-schema-[^/\\]+[/\\]/.test(file),
  )) {
    const schema = readJson(path);
    const says = isMembers(schema) ? schema['$schema'] : undefined;
    if (typeof says !== 'string' || !says.includes('json-schema.org')) continue;
    const name = path.slice(PACKAGES.length + 1);
    const text = JSON.stringify(schema);
    if (!found.has(text)) found.set(text, { name, schema });
  }
  return [...found.values()];
}

function isOfSchemas(schema: unknown): boolean {
  const name = isMembers(schema) ? (schema['$id'] ?? schema['id']) : undefined;
  return typeof name === 'string' && name.includes('json-schema.org');
}

/** The options of ESLint's rules: one schema each, or one for each place of a list. */
function ruleSchemas(): NamedSchema[] {
  const { builtinRules } = createRequire(join(ROOT, 'package.json'))('eslint/use-at-your-own-risk') as {
    readonly builtinRules: ReadonlyMap<string, { readonly meta?: { readonly schema?: unknown } }>;
  };
  return [...builtinRules].flatMap(([rule, { meta }]) => {
    const written = meta?.schema;
    if (!Array.isArray(written))
      return isMembers(written) ? [{ name: `eslint ${rule}`, schema: written }] : [];
    if (written.length === 0) return [];
    return [{ name: `eslint ${rule}`, schema: listSchema(written) }];
  });
}

/** In the draft that all engines read, but for rules that have lists themselves, in older words. */
export function listSchema(places: readonly unknown[]): unknown {
  return JSON.stringify(places).includes('"items":[')
    ? {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'array',
        items: places,
        additionalItems: false,
      }
    : {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'array',
        prefixItems: places,
        items: false,
      };
}

function documentsNamed(files: readonly string[], name: string): unknown[] {
  return files
    .filter((path) => basename(path) === name)
    .flatMap((path) => {
      const document = readJson(path);
      return isMembers(document) && Object.keys(document).length > 1 ? [document] : [];
    });
}

/** Those that an independent implementation accepts, each once. */
function conforming(schema: unknown, documents: readonly unknown[]): string[] {
  const valid = validatorOf(schema);
  if (valid === undefined) return [];
  const texts = documents.filter((document) => valid(document)).map((each) => JSON.stringify(each));
  return [...new Set(texts)].filter((text) => text.length <= LONGEST);
}

/** At most `most`, from everywhere. */
export function evenly<T>(items: readonly T[], most: number): T[] {
  const step = Math.max(1, items.length / most);
  return items.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step)).slice(0, most);
}
