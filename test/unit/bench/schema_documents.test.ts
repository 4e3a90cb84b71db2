import { describe, expect, it } from 'vitest';
import { evenly, listSchema } from '../../../bench/grammar/grammar_cases';
import { inSchemaOrder } from '../../../bench/grammar/member_order';
import { randomSchema } from '../../../bench/grammar/random_schemas';
import { documentsOf, resolved, validatorOf } from '../../../bench/grammar/schema_documents';
import { vocabularyText } from '../../../bench/grammar/vocabulary_file';
import { SeededRandom } from '../../../bench/random';

describe('documents along a schema', () => {
  it('conform, and most random schemas have some', () => {
    const random = new SeededRandom(3);
    let without = 0;
    for (let round = 0; round < 40; round++) {
      const schema = randomSchema(random);
      const documents = documentsOf(schema, random, 3);
      const valid = validatorOf(schema);
      for (const document of documents) expect(valid?.(JSON.parse(document))).toBe(true);
      expect(new Set(documents).size).toBe(documents.length);
      if (documents.length === 0) without++;
    }
    expect(without).toBeLessThan(3);
  });

  it('follow references and choose branches', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: { one: { type: 'integer', minimum: 3, maximum: 3 } },
      type: 'array',
      items: [{ $ref: '#/definitions/one' }, { oneOf: [{ const: 'a' }, { const: 'b' }] }],
      additionalItems: false,
      minItems: 2,
    };
    expect(documentsOf(schema, new SeededRandom(1), 5).sort()).toEqual(['[3,"a"]', '[3,"b"]']);
  });

  it('are none of a schema that nothing conforms to, or that refers elsewhere', () => {
    expect(documentsOf({ type: 'string', minLength: 3, maxLength: 2 }, new SeededRandom(1), 2)).toEqual([]);
    expect(documentsOf({ $ref: 'https://example.org/other.json' }, new SeededRandom(1), 2)).toEqual([]);
  });
});

describe('references within a schema', () => {
  it('are pointers', () => {
    const schema = { $defs: { 'a/b': { '~': [1, 2] } } };
    expect(resolved(schema, '#')).toBe(schema);
    expect(resolved(schema, '#/$defs/a~1b/~0/1')).toBe(2);
    expect(resolved(schema, '#/missing/further')).toBeUndefined();
    expect(resolved(schema, 'other.json#/a')).toBeUndefined();
  });
});

describe("the schema's order of members", () => {
  const schema = {
    properties: { first: {}, second: { $ref: '#/$defs/inner' } },
    allOf: [{ properties: { third: { items: { $ref: '#/$defs/inner' } } } }],
    additionalProperties: { $ref: '#/$defs/inner' },
    $defs: { inner: { properties: { a: {}, b: {} } } },
  };

  it('is that of references, branches, items and other members too', () => {
    const document =
      '{"more":{"b":1,"a":2},"third":[{"b":1,"a":2},4],"second":{"x":0,"b":1,"a":2},"first":5}';
    expect(inSchemaOrder(schema, document)).toBe(
      '{"first":5,"second":{"a":2,"b":1,"x":0},"third":[{"a":2,"b":1},4],"more":{"a":2,"b":1}}',
    );
  });

  it('leaves everything else as it is', () => {
    expect(inSchemaOrder(true, '{"b":[1,"x",null],"a":{}}')).toBe('{"b":[1,"x",null],"a":{}}');
  });
});

describe('the schema of a list by its places', () => {
  it('allows fewer and no more, in either draft', () => {
    for (const second of [{ type: 'boolean' }, { type: 'array', items: [{ const: true }] }]) {
      const valid = validatorOf(listSchema([{ const: 1 }, second]));
      const documents = [[], [1], [2], [1, 'x'], [1, second.type === 'array' ? [true] : true], [1, true, 3]];
      expect(documents.map((document) => valid?.(document))).toEqual([true, true, false, false, true, false]);
    }
  });
});

describe('a choice of so many', () => {
  it('is from everywhere', () => {
    const items = Array.from({ length: 10 }, (_, index) => index);
    expect(evenly(items, 5)).toEqual([0, 2, 4, 6, 8]);
    expect(evenly(items, 3)).toHaveLength(3);
    expect(evenly(items, 20)).toEqual(items);
  });
});

describe("a vocabulary's file", () => {
  it('has the bytes of each token, none of those without text', () => {
    expect(vocabularyText([undefined, 'a', 'Ġb', 'Ã©'], 6)).toBe('6\n\n61\n2062\nc3a9\n');
  });
});
