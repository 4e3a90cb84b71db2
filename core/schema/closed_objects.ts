/**
 * Which keys to offer. Most schemas list the properties they know and let any other pass, so that every key would be as good as
 * another. For suggestions an object that lists properties, and says nothing of others, takes those alone.
 *
 * A document that follows the narrower schema has to follow the schema itself. So objects stay as they are wherever taking less
 * could mean accepting more: below `not`, `if`, `oneOf` and the like, by whatever reference they get there; and where their
 * properties are listed in several places (`allOf`, `$ref` beside `properties`), which would shut one another out.
 */

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}

/** Keywords whose schemas hold for what is in an object or an array, one by one. */
const WITHIN_ONE = [
  'additionalProperties',
  'items',
  'additionalItems',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const WITHIN_MANY = ['properties', 'patternProperties', 'prefixItems', 'items'];
/** Keywords whose schemas hold for the same value as the schema they stand in. */
const BESIDE = ['allOf', 'anyOf'];
/** Keywords that only hold definitions. */
const DEFINITIONS = ['$defs', 'definitions'];
/** Keywords beside which an object is not described in one place. */
const MERGING = [
  ...['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['dependencies', 'dependentSchemas', 'additionalProperties', 'unevaluatedProperties'],
  ...['propertyNames'],
];
/** A schema with one of these may be referred to in ways that are not followed here. */
const NAMING = ['$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef'];

/**
 * @param schema A JSON Schema.
 * @param known Keys that stay allowed everywhere: those the document has.
 * @returns The schema for suggestions; the same one where nothing can be narrowed.
 */
export function withClosedObjects(schema: unknown, known: ReadonlySet<string>): unknown {
  if (!isObject(schema)) return schema;
  const plan = new Plan(schema);
  if (!plan.follows) return schema;
  return rewritten(schema, plan.closed, known);
}

/** Which objects of a schema are closed. */
class Plan {
  /** False where references cannot be followed. */
  readonly follows: boolean;
  private readonly root: JsonObject;
  private readonly seen = new Set<JsonObject>();
  private readonly merged = new Set<JsonObject>();
  private readonly left = new Set<JsonObject>();

  constructor(root: JsonObject) {
    this.root = root;
    this.follows = !names(root, true);
    if (this.follows) this.visit(root, false);
  }

  readonly closed = (schema: JsonObject): boolean =>
    this.seen.has(schema) && !this.left.has(schema) && !this.merged.has(schema) && closable(schema);

  /** @param merged Whether another schema describes the same value. */
  private visit(schema: Json | undefined, merged: boolean): void {
    if (!isObject(schema)) return;
    const known = this.seen.has(schema);
    if (known && (!merged || this.merged.has(schema))) return;
    this.seen.add(schema);
    if (merged) this.merged.add(schema);
    const { $ref } = schema;
    const alone = !Object.keys(schema).some((key) => key !== '$ref' && key !== 'anyOf' && describes(key));
    if (typeof $ref === 'string')
      this.visit(this.target($ref), merged || !alone || BESIDE.some((key) => key in schema));
    for (const key of BESIDE) {
      const only = alone && key === 'anyOf' && $ref === undefined;
      for (const branch of listOf(schema[key])) this.visit(branch, merged || !only);
    }
    for (const key of WITHIN_ONE) this.visit(schema[key], false);
    for (const key of WITHIN_MANY)
      for (const part of valuesOf(schema[key], key !== 'items')) this.visit(part, false);
    for (const [key, value] of Object.entries(schema)) {
      if (!FOLLOWED.has(key)) this.leave(value);
    }
  }

  /** Nothing below is closed. */
  private leave(value: Json | undefined): void {
    if (Array.isArray(value)) for (const item of value as readonly Json[]) this.leave(item);
    if (!isObject(value) || this.left.has(value)) return;
    this.left.add(value);
    for (const [key, part] of Object.entries(value)) {
      if (key === '$ref' && typeof part === 'string') this.leave(this.target(part));
      else this.leave(part);
    }
  }

  private target(reference: string): Json | undefined {
    if (reference === '#') return this.root;
    if (!reference.startsWith('#/')) return undefined;
    let at: Json | undefined = this.root;
    for (const part of reference.slice(2).split('/')) {
      const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
      at = Array.isArray(at) ? (at as readonly Json[])[Number(key)] : isObject(at) ? at[key] : undefined;
    }
    return at;
  }
}

const FOLLOWED = new Set([...WITHIN_ONE, ...WITHIN_MANY, ...BESIDE, ...DEFINITIONS, '$ref']);
/** Keywords that say nothing about a value. */
const SILENT = new Set([
  ...[
    '$schema',
    '$id',
    'id',
    '$comment',
    'title',
    'description',
    'default',
    'examples',
    'deprecated',
    'readOnly',
  ],
  ...['writeOnly', 'markdownDescription', 'defaultSnippets', 'enumDescriptions', 'type', ...DEFINITIONS],
]);

const describes = (keyword: string): boolean => !SILENT.has(keyword);

function closable(schema: JsonObject): boolean {
  const { properties } = schema;
  return isObject(properties) && Object.keys(properties).length > 0 && !MERGING.some((key) => key in schema);
}

function rewritten(value: Json, closed: (schema: JsonObject) => boolean, known: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => rewritten(item, closed, known));
  if (!isObject(value)) return value;
  const parts = Object.entries(value).map(([key, part]) => [key, rewritten(part, closed, known)] as const);
  const copy: JsonObject = Object.fromEntries(parts);
  if (!closed(value)) return copy;
  const others = pattern(known, value['properties']);
  return {
    ...copy,
    ...(others === undefined ? {} : { patternProperties: { ...patternsOf(copy), [others]: true } }),
    additionalProperties: false,
  };
}

function patternsOf({ patternProperties }: JsonObject): JsonObject {
  return isObject(patternProperties) ? patternProperties : {};
}

/** A regular expression of just these texts but those that are listed. */
function pattern(texts: ReadonlySet<string>, listed: Json | undefined): string | undefined {
  const others = [...texts].filter((text) => !isObject(listed) || !Object.hasOwn(listed, text)).sort();
  if (others.length === 0) return undefined;
  return `^(?:${others.map((text) => text.replace(/[\^$\\.*+?()[\]{}|/]/g, '\\$&')).join('|')})$`;
}

/** True where something in it goes by a name of its own, other than the whole. */
function names(value: Json, root: boolean): boolean {
  if (Array.isArray(value)) return (value as readonly Json[]).some((item) => names(item, false));
  if (!isObject(value)) return false;
  const { $id, id } = value;
  if (!root && (typeof $id === 'string' || (typeof id === 'string' && id.startsWith('#')))) return true;
  if (NAMING.some((key) => typeof value[key] === 'string')) return true;
  return Object.values(value).some((part) => names(part, false));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const listOf = (value: Json | undefined): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];

/** @param named Whether the schemas are in an object by name; else in a list. */
function valuesOf(value: Json | undefined, named: boolean): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[];
  return named && isObject(value) ? Object.values(value) : [];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
