/** Schemas as they are read from where they lie, and kept until they change. */
import { type ParseError, parse } from 'jsonc-parser';
import type { SchemaNote } from '../completion/schema_port';
import type { SchemaPlace } from './schema_place';

/** Larger ones are not read, UTF-16 units. */
export const MOST_SCHEMA_UNITS = 2_000_000;
/** Schemas that are kept. */
const CAPACITY = 32;

export interface LoadedSchema {
  /** For people. */
  readonly name: string;
  readonly schema: unknown;
}

export class SchemaStore {
  private readonly read: (uri: string) => Promise<string | undefined>;
  private readonly loaded = new Map<string, Promise<LoadedSchema | SchemaNote>>();
  private readonly given = new WeakMap<object, LoadedSchema>();

  /** @param read The text of a file, undefined where it cannot be read. Never rejects. */
  constructor(read: (uri: string) => Promise<string | undefined>) {
    this.read = read;
  }

  /** The same object while the schema is the same. Never rejects. */
  async load(place: SchemaPlace): Promise<LoadedSchema | SchemaNote> {
    switch (place.kind) {
      case 'elsewhere':
        return { use: 'not_local', detail: place.url };
      case 'here':
        return this.here(place.name, place.schema);
      case 'file':
        return this.fromFile(place.uri);
    }
  }

  /** Drops what is remembered of a file. */
  forget(uri: string): void {
    this.loaded.delete(uri);
  }

  private here(name: string, schema: unknown): LoadedSchema {
    if (typeof schema !== 'object' || schema === null) return { name, schema };
    const known = this.given.get(schema) ?? { name, schema };
    this.given.set(schema, known);
    return known;
  }

  private fromFile(uri: string): Promise<LoadedSchema | SchemaNote> {
    const known = this.loaded.get(uri) ?? this.readFile(uri);
    this.loaded.delete(uri);
    this.loaded.set(uri, known);
    const [oldest] = this.loaded.keys();
    if (this.loaded.size > CAPACITY && oldest !== undefined) this.loaded.delete(oldest);
    return known;
  }

  private async readFile(uri: string): Promise<LoadedSchema | SchemaNote> {
    const text = await this.read(uri);
    if (text === undefined) return { use: 'unreadable_schema', detail: uri };
    if (text.length > MOST_SCHEMA_UNITS) return { use: 'too_large', detail: uri };
    const errors: ParseError[] = [];
    const schema: unknown = parse(text, errors, { allowTrailingComma: true });
    return errors.length > 0 ? { use: 'unreadable_schema', detail: uri } : { name: uri, schema };
  }
}
