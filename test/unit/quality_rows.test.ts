import { NO_TIMINGS } from '../../extension/engine/native_types';
import { describe, expect, it } from 'vitest';
import { isExact, isFirstWordRight, qualityRows, type Completed } from '../../bench/quality_rows';
import { formatReport, reportOf } from '../../bench/report';

function completed(expected: string, text: string, more: Partial<Completed> = {}): Completed {
  const one = { id: '', path: 'a.py', prefix: 'x', suffix: '', expected };
  return { case: one, text, shown: true, reason: 'shown', confidence: 0.5, timings: NO_TIMINGS, ...more };
}

describe('scores', () => {
  it('forgive blanks at the end of the line only', () => {
    expect(isExact(completed('a + b  ', 'a + b'))).toBe(true);
    expect(isExact(completed(' a', 'a'))).toBe(false);
    expect(isExact(completed('a + b', 'a + b + c'))).toBe(false);
    expect(isExact(completed('a', ''))).toBe(false);
  });

  it('compare first words', () => {
    expect(isFirstWordRight(completed(' is None:', 'is not None:'))).toBe(true);
    expect(isFirstWordRight(completed('ready()', 'readily()'))).toBe(false);
    expect(isFirstWordRight(completed('(a, b)', '(c)'))).toBe(true);
    expect(isFirstWordRight(completed('a', ''))).toBe(false);
  });
});

describe('rows', () => {
  const atStart = { id: '', path: 'b.ts', prefix: 'x\n  ', suffix: '', expected: 'y' };
  const rows = qualityRows([
    ...Array.from({ length: 10 }, (_, index) =>
      completed('right', index < 3 ? 'right' : 'wrong', { confidence: 1 - index / 20 }),
    ),
    completed('y', 'z', { case: atStart, confidence: 0.1, shown: false }),
    completed('y', 'y', { case: atStart, confidence: 0.1, shown: false }),
  ]);
  const valueOf = (name: string): number | undefined =>
    rows.find((row) => row.name === `quality/${name}`)?.ours;

  it('stand for each language and place that occurs', () => {
    expect(valueOf('py-mid-exact')).toBe(30);
    expect(valueOf('py-mid-places')).toBe(10);
    expect(valueOf('js-start-exact')).toBe(50);
    expect(valueOf('js-start-first-word')).toBe(50);
    expect(valueOf('js-mid-exact')).toBeUndefined();
    expect(valueOf('mid-exact')).toBe(30);
    expect(valueOf('start-exact')).toBe(50);
    expect(rows.find((row) => row.name === 'quality/py-mid-exact')?.floor).toBe(28);
    expect(rows.find((row) => row.name === 'quality/js-start-exact')?.floor).toBe(8);
  });

  it('stand for the most confident and for what is shown', () => {
    expect(valueOf('top10-exact')).toBe(100);
    expect(valueOf('top25-exact')).toBe(100);
    expect(valueOf('top50-exact')).toBe(50);
    expect(valueOf('shown')).toBeCloseTo((100 * 10) / 12);
    expect(valueOf('shown-exact')).toBe(30);
  });

  it('are printed aligned, with a dash for what there is not', () => {
    const [head, titles, first] = formatReport(reportOf('quality', rows)).split('\n');
    expect(head).toMatch(/^quality on /);
    expect(titles).toMatch(/^name +ours +unit +peer +ratio +floor$/);
    expect(first).toMatch(/^quality\/py-mid-exact +30 +% +- +- +28$/);
  });
});
