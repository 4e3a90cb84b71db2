/**
 * Documents for schemas that come without any: made up along the schema, members in its order. No more than a try: what a
 * validator does not accept is left out, so that keywords which are rare need no care here.
 */
import Ajv, { type AnySchema, type ValidateFunction } from 'ajv';
import Ajv2019 from 'ajv/dist/2019';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { SeededRandom } from '../random';
import { PATTERNS } from './random_schemas';

type Members = Readonly<Record<string, unknown>>;

const FORMATS: Readonly<Record<string, string>> = {
  date: '2024-05-17',
  time: '10:20:30Z',
  'date-time': '2024-05-17T10:20:30.250Z',
  duration: 'P3DT4H',
  email: 'ada.lovelace@example.org',
  hostname: 'mail.example.org',
  ipv4: '192.0.2.17',
  ipv6: '2001:db8::17',
  uri: 'https://example.org/path?query=1#part',
  iri: 'https://example.org/weg?name=käse',
  'uri-reference': '../path/to/it',
  'iri-reference': '../über/uns',
  uuid: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  regex: '^[a-z]+$',
  'json-pointer': '/path/0/to',
};
const TEXTS = [
  'a few words',
  'name',
  'A sentence that goes on for a while, as descriptions do: with commas, and "quotes".',
  'src/index.ts',
  'café',
  '1.20.3',
  '#ff8800',
  'key:value',
  '12345',
];
/** Objects, arrays and references in each other. */
const DEPTH = 10;
/** From here on only what is required. */
const SHORT_DEPTH = 4;
const TRIES = 12;

/** A check of documents by an independent implementation; undefined where that cannot read the schema. */
export function validatorOf(schema: unknown): ValidateFunction | undefined {
  const text = isMembers(schema) && typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  const options = { strict: false, logger: false, validateSchema: false } as const;
  const validator = /draft-0[3-7]/.test(text)
    ? new Ajv(options)
    : text.includes('2019-09')
      ? new Ajv2019(options)
      : new Ajv2020(options);
  try {
    addFormats(validator);
    return validator.compile(unnamed(schema));
  } catch {
    return undefined;
  }
}

/** Without what names it: of a name that the validator has itself there cannot be another. */
function unnamed(schema: unknown): AnySchema {
  if (!isMembers(schema)) return schema as AnySchema;
  return Object.fromEntries(
    Object.entries(schema).filter(([key]) => !['$schema', '$id', 'id'].includes(key)),
  );
}

/** At most `most` different valid documents, as JSON. */
export function documentsOf(schema: unknown, random: SeededRandom, most: number): string[] {
  const valid = validatorOf(schema);
  const documents = new Set<string>();
  if (valid === undefined) return [];
  for (let round = 0; round < most * TRIES && documents.size < most; round++) {
    const document = new Maker(schema, random).make(schema, 0);
    if (document !== undefined && valid(document)) documents.add(JSON.stringify(document));
  }
  return [...documents];
}

class Maker {
  private readonly root: unknown;
  private readonly random: SeededRandom;

  constructor(root: unknown, random: SeededRandom) {
    this.root = root;
    this.random = random;
  }

  /** Undefined where nothing is found. */
  make(schema: unknown, depth: number): unknown {
    if (schema === true || schema === undefined) return this.pick(TEXTS);
    if (!isMembers(schema) || depth > DEPTH) return undefined;
    const whole = this.flat(schema, depth);
    if (whole === undefined) return undefined;
    if ('const' in whole) return whole['const'];
    if (Array.isArray(whole['enum'])) return this.pick(whole['enum'] as unknown[]);
    switch (this.typeOf(whole)) {
      case 'object':
        return this.object(whole, depth);
      case 'array':
        return this.array(whole, depth);
      case 'integer':
      case 'number':
        return this.number(whole);
      case 'boolean':
        return this.random.below(2) === 0;
      case 'null':
        return null;
      default:
        return this.text(whole);
    }
  }

