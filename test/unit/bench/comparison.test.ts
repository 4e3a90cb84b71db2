import { describe, expect, it, vi } from 'vitest';
import { compareDetails, formatComparison } from '../../../bench/comparison';
import type { Detail } from '../../../bench/quality_details';
import { mcnemar } from '../../../bench/statistics';

/** Two to the power of -n times n over k. */
function binomial(n: number, k: number): number {
  let value = 2 ** -n;
  for (let i = 0; i < k; i++) value *= (n - i) / (i + 1);
  return value;
}

/** How often a test of pairs is below 5 % where both ways are equally likely. */
function falseAlarms(n: number, test: (b: number, c: number) => number): number {
  return Array.from({ length: n + 1 }, (_, b) => (test(b, n - b) <= 0.05 ? binomial(n, b) : 0)).reduce(
    (sum, chance) => sum + chance,
    0,
  );
}

describe('McNemar, exact and two-sided', () => {
  it('has the known values', () => {
    expect(mcnemar(10, 2)).toBeCloseTo((2 * (1 + 12 + 66)) / 4096, 12);
    expect(mcnemar(2, 10)).toBeCloseTo(mcnemar(10, 2), 12);
    expect(mcnemar(0, 6)).toBeCloseTo(2 / 64, 12);
    expect(mcnemar(5, 5)).toBe(1);
    expect(mcnemar(1, 0)).toBe(1);
    expect(mcnemar(0, 0)).toBe(1);
  });

  it('stays in range where powers of two do not', () => {
    expect(mcnemar(2000, 2000)).toBe(1);
    expect(mcnemar(2000, 2400)).toBeGreaterThan(1e-10);
    expect(mcnemar(2000, 2400)).toBeLessThan(1e-8);
  });

  it('cries wolf at most as often as it says, where a one-sided tail does so twice as often', () => {
    const oneSided = (b: number, c: number): number => mcnemar(b, c) / 2;
    for (let n = 1; n <= 200; n++) {
      expect(falseAlarms(n, mcnemar)).toBeLessThanOrEqual(0.05 + 1e-12);
    }
    expect(falseAlarms(100, oneSided)).toBeGreaterThan(0.05);
  });
});

function detail(id: string, text: string, more: Partial<Detail> = {}): Detail {
  const made = { temperature: 0.2, line: '', lineAfter: '', reason: 'shown', exact: text === 'one two' };
  return { id, path: 'a.py', place: 'mid', expected: 'one two', text, ...made, ...more };
}

/** A run that is right at `right` of 20 places, from the first on or from the last. */
function run(right: number, from: 'first' | 'last'): Detail[] {
  return Array.from({ length: 20 }, (_, index) => {
    const holds = from === 'first' ? index < right : index >= 20 - right;
    return detail(`py-mid-${index}`, holds ? 'one two' : 'one');
  });
}

describe('a comparison', () => {
  it('counts what only one run has right', () => {
    const rows = compareDetails(run(8, 'first'), run(14, 'last'));
    expect(rows.map(({ name }) => name)).toEqual([
      'py-mid-exact',
      'py-mid-first-word',
      'mid-exact',
      'mid-first-word',
      'all-exact',
      'all-first-word',
    ]);
    expect(rows[0]).toEqual({
      name: 'py-mid-exact',
      places: 20,
      a: 40,
      b: 70,
      difference: 30,
      onlyA: 6,
      onlyB: 12,
      p: mcnemar(6, 12),
    });
    expect(rows[1]).toMatchObject({ a: 100, b: 100, difference: 0, p: 1 });
  });

  it('finds no difference between a run and itself', () => {
    const rows = compareDetails(run(8, 'first'), run(8, 'first'));
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toMatchObject({ difference: 0, onlyA: 0, onlyB: 0, p: 1 });
  });

  it('keeps drawn lines, greedy ones and blocks apart', () => {
    const details = [
      detail('a', 'one two'),
      detail('a', 'one', { temperature: 0 }),
      detail('b', 'x\ny', { place: 'block', temperature: 0, expected: 'x\ny' }),
    ];
    const found = new Map(compareDetails(details, details).map((row) => [row.name, row.b]));
    expect(found.get('py-mid-exact')).toBe(100);
    expect(found.get('greedy-py-mid-exact')).toBe(0);
    expect(found.get('py-block-whole')).toBe(100);
    expect(found.get('block-end')).toBe(100);
    expect(found.has('greedy-block-whole')).toBe(false);
  });

  it('leaves out places of one run, and refuses runs over other cases', () => {
    const told = vi.spyOn(console, 'error').mockReturnValue();
    expect(compareDetails([detail('a', 'x'), detail('b', 'x')], [detail('a', 'y')])[0]?.places).toBe(1);
    expect(told).toHaveBeenCalledWith('1 places are in one of the files only, and left out.');
    told.mockRestore();
    expect(() => compareDetails([detail('a', 'x')], [detail('b', 'x')])).toThrow('no place in common');
    const other = detail('a', 'x', { expected: 'three' });
    expect(() => compareDetails([detail('a', 'x')], [other])).toThrow('a is another place');
  });

  it('is a Markdown table', () => {
    const lines = formatComparison(compareDetails(run(8, 'first'), run(14, 'last'))).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      '| row | places | A % | B % | B - A | only A | only B | p |',
      '| --- | --: | --: | --: | --: | --: | --: | --: |',
      '| `py-mid-exact` | 20 | 40.0 | 70.0 | +30.0 | 6 | 12 | 0.238 |',
    ]);
  });
});
