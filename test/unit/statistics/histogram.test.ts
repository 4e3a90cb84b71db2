import { describe, expect, it } from 'vitest';
import { countOf, Histogram, quantileOf } from '../../../core/statistics/histogram';

describe('a histogram', () => {
  it('counts a value in the first bucket whose bound it does not exceed', () => {
    const histogram = new Histogram([10, 20]);
    for (const value of [0, 10, 10.5, 20, 21, 1e9]) histogram.add(value);
    expect(histogram.snapshot()).toEqual({ bounds: [10, 20], counts: [2, 2, 2] });
    expect(countOf(histogram.snapshot())).toBe(6);
  });

  it('keeps as many numbers however many values come', () => {
    const histogram = new Histogram([1, 2, 3]);
    for (let value = 0; value < 10_000; value++) histogram.add(value % 7);
    expect(histogram.snapshot().counts).toHaveLength(4);
    expect(countOf(histogram.snapshot())).toBe(10_000);
  });

  it('says where a quantile lies, as sorting the values would', () => {
    const histogram = new Histogram([10, 20, 50, 100]);
    const values = Array.from({ length: 101 }, (_, index) => (index * 37) % 130);
    for (const value of values) histogram.add(value);
    const sorted = values.toSorted((one, other) => one - other);
    for (const part of [0, 0.1, 0.5, 0.9, 1]) {
      const exact = sorted[Math.max(1, Math.ceil(part * values.length)) - 1] ?? NaN;
      const { from, to } = quantileOf(histogram.snapshot(), part) ?? expect.fail('no quantile');
      expect(exact).toBeLessThanOrEqual(to);
      expect(exact === 0 || exact > from).toBe(true);
    }
    expect(quantileOf(new Histogram([1]).snapshot(), 0.5)).toBeUndefined();
  });
});
