/** Schemas as they are read from where they lie, and kept until they change. */
import { putLast } from '../completion/recent_map';
import type { SchemaNote } from '../completion/schema_port';
import { type FindSchema, referredDocuments, type ReferredDocuments } from './referred_documents';
import { isFile, type SchemaPlace } from './schema_place';
import { parsedSchema } from './schema_text';

/** Larger ones are not read, UTF-16 units. */
export const MOST_SCHEMA_UNITS = 2_000_000;
/** Schemas that are kept. */
const CAPACITY = 32;

export interface LoadedSchema extends ReferredDocuments {
  /** For people. */
  readonly name: string;
  readonly schema: unknown;
  /** Where it lies: what its relative references start from. */
  readonly uri: string | undefined;
}

export class SchemaStore {
  private readonly read: (uri: string) => Promise<string | undefined>;
  private readonly loaded = new Map<string, Promise<LoadedSchema | SchemaNote>>();
  private given = new WeakMap<object, Promise<LoadedSchema>>();

  /** @param read The text of a file, undefined where it cannot be read. Never rejects. */
  constructor(read: (uri: string) => Promise<string | undefined>) {
    this.read = read;
  }

  /**
   * The same object while the schema and what it refers to are the same. Never rejects.
   *
   * @param known The text of a schema that an address on the network stands for; undefined where none does.
   */
  async load(
    place: SchemaPlace,
    known: (url: string) => string | undefined = () => undefined,
  ): Promise<LoadedSchema | SchemaNote> {
    const find = (uri: string): Promise<string | undefined> => {
      const text = known(uri);
      if (text !== undefined || !isFile(uri)) return Promise.resolve(text);
      return this.read(uri);
    };
    switch (place.kind) {
      case 'elsewhere':
        return { use: 'not_local', detail: place.url };
      case 'here':
        return this.here(place, find);
      case 'file':
        return this.fromFile(place.uri, find);
    }
  }

  /** Drops what is remembered: a file changed, which others may refer to. */
  forget(): void {
    this.loaded.clear();
    this.given = new WeakMap();
  }

  private here(
    { name, schema, url }: SchemaPlace & { kind: 'here' },
    find: FindSchema,
  ): Promise<LoadedSchema> {
    if (typeof schema !== 'object' || schema === null) return withDocuments(name, schema, url, find);
    const known = this.given.get(schema) ?? withDocuments(name, schema, url, find);
    this.given.set(schema, known);
    return known;
  }

  private fromFile(uri: string, find: FindSchema): Promise<LoadedSchema | SchemaNote> {
    const known = this.loaded.get(uri) ?? this.readFile(uri, find);
    putLast(this.loaded, uri, known, CAPACITY);
    return known;
  }

  private async readFile(uri: string, find: FindSchema): Promise<LoadedSchema | SchemaNote> {
    const text = await this.read(uri);
    if (text === undefined) return { use: 'unreadable_schema', detail: uri };
    if (text.length > MOST_SCHEMA_UNITS) return { use: 'too_large', detail: uri };
    const parsed = parsedSchema(text);
    if (parsed === undefined) return { use: 'unreadable_schema', detail: uri };
    return withDocuments(uri, parsed.schema, uri, find);
  }
}

async function withDocuments(
  name: string,
  schema: unknown,
  uri: string | undefined,
  find: FindSchema,
): Promise<LoadedSchema> {
  return { name, schema, uri, ...(await referredDocuments(schema, uri, find)) };
}
