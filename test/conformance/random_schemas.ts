/** Small random JSON Schemas, and documents that are near to them: over few keys and values, so that keywords meet. */
import { SeededRandom } from '../../bench/random';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}
type Schema = boolean | JsonObject;

export type Dialect = 'draft7' | '2020-12';

export const DIALECTS: Readonly<Record<Dialect, string>> = {
  draft7: 'http://json-schema.org/draft-07/schema#',
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
};

const KEYS = ['a', 'b', 'ab', 'c'];
const TEXTS = ['', 'a', 'b', 'ab', 'ba', 'aab', 'é', '😀b'];
const NUMBERS = [-2, -1, 0, 0.5, 1, 1.5, 2, 3, 4, 6];
const PATTERNS = ['^a', 'b$', '^[ab]*$', '^(a|ab)$', 'a', '^.{2}$', '^$|b'];
const TYPES = ['null', 'boolean', 'integer', 'number', 'string', 'object', 'array'];
const DEPTH = 3;

/** What schemas and documents are drawn with. */
export class Random extends SeededRandom {
  /** True once in `n`. */
  once(n: number): boolean {
    return this.below(n) === 0;
  }
  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }
  some<T>(from: readonly T[], most: number): T[] {
    return [...new Set(Array.from({ length: 1 + this.below(most) }, () => this.pick(from)))];
  }
}

/** Any document, over the keys and values that schemas speak of. */
function randomDocument(random: Random, depth = 2): Json {
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
      return random.pick([null, true, false]);
    case 1:
    case 2:
      return random.pick(NUMBERS);
    case 3:
    case 4:
      return random.pick(TEXTS);
    case 5:
      return Array.from({ length: random.below(4) }, () => randomDocument(random, depth - 1));
    default:
      return randomObject(random, (): Json => randomDocument(random, depth - 1));
  }
}

function randomObject(random: Random, value: (key: string) => Json): JsonObject {
  const object: JsonObject = {};
  for (let i = random.below(4); i > 0; --i) {
    const key = random.pick(KEYS);
    object[key] = value(key);
  }
  return object;
}

export class RandomSchemas {
  private refers = true;

  private readonly random: Random;
  private readonly dialect: Dialect;

  constructor(random: Random, dialect: Dialect) {
    this.random = random;
    this.dialect = dialect;
  }

  /** A whole schema, with what it refers to. */
  root(): JsonObject {
    const schema = this.object(DEPTH);
    const definitions = this.dialect === 'draft7' ? 'definitions' : '$defs';
    return {
      $schema: DIALECTS[this.dialect],
      ...schema,
      [definitions]: this.definitions(),
    };
  }

