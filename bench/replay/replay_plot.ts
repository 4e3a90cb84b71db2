/** Draws the rows of the replay suite: how many times faster than plain decode, drawn by Vega without a browser. */
import type { Spec } from 'vega';
import { Failure } from '../../cli/failure';
import type { Report, Row } from '../report';
import { svgOf } from '../svg';

/** What drafts; the colours can be told apart by everybody (Okabe and Ito). */
const COLOURS: Readonly<Record<Bar['draft'], string>> = { lookup: '#0072b2', 'draft model': '#e69f00' };

const DRAFTS = ['lookup', 'draft model'] as const;

const BAR_HEIGHT = 13;
const WIDTH = 480;

export interface Bar {
  readonly row: string;
  readonly draft: (typeof DRAFTS)[number];
  readonly speedup: number;
}

/** Of the rows that have a speed, and that of plain decode beside it. */
export function barsOf(rows: readonly Row[]): Bar[] {
  return rows.flatMap(({ name, unit, ratio }): Bar[] => {
    if (unit !== 'tok/s' || ratio === null) return [];
    const row = name.replace(/^replay\//, '');
    return [{ row, draft: row.startsWith('draft-') ? 'draft model' : 'lookup', speedup: ratio }];
  });
}

/** An SVG image. Throws Failure where there is nothing to draw. */
export async function replayPlot({ suite, machine, rows }: Report): Promise<string> {
  const bars = barsOf(rows);
  if (bars.length === 0) {
    throw new Failure({ code: 'NO_ROWS', message: 'There is no row with a speed to draw.' });
  }
  const drafts = DRAFTS.filter((name) => bars.some(({ draft }) => draft === name));
  const specification: Spec = {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    width: WIDTH,
    height: bars.length * BAR_HEIGHT,
    padding: 8,
    background: 'white',
    title: { text: [suite, machine] },
    data: [{ name: 'bars', values: bars }],
    scales: [
      {
        name: 'x',
        type: 'linear',
        domain: { data: 'bars', field: 'speedup' },
        range: 'width',
        zero: true,
        nice: true,
      },
      { name: 'y', type: 'band', domain: { data: 'bars', field: 'row' }, range: 'height', padding: 0.2 },
      { name: 'colour', type: 'ordinal', domain: drafts, range: drafts.map((name) => COLOURS[name]) },
    ],
    axes: [
      { orient: 'bottom', scale: 'x', title: 'speed, plain decode = 1', grid: true },
      { orient: 'left', scale: 'y', ticks: false, labelLimit: 240 },
    ],
    legends: [{ fill: 'colour', orient: 'bottom', direction: 'horizontal' }],
    marks: [
      {
        type: 'rect',
        from: { data: 'bars' },
        encode: {
          enter: {
            y: { scale: 'y', field: 'row' },
            height: { scale: 'y', band: 1 },
            x: { scale: 'x', value: 0 },
            x2: { scale: 'x', field: 'speedup' },
            fill: { scale: 'colour', field: 'draft' },
          },
        },
      },
      {
        type: 'rule',
        encode: {
          enter: {
            x: { scale: 'x', value: 1 },
            y: { value: 0 },
            y2: { signal: 'height' },
            stroke: { value: 'black' },
          },
        },
      },
    ],
  };
  return svgOf(specification);
}
