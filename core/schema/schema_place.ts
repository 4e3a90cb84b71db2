/**
 * Which schema belongs to a document. In this order: the one it names itself (`$schema`), the user's setting json.schemas, the ones
 * that come with Emberline, what installed extensions contribute (which for well-known files is often a part alone: VS Code
 * puts several together). Nothing is ever fetched: an address on the network stands for a schema that is here under
 * that address, or for none.
 */
import { matchesAny } from '../completion/path_patterns';
import { BUNDLED_SCHEMAS } from './bundled';

/** A schema for files of some names. */
export interface SchemaAssociation {
  /** As VS Code's `fileMatch` has them: `*.rc.json` in any folder, `/.vscode/settings.json`, `!package.json`. */
  readonly fileMatch: readonly string[];
  /** Absolute; undefined where there is only the schema itself. */
  readonly url: string | undefined;
  /** The schema, where it stands beside the patterns. */
  readonly schema?: unknown;
  /** Whether the user chose it; such a one is not passed over when it is not on this machine. */
  readonly chosen: boolean;
}

export type SchemaPlace =
  /** `url`: where it would lie; undefined where it lies nowhere. */
  | {
      readonly kind: 'here';
      readonly name: string;
      readonly schema: unknown;
      readonly url: string | undefined;
    }
  /** A URI with a scheme of a file system. */
  | { readonly kind: 'file'; readonly uri: string }
  | { readonly kind: 'elsewhere'; readonly url: string };

/** What of a document matters here. */
export interface SchemaDocument {
  readonly uri: string;
  /** From the root, with forward slashes. */
  readonly fullPath: string;
  /** Its own `$schema`. */
  readonly schema: string | undefined;
}

/** What is not on this machine, or no file. */
const NOT_FILES = /^(?:(?:https?|vscode|ftp|urn|tag|data):|file:\/\/[^/])/i;

export function schemaPlace(
  document: SchemaDocument,
  associations: readonly SchemaAssociation[],
): SchemaPlace | undefined {
  if (document.schema !== undefined) {
    const url = absolute(document.schema, document.uri);
    return url === undefined ? undefined : placeOf(url, associations);
  }
  const chosen = associations.filter((one) => one.chosen);
  const contributed = associations.filter((one) => !one.chosen);
  const own = fitting(document.fullPath, chosen, associations).at(0);
  if (own !== undefined) return own;
  const known = BUNDLED_SCHEMAS.find(({ fileMatch }) => matches(document.fullPath, fileMatch));
  if (known !== undefined) return { kind: 'here', name: known.name, schema: known.schema, url: undefined };
  // What an extension says of a file that it does not have is no reason to have none.
  const others = fitting(document.fullPath, contributed, associations);
  return others.find(({ kind }) => kind !== 'elsewhere');
}

/** Where the schemas of those that fit are. */
function fitting(
  path: string,
  candidates: readonly SchemaAssociation[],
  associations: readonly SchemaAssociation[],
): readonly SchemaPlace[] {
  return candidates
    .filter(({ fileMatch }) => matches(path, fileMatch))
    .flatMap(({ url, schema }): readonly SchemaPlace[] => {
      if (schema !== undefined) return [{ kind: 'here', name: url ?? 'json.schemas', schema, url }];
      return url === undefined ? [] : [placeOf(url, associations)];
    });
}

/** `reference` as seen from `base`; undefined where it makes no address. A fragment is left out. */
export function absolute(reference: string, base: string): string | undefined {
  return reference.startsWith('#') ? undefined : resolved(reference, base);
}

/** `reference` as seen from `base`, without fragment; undefined where it makes no address. */
export function resolved(reference: string, base: string | undefined): string | undefined {
  try {
    const url = new URL(reference, base);
    url.hash = '';
    return url.href;
  } catch {
    return undefined;
  }
}

/** Where the schema of an address is. */
export function placeOf(url: string, associations: readonly SchemaAssociation[]): SchemaPlace {
  const given = associations.find((one) => one.url === url && one.schema !== undefined);
  if (given !== undefined) return { kind: 'here', name: url, schema: given.schema, url };
  if (isFile(url)) return { kind: 'file', uri: url };
  const address = schemaAddress(url);
  const known = BUNDLED_SCHEMAS.find(({ addresses }) => addresses.includes(address));
  if (known === undefined) return { kind: 'elsewhere', url };
  return { kind: 'here', name: known.name, schema: known.schema, url };
}

/** What different ways to write the address of one schema have in common: no scheme, no `www.` or `json.`, no `.json`. */
export function schemaAddress(url: string): string {
  return url.replace(/^\w+:\/\/(?:www\.|json\.)?/i, '').replace(/(?:\.json)?[#/]*$/, '');
}

/** Whether an address is one of a file system. */
export function isFile(url: string): boolean {
  return !NOT_FILES.test(url);
}

/** The last pattern that says anything decides. */
function matches(path: string, patterns: readonly string[]): boolean {
  let matched = false;
  for (const pattern of patterns) {
    const negated = pattern.startsWith('!');
    if (negated !== matched) continue;
    const bare = negated ? pattern.slice(1) : pattern;
    if (matchesAny(path, [inAnyFolder(bare)])) matched = !negated;
  }
  return matched;
}

function inAnyFolder(pattern: string): string {
  const bare = pattern.replace(/^\//, '');
  return pattern.includes('/') && !bare.startsWith('**/') ? `**/${bare}` : bare;
}
