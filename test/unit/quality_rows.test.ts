import { NO_TIMINGS } from '../../core/engine/native_types';
import { describe, expect, it } from 'vitest';
import { blockRows, qualityRows, suggestedRows, type Completed } from '../../bench/quality_rows';
import { formatReport, reportOf } from '../../bench/report';
import {
  endsRight,
  endsStatement,
  isExact,
  isFirstLineRight,
  isFirstWordRight,
  similarity,
} from '../../bench/scores';

function completed(expected: string, text: string, more: Partial<Completed> = {}): Completed {
  const one = { id: '', path: 'a.py', prefix: 'x', suffix: '', expected };
  const outcome = {
    shown: true,
    reason: 'shown',
    stop: 'line_end',
    confidence: 0.5,
    endProbability: 0,
    timings: NO_TIMINGS,
  } as const;
  return { case: one, text, ...outcome, ...more };
}

describe('scores', () => {
  it('forgive blanks at the ends of lines only', () => {
    expect(isExact({ expected: 'a + b  ', text: 'a + b' })).toBe(true);
    expect(isExact({ expected: ' a', text: 'a' })).toBe(false);
    expect(isExact({ expected: 'a + b', text: 'a + b + c' })).toBe(false);
    expect(isExact({ expected: 'a', text: '' })).toBe(false);
    expect(isExact({ expected: 'a\n  b', text: 'a \n  b\n' })).toBe(true);
    expect(isExact({ expected: 'a\n  b', text: 'a\n b' })).toBe(false);
  });

  it('compare first words', () => {
    expect(isFirstWordRight({ expected: ' is None:', text: 'is not None:' })).toBe(true);
    expect(isFirstWordRight({ expected: 'ready()', text: 'readily()' })).toBe(false);
    expect(isFirstWordRight({ expected: '(a, b)', text: '(c)' })).toBe(true);
    expect(isFirstWordRight({ expected: 'a', text: '' })).toBe(false);
  });

  it('compare first lines', () => {
    expect(isFirstLineRight({ expected: 'if a:\n  b', text: 'if a: \n  c' })).toBe(true);
    expect(isFirstLineRight({ expected: 'if a:\n  b', text: '\nif a:\n  b' })).toBe(false);
    expect(isFirstLineRight({ expected: 'if a:\n  b', text: 'if a' })).toBe(false);
  });

  it('tell where a text ends', () => {
    const expected = 'if (a) {\n    b();\n  }';
    expect(endsRight({ expected, text: 'if (c) {\n\n    d();\n  }' })).toBe(true);
    // One line more or less, another depth, another bracket, none.
    for (const end of ['b();\n  }\n  c();', '', 'b();\n}', 'b();\n  ]', 'b();\n  c();']) {
      expect(endsRight({ expected, text: `if (a) {\n    ${end}` })).toBe(false);
    }
    expect(endsRight({ expected, text: '' })).toBe(false);
  });

  it('tell whether a text ends where a statement does, with all that it opens', () => {
    const expected = 'if (a) {\n    b();\n  }\n  c();';
    for (const text of ['if (x) {\n    y();\n  }', 'if (a) {\n    b();\n  }\n  c();']) {
      expect(endsStatement({ expected, text }, 2)).toBe(true);
    }
    // Within the body, within the statement, behind everything.
    for (const text of ['if (a) {', 'if (a) {\n    b();', 'if (a) {\n    b();\n  }\n  c();\n  d();', '']) {
      expect(endsStatement({ expected, text }, 2)).toBe(false);
    }
    const chosen = 'if a:\n        b()\n    else:\n        c()';
    expect(endsStatement({ expected: chosen, text: 'if a:\n        b()' }, 4)).toBe(false);
    expect(endsStatement({ expected: chosen, text: chosen }, 4)).toBe(true);
  });

  it('measure similarity by edits', () => {
    expect(similarity({ expected: 'kitten', text: 'sitting' })).toBeCloseTo(1 - 3 / 7);
    expect(similarity({ expected: 'a\nb', text: 'a  \nb\n' })).toBe(1);
    expect(similarity({ expected: 'abc', text: '' })).toBe(0);
    expect(similarity({ expected: 'abc', text: 'xyzw' })).toBe(0);
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

  it('tell of parts that are shown alone how often the line goes on like that', () => {
    const parts = qualityRows([
      completed('total + tax', 'total - tax', { shown: false, part: 'total' }),
      completed('totals', 'total - tax', { shown: false, part: 'total' }),
      completed('total', 'total'),
      completed('total', 'x', { shown: false }),
    ]);
    const partValue = (name: string): number | undefined => parts.find((row) => row.name === name)?.ours;
    expect(partValue('quality/shown')).toBe(25);
    expect(partValue('quality/shown-part')).toBe(50);
    expect(partValue('quality/shown-part-right')).toBe(50);
  });

  it('tell what is shown unasked where blocks begin', () => {
    const block = 'a:\n  b\n  c';
    const suggested = suggestedRows([
      completed(block, block),
      completed(block, 'a:\n  b'),
      completed(block, 'a:\n  x'),
      completed(block, 'a:'),
      completed(block, 'x', { shown: false }),
      completed('a:\n  b\nc\nd', 'a:\n  b'),
    ]);
    expect(suggested.map(({ name, ours }) => [name.replace('quality/suggested-block', ''), ours])).toEqual([
      ['', 500 / 6],
      ['-first-line', 100],
      ['-several', 400 / 6],
      ['-several-first-line', 100],
      ['-several-right', 75],
      ['-several-end', 25],
      ['-several-part', 25],
      ['-several-statement-end', 50],
    ]);
    expect(suggestedRows([])).toEqual([]);
    const namesOf = (one: Completed): string[] => suggestedRows([one]).map(({ name }) => name);
    const name = 'quality/suggested-block';
    expect(namesOf(completed(block, 'x', { shown: false }))).toEqual([name, `${name}-several`]);
    expect(namesOf(completed(block, 'a:'))).toEqual([name, `${name}-first-line`, `${name}-several`]);
  });

  it('leave blocks out, however sure the model is of them', () => {
    const block = completed('a\nb', 'c', { confidence: 1 });
    const ofLines = Array.from({ length: 4 }, () => completed('right', 'right'));
    expect(qualityRows([...ofLines, block])).toEqual(qualityRows(ofLines));
    expect(qualityRows([block])).toEqual([]);
  });

  it('stand for blocks of each language', () => {
    const inGo = { id: '', path: 'a.go', prefix: '\t', suffix: '', expected: 'x()\n\ty()' };
    const blocks = blockRows([
      completed('a:\n  b', 'a:\n  b'),
      completed('a:\n  b', 'a:\n  c'),
      completed('a:\n  b', 'a:'),
      completed('a:\n  b', 'x'),
      completed('line', 'line'),
      completed('', 'z()\n\ty()', { case: inGo }),
    ]);
    const found = new Map(blocks.map(({ name, ours }) => [name, ours]));
    expect(found.get('quality/py-block-first-line')).toBe(75);
    expect(found.get('quality/py-block-whole')).toBe(25);
    expect(found.get('quality/py-block-end')).toBe(50);
    expect(found.get('quality/py-block-places')).toBe(4);
    expect(found.get('quality/go-block-first-line')).toBe(0);
    expect(found.get('quality/go-block-end')).toBe(100);
    expect(found.get('quality/block-whole')).toBe(20);
    expect(found.get('quality/block-places')).toBe(5);
    expect(blockRows([completed('line', 'line')])).toEqual([]);
  });

  it('stand for the most confident and for what is shown', () => {
    expect(valueOf('top10-exact')).toBe(100);
    expect(valueOf('top25-exact')).toBe(100);
    expect(valueOf('top50-exact')).toBe(50);
    expect(valueOf('shown')).toBeCloseTo((100 * 10) / 12);
    expect(valueOf('shown-exact')).toBe(30);
    expect(valueOf('shown-first-word')).toBe(30);
    expect(valueOf('shown-mid')).toBe(100);
    expect(valueOf('shown-mid-exact')).toBe(30);
    expect(valueOf('shown-start')).toBe(0);
    expect(valueOf('shown-start-exact')).toBeUndefined();
  });

  it('are printed aligned, with a dash for what there is not', () => {
    const [head, titles, first] = formatReport(reportOf('quality', rows)).split('\n');
    expect(head).toMatch(/^quality on /);
    expect(titles).toMatch(/^name +ours +unit +peer +ratio +floor$/);
    expect(first).toMatch(/^quality\/py-mid-exact +30 +% +- +- +28$/);
  });
});
