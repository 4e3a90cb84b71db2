import { describe, expect, it } from 'vitest';
import { htmlPage } from '../../../bench/html_page';
import { lineChart } from '../../../bench/line_chart';
import { pointAt, precisionCurve } from '../../../bench/precision_curve';
import { qualityFigures } from '../../../bench/quality_figures';
import { ownRow } from '../../../bench/report';
import { typingFigures } from '../../../bench/typing/typing_figures';
import { NO_TIMINGS } from '../../../core/engine/native_types';

/** The surest half is right. */
const JUDGED = Array.from({ length: 40 }, (_, at) => ({ certainty: 1 - at / 40, right: at < 20 }));

describe('a page', () => {
  it('has the rows as a table and the plots, and needs nothing else', () => {
    const report = { suite: 'replay', machine: 'a <machine>', rows: [ownRow('replay/a', '%', 12.34)] };
    const page = Buffer.from(htmlPage(report, [{ svg: '<svg></svg>', caption: 'a & b' }])).toString();
    expect(page).toContain('<td>replay/a</td><td class="right">12.3</td><td>%</td>');
    expect(page).toContain('<figure><svg></svg><figcaption>a &amp; b</figcaption></figure>');
    expect(page).toContain('a &lt;machine&gt;');
    expect(page).not.toMatch(/(?:src|href)=/);
  });
});

describe('the curve of precision', () => {
  it('goes from the surest on to all, of all there were', () => {
    const curve = precisionCurve(JUDGED, 80);
    expect(curve[0]).toEqual({ share: 25, precision: 100 });
    expect(curve.at(-1)).toEqual({ share: 50, precision: 50 });
    expect(precisionCurve(JUDGED.slice(0, 10), 80)).toEqual([]);
  });

  it('shows all that is as sure, or none of it', () => {
    const same = JUDGED.map((one) => ({ ...one, certainty: 0.5 }));
    expect(precisionCurve(same, 40)).toEqual([{ share: 100, precision: 50 }]);
  });

  it('has a point for each threshold', () => {
    expect(pointAt(JUDGED, 80, 0.5)).toEqual({ share: 26.25, precision: (100 * 20) / 21 });
    expect(pointAt(JUDGED, 80, 2)).toBeUndefined();
  });
});

describe('plots', () => {
  it('are of lines, with a legend', async () => {
    const svg = await lineChart({
      title: ['a title'],
      points: [
        { series: 'one', x: 1, y: 2 },
        { series: 'one', x: 10, y: 50 },
      ],
      colours: { one: '#000', none: '#fff' },
      x: { title: 'across', scale: 'log' },
      y: 'up',
      line: 'step',
      marks: [{ series: 'one', x: 10, y: 50, label: 'here' }],
    });
    for (const text of ['a title', 'across', 'up', 'one', 'here']) expect(svg).toContain(text);
    expect(svg).not.toContain('none<');
  });

  it('of a quality run show what is right of what is sure', async () => {
    const drawn = JUDGED.map(({ certainty, right }) => ({
      case: { id: '', path: 'a.py', prefix: 'x', suffix: '', expected: 'a b' },
      text: right ? 'a b' : 'a c',
      shown: true,
      reason: 'shown' as const,
      stop: 'line_end' as const,
      confidence: certainty,
      certainty,
      endProbability: 0,
      timings: NO_TIMINGS,
    }));
    const [figure] = await qualityFigures({ lines: { drawn, greedy: [] } });
    for (const text of ['exactly right', 'first word right', 'balanced']) expect(figure?.svg).toContain(text);
    expect(await qualityFigures({ lines: { drawn: [], greedy: [] } })).toEqual([]);
  });

  it('of typing leave out what there is nothing of', async () => {
    const typed = [{ path: 'a.py', keys: [], needed: 10, pressed: 6 }];
    const others = [{ prompt: 'prefix', all: typed, sure: typed } as const];
    const figures = await typingFigures({
      along: [],
      ideal: typed,
      idealOfAll: typed,
      others,
      cold: [],
      rested: [],
    });
    expect(figures).toHaveLength(1);
    for (const text of ['Emberline', 'prefix, else as ours']) expect(figures[0]?.svg).toContain(text);
  });
});