  /** What the schema says together with what it refers to and one of its branches. */
  private flat(schema: Members, depth: number): Members | undefined {
    if (depth > DEPTH) return undefined;
    const { $ref, allOf, anyOf, oneOf, ...rest } = schema;
    const parts: unknown[] = [rest];
    if (typeof $ref === 'string') parts.push(resolved(this.root, $ref));
    if (Array.isArray(allOf)) parts.push(...(allOf as unknown[]));
    if (Array.isArray(anyOf)) parts.push(this.pick(anyOf as unknown[]));
    if (Array.isArray(oneOf)) parts.push(this.pick(oneOf as unknown[]));
    if (parts.length === 1) return rest;
    let whole: Members = {};
    for (const part of parts) {
      if (part === true) continue;
      const flat = isMembers(part) ? (part === rest ? rest : this.flat(part, depth + 1)) : undefined;
      if (flat === undefined) return undefined;
      whole = merged(whole, flat);
    }
    return whole;
  }

  private typeOf({ type, properties, required, items, prefixItems, ...rest }: Members): unknown {
    if (Array.isArray(type)) return this.pick(type as unknown[]);
    if (type !== undefined) return type;
    if (properties !== undefined || required !== undefined || 'additionalProperties' in rest) return 'object';
    if (items !== undefined || prefixItems !== undefined) return 'array';
    return 'minimum' in rest || 'maximum' in rest ? 'number' : 'string';
  }

  private object(schema: Members, depth: number): Members | undefined {
    const properties = isMembers(schema['properties']) ? schema['properties'] : {};
    const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
    const often = Object.keys(properties).length > 20 ? 6 : 2;
    const object: Record<string, unknown> = {};
    for (const key of new Set([...Object.keys(properties), ...required])) {
      const needed = required.includes(key);
      if (!needed && (depth >= SHORT_DEPTH || this.random.below(often) !== 0)) continue;
      const value = this.make(properties[key], depth + 1);
      if (value !== undefined) object[key] = value;
      else if (needed) return undefined;
    }
    const least = numberOf(schema['minProperties'], 0);
    for (let more = 0; Object.keys(object).length < least; more++) {
      const value = this.make(schema['additionalProperties'], depth + 1);
      if (value === undefined) return undefined;
      object[`member ${more}`] = value;
    }
    return object;
  }

  private array(schema: Members, depth: number): unknown[] | undefined {
    const written = schema['prefixItems'] ?? schema['items'];
    const prefix = Array.isArray(written) ? (written as unknown[]) : [];
    const rest = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
    const least = numberOf(schema['minItems'], 0);
    const more = rest === false ? prefix.length : Math.max(least, prefix.length) + 3;
    const most = Math.min(numberOf(schema['maxItems'], Infinity), depth >= SHORT_DEPTH ? least : more);
    const count = least + this.random.below(Math.max(0, most - least) + 1);
    const items = Array.from({ length: count }, (_, index) => this.make(prefix[index] ?? rest, depth + 1));
    return items.includes(undefined) ? undefined : items;
  }

  private number(schema: Members): number {
    const step = numberOf(schema['multipleOf'], this.typeOf(schema) === 'integer' ? 1 : 0.5);
    const least = numberOf(schema['minimum'], numberOf(schema['exclusiveMinimum'], -100));
    const most = numberOf(schema['maximum'], numberOf(schema['exclusiveMaximum'], least + 1_000));
    const first = Math.ceil(least / step);
    return step * (first + this.random.below(Math.max(1, Math.floor(most / step) - first + 1)));
  }

  private text(schema: Members): string {
    const { format, pattern } = schema;
    if (typeof pattern === 'string') return PATTERNS.get(pattern) ?? this.pick(TEXTS);
    if (typeof format === 'string') return FORMATS[format] ?? this.pick(TEXTS);
    const text = this.pick(TEXTS).padEnd(numberOf(schema['minLength'], 0), ' and more');
    return text.slice(0, numberOf(schema['maxLength'], Infinity));
  }

  private pick<T>(items: readonly T[]): T {
    return items[this.random.below(items.length)] as T;
  }
}

function merged(one: Members, other: Members): Members {
  const both: Record<string, unknown> = { ...one, ...other };
  if (isMembers(one['properties']) && isMembers(other['properties'])) {
    both['properties'] = { ...one['properties'], ...other['properties'] };
  }
  if (Array.isArray(one['required']) && Array.isArray(other['required'])) {
    both['required'] = [...(one['required'] as unknown[]), ...(other['required'] as unknown[])];
  }
  return both;
}

/** What a reference within the schema means (RFC 6901 in a fragment); undefined of any other. */
export function resolved(root: unknown, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let place = root;
  for (const part of reference.split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    place = typeof place === 'object' && place !== null ? (place as Members)[key] : undefined;
  }
  return place;
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numberOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
