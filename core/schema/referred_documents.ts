/**
 * The documents that a schema refers to, and those that they refer to: what the engine has to be given with it. Nothing is ever
 * fetched: a reference that leads nowhere stays in the schema, and the engine refuses it by name.
 */
import type { NativeSchemaDocuments } from '../engine/native_grammar';
import { resolved, schemaAddress } from './schema_place';
import { parsedSchema, schemaName } from './schema_text';

/** Documents of one schema. */
const MOST_DOCUMENTS = 200;
/** UTF-16 units of all of them. */
const MOST_UNITS = 2 ** 24;

export interface ReferredDocuments {
  readonly documents: NativeSchemaDocuments;
  /** Whether a reference leads to the schema itself by its address: then the schema must stay as it is. */
  readonly refersBack: boolean;
}

/** The text of the schema at an address, without fragment; undefined where none is known. Never rejects. */
export type FindSchema = (uri: string) => Promise<string | undefined>;

/**
 * @param uri Where the schema lies; undefined where it lies nowhere.
 * @param find Where documents come from. Those that lie beside one that calls itself `https://a/b.json` are found under `https://a/` as well.
 */
export async function referredDocuments(
  schema: unknown,
  uri: string | undefined,
  find: FindSchema,
): Promise<ReferredDocuments> {
  const uris: string[] = [];
  const texts: string[] = [];
  const places: Place[] = [placeOf(schema, uri)];
  const own = new Set(namesOf(places[0]));
  const seen = new Set(own);
  let units = 0;
  let refersBack = false;
  let open: readonly string[] = references(schema, uri);
  refersBack = open.some((reference) => own.has(reference));
  while (open.length > 0) {
    const next: string[] = [];
    for (const reference of open) {
      if (seen.has(reference) || uris.length >= MOST_DOCUMENTS) continue;
      seen.add(reference);
      const found = await foundOrBeside(reference, places, find);
      if (found === undefined || units + found.text.length > MOST_UNITS) continue;
      const { json, text } = read(found.text);
      uris.push(reference);
      texts.push(text);
      units += text.length;
      places.push(placeOf(json, found.uri));
      next.push(...references(json, reference));
      refersBack ||= next.some((each) => own.has(each));
    }
    open = next;
  }
  return { documents: { uris, texts }, refersBack };
}

/** Where a document lies, and what it calls itself. */
interface Place {
  readonly uri: string | undefined;
  readonly id: string | undefined;
}

interface Found {
  readonly uri: string;
  readonly text: string;
}

async function foundOrBeside(
  reference: string,
  places: readonly Place[],
  find: FindSchema,
): Promise<Found | undefined> {
  const text = await find(reference);
  if (text !== undefined) return { uri: reference, text };
  for (const { uri, id } of places) {
    if (uri === undefined || id === undefined || uri === id) continue;
    const folder = folderOf(id);
    if (!reference.startsWith(folder) || reference === folder) continue;
    const beside = folderOf(uri) + reference.slice(folder.length);
    for (const candidate of beside.endsWith('.json') ? [beside] : [beside, `${beside}.json`]) {
      const other = await find(candidate);
      // A file of this name that calls itself something else is another schema.
      if (other !== undefined && isCalled(read(other).json, reference, candidate))
        return { uri: candidate, text: other };
    }
  }
  return undefined;
}

function isCalled(json: unknown, reference: string, uri: string): boolean {
  const id = idOf(json, uri);
  return id === undefined || schemaAddress(id) === schemaAddress(reference);
}

/** Its JSON, and it as JSON text; a text that is none stays as it is, for the engine to say what is wrong. */
function read(text: string): { readonly json: unknown; readonly text: string } {
  try {
    return { json: JSON.parse(text) as unknown, text };
  } catch {
    const parsed = parsedSchema(text);
    return parsed === undefined
      ? { json: undefined, text }
      : { json: parsed.schema, text: JSON.stringify(parsed.schema) };
  }
}

const folderOf = (uri: string): string => uri.slice(0, uri.lastIndexOf('/') + 1);

const placeOf = (json: unknown, uri: string | undefined): Place => ({ uri, id: idOf(json, uri) });

const namesOf = (place: Place | undefined): readonly string[] =>
  [place?.uri, place?.id].filter((name) => name !== undefined);

/** What a schema calls itself, absolute. */
function idOf(json: unknown, base: string | undefined): string | undefined {
  const name = schemaName(json);
  return name === undefined ? undefined : resolved(name, base);
}

/** Addresses that references anywhere in `value` lead to, but those within the same document. */
function references(value: unknown, base: string | undefined): string[] {
  const found = new Set<string>();
  const visit = (at: unknown, outer: string | undefined): void => {
    if (typeof at !== 'object' || at === null) return;
    const inner = Array.isArray(at) ? outer : (idOf(at, outer) ?? outer);
    for (const [key, part] of Object.entries(at)) {
      if (REFERENCES.has(key) && typeof part === 'string' && !part.startsWith('#')) {
        // Drafts differ in whether a name counts beside a reference.
        for (const from of [inner, outer]) {
          const uri = resolved(part, from);
          if (uri !== undefined) found.add(uri);
        }
      } else visit(part, inner);
    }
  };
  visit(value, base);
  return [...found];
}

const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
