/** JSON Schemas as programs use them for answers and settings, made up from a seed; each has a document. */
import type { SeededRandom } from '../random';

export type Schema = Readonly<Record<string, unknown>>;

const NAMES = [
  'name',
  'id',
  'kind',
  'tags',
  'size',
  'price',
  'owner',
  'email',
  'enabled',
  'created',
  'items',
  'options',
  'path',
  'version',
  'count',
  'status',
  'description',
  'parent',
] as const;
const WORDS = [
  'red',
  'green',
  'blue',
  'small',
  'large',
  'open',
  'closed',
  'draft',
  'final',
  'käse',
  'a b',
  '"',
];
/** Each with a text that it matches. */
export const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['^[a-z]{2,8}$', 'letters'],
  ['^v[0-9]+\\.[0-9]+$', 'v12.4'],
  ['^(get|set)[A-Z][a-z]+$', 'getName'],
  ['[0-9]{3}', 'room 204'],
  ['^[^:]+:[^:]+$', 'key:value'],
]);
/** Those that the validator reads as their standards do: of mail addresses it knows no quoted ones. */
const FORMATS = ['date', 'time', 'date-time', 'uuid', 'ipv4', 'hostname'] as const;
/** Objects and arrays in each other. */
const DEPTH = 3;

type Maker = (random: SeededRandom, depth: number) => Schema;

const pick = <T>(random: SeededRandom, items: readonly T[]): T => {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

const some = <T>(random: SeededRandom, items: readonly T[], least: number, most: number): T[] =>
  random.shuffled(items).slice(0, least + random.below(most - least + 1));

const SCALARS: readonly Maker[] = [
  (random) => ({ type: 'string', maxLength: 4 + random.below(30) }),
  (random) => ({ type: 'string', minLength: 1 + random.below(4), maxLength: 5 + random.below(100) }),
  (random) => ({ type: 'string', pattern: pick(random, [...PATTERNS.keys()]), maxLength: 24 }),
  (random) => ({ type: 'string', format: pick(random, FORMATS), maxLength: 40 }),
  (random) => ({ enum: some(random, [...WORDS, 1, 2.5, null, true], 2, 5) }),
  (random) => ({ const: pick(random, WORDS) }),
  (random) => ({ type: 'integer', minimum: -random.below(50), maximum: random.below(1_000) }),
  (random) => ({ type: 'number', exclusiveMinimum: 0, maximum: 1 + random.below(100), multipleOf: 0.25 }),
  () => ({ type: 'boolean' }),
  () => ({ type: ['boolean', 'null'] }),
];

const CONTAINERS: readonly Maker[] = [
  object,
  object,
  (random, depth) => ({ type: 'array', items: schema(random, depth + 1), maxItems: 1 + random.below(5) }),
  (random, depth) => ({
    type: 'array',
    prefixItems: [schema(random, depth + 1), schema(random, depth + 1)],
    items: false,
    minItems: random.below(3),
  }),
  (random, depth) => ({ anyOf: [schema(random, depth + 1), { type: 'integer', minimum: 0, maximum: 99 }] }),
  (random, depth) => ({
    allOf: [object(random, depth), { type: 'object', minProperties: 1, maxProperties: 8 }],
  }),
];

function object(random: SeededRandom, depth: number): Schema {
  const names = some(random, NAMES, 1, 5);
  const properties = Object.fromEntries(names.map((name) => [name, schema(random, depth + 1)]));
  const required = names.filter(() => random.below(2) === 0);
  return { type: 'object', properties, required, additionalProperties: false };
}

function schema(random: SeededRandom, depth: number): Schema {
  const makers = depth < DEPTH && random.below(3) === 0 ? CONTAINERS : SCALARS;
  return pick(random, makers)(random, depth);
}

/** Much of a message with a fixed frame is known before the model says anything: names of members, constants. */
function envelope(random: SeededRandom): Schema {
  const frame = (name: string, value: Schema): Schema => ({
    type: 'object',
    properties: { [name]: value },
    required: [name],
    additionalProperties: false,
  });
  const content: Schema = {
    type: 'array',
    prefixItems: [
      { const: 'application/vnd.emberline.answer+json; version=1' },
      pick(random, SCALARS)(random, DEPTH),
    ],
    items: false,
    minItems: 2,
  };
  return frame('structured_response', frame('conversation_message', content));
}

/** An object at the top; every document of it is finite, most are short. One in four is an envelope. */
export function randomSchema(random: SeededRandom): Schema {
  return random.below(4) === 0 ? envelope(random) : object(random, 0);
}
