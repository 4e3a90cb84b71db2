/** What the bench compares the document's memory with. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { longestMatch } from '../../../bench/memory/longest_match';
import { numberTable } from '../../../bench/number_table';
import { fitWeights, gainOf, weightOf } from '../../../bench/memory/weight_fit';
import {
  LEAST_MATCH,
  type Observation,
  OWN_TABLE,
  readObservations,
  type Said,
} from '../../../bench/memory/observations';

describe('the longest match', () => {
  const texts = [Uint32Array.of(1, 2, 3, 9, 1, 2, 3, 8, 2, 3, 7), Uint32Array.of(5, 1, 2, 3, 9)];

  it('counts what followed it in all texts', () => {
    const { length, counts } = longestMatch([4, 1, 2, 3], texts);
    expect(length).toBe(3);
    expect(Object.fromEntries(counts)).toEqual({ 9: 2, 8: 1 });
  });

  it('is nothing where the last token stands nowhere', () => {
    expect(longestMatch([1, 2, 6], texts)).toEqual({ length: 0, counts: new Map() });
  });
});

describe('the weight of the memory', () => {
  const said = (memory: number): Said => ({ length: 8, occurrences: 1, agreement: 1, memory });
  const nothing: Said = { length: 0, occurrences: 0, agreement: 0, memory: 0 };
  const observation = (memory: number, surest: number): Observation => ({
    place: 0,
    surest,
    model: memory === 1 ? 0.1 : surest,
    document: said(memory),
    others: nothing,
  });

  it('is high where the memory is right and the model in doubt, and the fit gains by it', () => {
    const doubt = Array.from({ length: 40 }, (_, at) => observation(at % 5 === 0 ? 0 : 1, 0.3));
    const sure = Array.from({ length: 40 }, (_, at) => observation(at % 5 === 0 ? 1 : 0, 0.95));
    const weights = fitWeights([...doubt, ...sure]);
    expect(gainOf(weights, [...doubt, ...sure])).toBeGreaterThan(8);
    const at = (surest: number): number => weightOf(weights.document, said(1), surest);
    expect(at(0.3)).toBeGreaterThan(at(0.95) + 0.2);
  });

  it('is in the engine what the table gives', async () => {
    const native = (file: string): string => readFileSync(`native/decode/document_memory.${file}`, 'utf8');
    const fitted = fitWeights(await readObservations(OWN_TABLE));
    for (const [name, weights] of [
      ['kDocumentFit', fitted.document],
      ['kOthersFit', fitted.others],
    ] as const) {
      const [, numbers = ''] = new RegExp(`${name}\\{([^}]*)\\}`).exec(native('cpp')) ?? [];
      const inCode = numbers.split(',').map(Number);
      expect(inCode).toHaveLength(weights.length);
      weights.forEach((weight, at) => expect(Math.abs(weight - (inCode[at] ?? NaN))).toBeLessThan(0.03));
    }
    expect(native('h')).toContain(`kLeastMatch = ${LEAST_MATCH};`);
  });
});

it('a table of observations has measures to four digits, and places of any number', () => {
  const rows = [
    [12_345, 0.123_456, 0.000_012_345_6],
    [12_346, 1, 0],
  ];
  const table = Buffer.from(numberTable(['place', 'surest', 'model'], rows)).toString();
  expect(table).toBe('place,surest,model\n12345,0.1235,0.00001235\n12346,1,0\n');
});
