/** Binds suggestions in JSON documents to their schemas: from a document and a cursor to the grammars to try. */
import { type DocumentSnapshot, indentationUnit, JSON_LANGUAGES } from '../completion/document';
import type { SchemaBinding, SchemaNote, Schemas } from '../completion/schema_port';
import type { SchemaUse } from '../completion/schema_use';
import type { CompileGrammar, NativeGrammarUse } from '../engine/native_grammar';
import type { NativeError } from '../engine/native_result';
import { fittedInJson, withFittingComma, withoutOpenString } from './fitting';
import { GrammarCache, type GrammarKey } from './grammar_cache';
import { type JsonPrefix, readPrefix } from './json_prefix';
import { placeOf, type SchemaAssociation, schemaPlace } from './schema_place';
import { type LoadedSchema, SchemaStore } from './schema_store';

const YAML = 'yaml';
/** A document with more keys of its own is read by the schema as it is. */
const MOST_KEYS = 200;

const NO_KEYS: ReadonlySet<string> = new Set();

/** Where schemas come from. */
export interface SchemaSources {
  readonly enabled: () => boolean;
  /** Those a user or an extension associates with files, the first that fits counts. */
  readonly associations: (uri: string) => readonly SchemaAssociation[];
  /** The text of a file; undefined where it cannot be read. Never rejects. */
  readonly read: (uri: string) => Promise<string | undefined>;
  readonly compile: CompileGrammar;
}

export class DocumentSchemas implements Schemas {
  private readonly sources: SchemaSources;
  private readonly store: SchemaStore;
  private readonly grammars: GrammarCache;

  constructor(sources: SchemaSources) {
    this.sources = sources;
    this.store = new SchemaStore(sources.read);
    this.grammars = new GrammarCache(sources.compile);
  }

  async bindingFor(document: DocumentSnapshot): Promise<SchemaBinding | SchemaNote | undefined> {
    if (document.languageId === YAML) return note('yaml');
    if (!JSON_LANGUAGES.has(document.languageId)) return undefined;
    if (!this.sources.enabled()) return note('off');
    if (document.front === undefined) return note('too_large');
    const before = document.front + document.before;
    const prefix = readPrefix({ before, after: document.after, unit: indentationUnit(document) });
    if (prefix === 'in_comment') return note(prefix);
    const schema = prefix === 'unreadable' ? undefined : prefix.schema;
    const associations = this.sources.associations(document.uri);
    const named = { uri: document.uri, fullPath: document.fullPath, schema };
    const place = schemaPlace(named, associations);
    if (place === undefined) return note('no_schema');
    const loaded = await this.store.load(place, (url) => knownText(url, associations));
    if ('use' in loaded) return loaded;
    // A document that has no schema needs no word about how it is written.
    return prefix === 'unreadable' ? note('unreadable_text') : this.bind(document, before, prefix, loaded);
  }

  fitted(document: DocumentSnapshot, text: string): string {
    return fittedInJson(document, text);
  }

  /** A file of a schema changed, or went. */
  forget(): void {
    this.store.forget();
  }

  dispose(): void {
    this.grammars.clear();
  }

  private bind(
    { after }: DocumentSnapshot,
    before: string,
    prefix: JsonPrefix,
    schema: LoadedSchema,
  ): SchemaBinding {
    const { name } = schema;
    const { layout, keys, text, textWithMembersBehind } = prefix;
    const known = textWithMembersBehind ?? text;
    const attempt = (onlyKnown: GrammarKey['onlyKnown'], written: string) => () =>
      this.grammarUse({ schema, layout, onlyKnown }, written, name);
    const own = keys.size > 0 && keys.size <= MOST_KEYS ? [attempt(keys, known)] : [];
    const alone = textWithMembersBehind === undefined ? [] : [attempt(undefined, text)];
    return {
      requiredPrefix: prefix.healed.requiredPrefix,
      goesOn: prefix.goesOn,
      name,
      attempts: [attempt(NO_KEYS, known), ...own, attempt(undefined, known), ...alone],
      finish: (suggestion, cut) => {
        const whole = cut ? withoutOpenString(before, suggestion) : suggestion;
        return withFittingComma(before, whole, after);
      },
    };
  }

  private async grammarUse(
    key: GrammarKey,
    prefix: string,
    name: string,
  ): Promise<NativeGrammarUse | SchemaNote> {
    const compiled = await this.grammars.grammarFor(key);
    if (compiled.ok) {
      // A narrowed schema may be empty where the schema is not: the engine rejects the text, and the next one is tried.
      const nothing = compiled.value.empty && key.onlyKnown === undefined;
      return nothing ? { use: 'empty_schema', detail: name } : { grammar: compiled.value, prefix };
    }
    const { code, message } = compiled.error;
    return { use: USE_OF_ERROR[code] ?? 'invalid_schema', detail: `${name}: ${message}` };
  }
}

const USE_OF_ERROR: Readonly<Partial<Record<NativeError['code'], SchemaUse>>> = {
  GRAMMAR_UNSUPPORTED: 'unsupported_schema',
  GRAMMAR_TOO_LARGE: 'too_large',
  OUT_OF_MEMORY: 'too_large',
};

/** A schema that goes by an address, as JSON text. */
function knownText(url: string, associations: readonly SchemaAssociation[]): string | undefined {
  const place = placeOf(url, associations);
  return place.kind === 'here' ? JSON.stringify(place.schema) : undefined;
}

function note(use: SchemaUse): SchemaNote {
  return { use, detail: '' };
}
