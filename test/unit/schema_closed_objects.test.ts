import { describe, expect, it } from 'vitest';
import { Ajv } from 'ajv';
import { SeededRandom } from '../../bench/random';
import { withClosedObjects } from '../../core/schema/closed_objects';

const NONE: ReadonlySet<string> = new Set();
const A = { type: 'object', properties: { a: { type: 'string' } } };
const A_ALONE = { ...A, additionalProperties: false };

describe('objects that list their properties', () => {
  it('take no others, wherever that narrows the schema', () => {
    expect(withClosedObjects(A, NONE)).toEqual(A_ALONE);
    expect(withClosedObjects({ properties: { x: A }, additionalProperties: true }, NONE)).toEqual({
      properties: { x: A_ALONE },
      additionalProperties: true,
    });
    expect(withClosedObjects({ items: A }, NONE)).toEqual({ items: A_ALONE });
    expect(withClosedObjects({ items: [A, A] }, NONE)).toEqual({ items: [A_ALONE, A_ALONE] });
    expect(withClosedObjects({ anyOf: [A, { type: 'null' }] }, NONE)).toEqual({
      anyOf: [A_ALONE, { type: 'null' }],
    });
    expect(withClosedObjects({ $ref: '#/definitions/A', definitions: { A } }, NONE)).toEqual({
      $ref: '#/definitions/A',
      definitions: { A: A_ALONE },
    });
  });

  it('stay as they are where their properties are listed in several places', () => {
    for (const schema of [
      { allOf: [A, { properties: { b: true } }] },
      { properties: { b: true }, anyOf: [A, { type: 'null' }] },
      { properties: { b: true }, allOf: [{ $ref: '#/definitions/A' }], definitions: { A } },
      { ...A, additionalProperties: { type: 'number' } },
    ])
      expect(withClosedObjects(schema, NONE)).toEqual(schema);
    const within = {
      allOf: [{ properties: { x: A } }, { $ref: '#/definitions/B' }],
      definitions: { B: { properties: { y: A } } },
    };
    expect(withClosedObjects(within, NONE)).toEqual({
      allOf: [{ properties: { x: A_ALONE } }, { $ref: '#/definitions/B' }],
      definitions: { B: { properties: { y: A_ALONE } } },
    });
  });

  it('stay as they are where taking less could mean accepting more', () => {
    for (const schema of [
      { not: A },
      { if: A, then: { properties: { a: A } } },
      { oneOf: [A, A] },
      { items: { $ref: '#/definitions/A' }, not: { $ref: '#/definitions/A' }, definitions: { A } },
      { items: { $ref: '#/$defs/B' }, $defs: { A, B: { oneOf: [{ items: { $ref: '#/$defs/A' } }] } } },
      { items: { $ref: '#/$defs/A' }, $defs: { A: { ...A, $anchor: 'a' } } },
    ])
      expect(withClosedObjects(schema, NONE)).toEqual(schema);
  });

  it('take what the document has already', () => {
    expect(withClosedObjects(A, new Set(['a', 'x.y', 'b/c']))).toEqual({
      ...A,
      patternProperties: { '^(?:b\\/c|x\\.y)$': true },
      additionalProperties: false,
    });
    const patterned = { ...A, patternProperties: { '^x-': true } };
    expect(withClosedObjects(patterned, new Set(['b']))).toEqual({
      ...A,
      patternProperties: { '^x-': true, '^(?:b)$': true },
      additionalProperties: false,
    });
  });

  it('accept nothing that the schema does not', () => {
    const random = new SeededRandom(3);
    const pick = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;
    const schema = (depth: number): unknown => {
      const sub = (): unknown => schema(depth + 1);
      if (depth > 3) return pick([true, { type: 'string' }, { type: 'number' }]);
      const parts: Record<string, unknown> = {};
      if (random.below(2) === 0)
        parts['properties'] = { [pick(['a', 'b'])]: sub(), [pick(['b', 'c'])]: sub() };
      if (random.below(4) === 0) parts['additionalProperties'] = pick([sub(), false, true]);
      if (random.below(4) === 0) parts[pick(['allOf', 'anyOf', 'oneOf'])] = [sub(), sub()];
      if (random.below(5) === 0) parts[pick(['not', 'items', 'if', 'then', 'else'])] = sub();
      if (random.below(4) === 0) parts['$ref'] = pick(['#/definitions/P', '#/definitions/Q']);
      return parts;
    };
    const instance = (depth: number): unknown => {
      if (depth > 2) return pick(['x', 1, null]);
      return pick<() => unknown>([
        () => 'x',
        () => 1,
        () => [instance(depth + 1)],
        () =>
          Object.fromEntries(
            ['a', 'b', 'c', 'd'].filter(() => random.below(2) === 0).map((key) => [key, instance(depth + 1)]),
          ),
        () => Object.fromEntries(['a', 'b'].map((key) => [key, instance(depth + 1)])),
      ])();
    };
    const compiled = new Map<object, readonly ((value: unknown) => unknown)[]>();
    const validators = (whole: object, closed: unknown): readonly ((value: unknown) => unknown)[] => {
      const known = compiled.get(whole);
      if (known !== undefined) return known;
      const made = [whole, closed].map((each) => new Ajv({ strict: false }).compile(each as object));
      compiled.set(whole, made);
      return made;
    };
    let narrowed = 0;
    for (let round = 0; round < 80; round++) {
      const whole = {
        ...(schema(0) as object),
        definitions: { P: schema(1), Q: { ...A, ...(schema(2) as object) } },
      };
      const closed = withClosedObjects(whole, NONE);
      const values = Array.from({ length: 20 }, () => instance(0));
      for (const value of values) {
        let verdicts: unknown[];
        try {
          verdicts = validators(whole, closed).map((accepts) => accepts(value));
        } catch {
          // A schema that refers to itself without end.
          continue;
        }
        const [wide, narrow] = verdicts;
        if (narrow === true) expect(wide, JSON.stringify({ whole, value })).toBe(true);
        if (narrow === false && wide === true) narrowed++;
      }
    }
    expect(narrowed).toBeGreaterThan(20);
  });
});