  /** A document that follows some of what `schema` says, or none. */
  near(schema: Json | undefined, depth = 3): Json {
    const { random } = this;
    if (
      depth === 0 ||
      random.once(5) ||
      schema === null ||
      typeof schema !== 'object' ||
      Array.isArray(schema)
    )
      return randomDocument(random);
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const branches = schema[keyword];
      if (Array.isArray(branches) && random.once(2)) {
        const near = this.near(random.pick(branches), depth - 1);
        const rest = this.near({ ...schema, [keyword]: true }, depth - 1);
        return isObject(near) && isObject(rest) ? { ...rest, ...near } : near;
      }
    }
    if (Array.isArray(schema['enum']) && !random.once(4)) return random.pick(schema['enum']);
    if (schema['const'] !== undefined && !random.once(4)) return schema['const'];
    const type = schema['type'];
    const kind = Array.isArray(type)
      ? random.pick(type)
      : typeof type === 'string'
        ? type
        : this.kindOf(schema);
    switch (kind) {
      case 'object': {
        const properties = isObject(schema['properties']) ? schema['properties'] : {};
        const others = schema['additionalProperties'];
        const value = (key: string): Json => this.near(properties[key] ?? others, depth - 1);
        const object = randomObject(random, value);
        if (Array.isArray(schema['required']))
          for (const key of schema['required']) if (typeof key === 'string') object[key] = value(key);
        return object;
      }
      case 'array': {
        const prefix = schema['prefixItems'] ?? schema['items'];
        const rest = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
        const items = Array.isArray(prefix) ? prefix : [];
        const length = random.below(4) + (typeof schema['minItems'] === 'number' ? schema['minItems'] : 0);
        const array = Array.from({ length }, (_, i) => this.near(items[i] ?? rest, depth - 1));
        // An item once more, written the other way round.
        if (schema['uniqueItems'] === true && array.length > 0 && random.once(3))
          array.push(reversed(random.pick(array)));
        return array;
      }
      case 'string':
        return random.pick(TEXTS);
      case 'integer':
      case 'number':
        return random.pick(NUMBERS);
      default:
        return randomDocument(random, 1);
    }
  }

  private kindOf(schema: JsonObject): string {
    if (schema['properties'] !== undefined || schema['required'] !== undefined) return 'object';
    if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array';
    return 'any';
  }

  private schema(depth: number): Schema {
    if (this.random.once(12)) return !this.random.once(3);
    return this.object(depth);
  }

  private object(depth: number): JsonObject {
    const { random } = this;
    const schema: JsonObject = {};
    if (!random.once(3)) schema['type'] = random.once(4) ? random.some(TYPES, 3) : random.pick(TYPES);
    for (let parts = 1 + random.below(3); parts > 0; --parts) {
      if (this.dialect === 'draft7' && schema['$ref'] !== undefined) break;
      const choice = random.below(depth > 0 ? 11 : 4);
      if (choice === 0) this.values(schema);
      else if (choice === 1) this.numbers(schema);
      else if (choice === 2) this.strings(schema);
      else if (choice === 3) this.counts(schema);
      else if (choice <= 6) this.properties(schema, depth - 1);
      else if (choice <= 8) this.items(schema, depth - 1);
      else this.combined(schema, depth - 1);
    }
    return schema;
  }

  private values(schema: JsonObject): void {
    const { random } = this;
    if (random.once(2)) schema['const'] = randomDocument(random, 1);
    else {
      const values = Array.from({ length: 1 + random.below(4) }, () => randomDocument(random, 1));
      // Each once, whatever the order of its members.
      const distinct = new Map(values.map((value) => [spelling(value), value]));
      schema['enum'] = [...distinct.values()];
    }
  }

  private numbers(schema: JsonObject): void {
    const { random } = this;
    if (random.once(2)) schema[random.pick(['minimum', 'exclusiveMinimum'])] = random.pick(NUMBERS);
    if (random.once(2)) schema[random.pick(['maximum', 'exclusiveMaximum'])] = random.pick(NUMBERS);
    if (random.once(3)) schema['multipleOf'] = random.pick([0.5, 1, 2, 3]);
  }

  private strings(schema: JsonObject): void {
    const { random } = this;
    if (random.once(3)) schema['minLength'] = random.below(4);
    if (random.once(3)) schema['maxLength'] = random.below(4);
    if (random.once(2)) schema['pattern'] = random.pick(PATTERNS);
  }

  private counts(schema: JsonObject): void {
    const { random } = this;
    if (random.once(2)) schema[random.pick(['minProperties', 'minItems'])] = random.below(3);
    if (random.once(2)) schema[random.pick(['maxProperties', 'maxItems'])] = random.below(4);
    if (random.once(2)) schema['required'] = random.some(KEYS, 2);
  }

  private properties(schema: JsonObject, depth: number): void {
    const { random, dialect } = this;
    const map = (keys: string[]): JsonObject =>
      Object.fromEntries(keys.map((key) => [key, this.schema(depth)]));
    if (!random.once(4)) schema['properties'] = map(random.some(KEYS, 3));
    if (random.once(4)) schema['patternProperties'] = map(random.some(PATTERNS, 2));
    if (random.once(3)) schema['additionalProperties'] = random.once(2) ? false : this.schema(depth);
    if (random.once(3)) schema['required'] = random.some(KEYS, 2);
    if (random.once(8))
      schema['propertyNames'] = random.pick<Json>([
        { maxLength: 1 },
        { pattern: '^a' },
        { enum: ['a', 'b'] },
        { not: { const: 'a' } },
      ]);
    if (random.once(6)) {
      const lists = { [random.pick(KEYS)]: random.some(KEYS, 2) };
      schema[dialect === 'draft7' ? 'dependencies' : 'dependentRequired'] = lists;
    } else if (random.once(8)) {
      const schemas = map([random.pick(KEYS)]);
      schema[dialect === 'draft7' ? 'dependencies' : 'dependentSchemas'] = schemas;
    }
    if (dialect !== 'draft7' && random.once(8))
      schema['unevaluatedProperties'] = random.once(2) ? false : this.schema(0);
  }

  private items(schema: JsonObject, depth: number): void {
    const { random, dialect } = this;
    if (schema['contains'] !== undefined) return;
    const prefix = (): Json => Array.from({ length: 1 + random.below(2) }, () => this.schema(depth));
    if (dialect === 'draft7' && random.once(3)) {
      schema['items'] = prefix();
      if (random.once(2)) schema['additionalItems'] = this.schema(depth);
    } else {
      if (dialect !== 'draft7' && random.once(3)) schema['prefixItems'] = prefix();
      if (!random.once(3)) schema['items'] = this.schema(depth);
    }
    // Not beside a tuple: of an empty array ajv 8.20 then says what it said of the last item it looked at.
    const tuple = schema['prefixItems'] !== undefined || Array.isArray(schema['items']);
    if (random.once(5) && !tuple) {
      schema['contains'] = this.schema(0);
      if (dialect !== 'draft7' && random.once(3)) schema['minContains'] = random.below(3);
      if (dialect !== 'draft7' && random.once(3)) schema['maxContains'] = 1 + random.below(2);
    }
    if (random.once(6)) {
      schema['uniqueItems'] = true;
      if (random.once(2))
        schema['items'] = { type: random.some(['string', 'integer', 'null', 'boolean'], 2) };
    }
    if (dialect !== 'draft7' && random.once(10)) schema['unevaluatedItems'] = this.schema(0);
  }

  private combined(schema: JsonObject, depth: number): void {
    const { random } = this;
    const several = (): Json => Array.from({ length: 1 + random.below(3) }, () => this.schema(depth));
    switch (random.below(7)) {
      case 0:
        schema['allOf'] = several();
        break;
      case 1:
        schema['anyOf'] = several();
        break;
      case 2:
      case 3:
        schema['oneOf'] = several();
        break;
      case 4:
        schema['not'] = this.schema(depth);
        break;
      case 5:
        schema['if'] = this.schema(depth);
        if (!random.once(3)) schema['then'] = this.schema(depth);
        if (!random.once(3)) schema['else'] = this.schema(depth);
        break;
      default:
        if (!this.refers) break;
        // Up to draft 7 nothing beside a reference counts, but to ajv.
        if (this.dialect === 'draft7' && Object.keys(schema).length > 0) break;
        schema['$ref'] =
          `#/${this.dialect === 'draft7' ? 'definitions' : '$defs'}/${random.pick(['d', 'r'])}`;
    }
  }

  /** What refers to itself does so for values within, so that validators come to an end. */
  private definitions(): JsonObject {
    this.refers = false;
    return { d: this.schema(1), r: this.recursive() };
  }

  /** A list of lists, or a tree of objects. */
  private recursive(): Schema {
    const self = { $ref: `#/${this.dialect === 'draft7' ? 'definitions' : '$defs'}/r` };
    if (this.random.once(2)) return { anyOf: [this.object(0), { type: 'array', items: self }] };
    return { type: 'object', properties: { a: self, b: this.schema(0) }, additionalProperties: false };
  }
}

/** The same value, with the members of its objects in the other order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, each]): [string, Json] => [key, reversed(each)]);
  return Object.fromEntries(members.reverse());
}

/** Equal values have the same, as the keys of all objects come from KEYS. */
function spelling(value: Json): string {
  return JSON.stringify(value, isObject(value) ? KEYS : undefined);
}

function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
