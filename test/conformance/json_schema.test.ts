/** JSON Schemas through the addon, against an independent validator: random ones, and documents near to them. */
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import { describe, expect, it } from 'vitest';
import { addon, valueOf } from '../integration/embedded_model';
import { EVERY_CASE } from './every_case';
import { type Dialect, Random, RandomSchemas } from './random_schemas';

/** Of each dialect. */
const SCHEMAS = EVERY_CASE ? 400 : 140;
const DOCUMENTS = 6;
const LEAST_PAIRS = 5 * SCHEMAS;

interface Pairs {
  accepted: number;
  rejected: number;
  readonly refusals: string[];
  readonly disagreements: string[];
}

async function compare(dialect: Dialect, seed: number): Promise<Pairs> {
  const pairs: Pairs = { accepted: 0, rejected: 0, refusals: [], disagreements: [] };
  const options = { strict: false, validateFormats: false, logger: false } as const;
  for (let i = 0; i < SCHEMAS; ++i) {
    const schemas = new RandomSchemas(new Random(seed + i), dialect);
    const schema = schemas.root();
    const validator = dialect === 'draft7' ? new Ajv(options) : new Ajv2020(options);
    const valid = validator.compile(schema);
    const compiled = await addon.compileGrammar({
      schema: JSON.stringify(schema),
      layout: { kind: 'compact' },
    });
    if (!compiled.ok) {
      pairs.refusals.push(`${compiled.error.code} ${compiled.error.message}`);
      continue;
    }
    for (let j = 0; j < DOCUMENTS; ++j) {
      const document = JSON.stringify(schemas.near(schema));
      const expected = valid(JSON.parse(document)) ? 'accept' : 'reject';
      pairs[expected === 'accept' ? 'accepted' : 'rejected'] += 1;
      const found = valueOf(await compiled.value.check(document));
      if (found !== expected) pairs.disagreements.push(`${JSON.stringify(schema)} ${document}: ${found}`);
    }
    compiled.value.close();
  }
  return pairs;
}

describe.each(['draft7', '2020-12'] as const)('random schemas of %s', (dialect) => {
  it('mean the same as to ajv', async () => {
    const pairs = await compare(dialect, 1);
    expect(pairs.disagreements).toEqual([]);
    expect(pairs.accepted + pairs.rejected).toBeGreaterThan(LEAST_PAIRS);
    expect(pairs.accepted).toBeGreaterThan(LEAST_PAIRS / 5);
    expect(pairs.rejected).toBeGreaterThan(LEAST_PAIRS / 5);
    expect(pairs.refusals.length).toBeLessThan(SCHEMAS / 10);
    for (const refusal of pairs.refusals)
      expect(refusal).toMatch(/^GRAMMAR_(UNSUPPORTED \/|TOO_LARGE |INVALID .* refers to itself)/);
  });
});
