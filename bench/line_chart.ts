/** Lines over a common axis, as an SVG image: drawn by Vega without a browser. */
import type { Spec } from 'vega';
import { Failure } from '../cli/failure';

export interface LinePoint {
  readonly series: string;
  readonly x: number;
  readonly y: number;
}

export interface LineChart {
  readonly title: readonly string[];
  /** Of each series from left to right. */
  readonly points: readonly LinePoint[];
  /** By series, in the order of the legend. */
  readonly colours: Readonly<Record<string, string>>;
  readonly x: { readonly title: string; readonly scale: 'linear' | 'log' };
  /** Percent: the axis goes from 0 to 100. */
  readonly y: string;
  /** `step`: each holds until the next. */
  readonly line: 'straight' | 'step';
  /** Points with a name beside them; default: none. */
  readonly marks?: readonly (LinePoint & { readonly label: string })[];
}

const WIDTH = 560;
const HEIGHT = 260;

/** Throws Failure where there is nothing to draw. */
export async function lineChart(chart: LineChart): Promise<string> {
  if (chart.points.length === 0) {
    throw new Failure({ code: 'NO_ROWS', message: 'There is nothing that could be drawn.' });
  }
  // Only here: it takes a while to load.
  const { parse, View } = await import('vega');
  return new View(parse(specification(chart)), { renderer: 'none' }).toSVG();
}

function specification({ title, points, colours, x, y, line, marks = [] }: LineChart): Spec {
  const series = Object.keys(colours).filter((name) => points.some((point) => point.series === name));
  const place = { x: { scale: 'x', field: 'x' }, y: { scale: 'y', field: 'y' } };
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    width: WIDTH,
    height: HEIGHT,
    padding: 8,
    background: 'white',
    title: { text: [...title] },
    data: [
      { name: 'points', values: [...points] },
      { name: 'marks', values: [...marks] },
    ],
    scales: [
      {
        name: 'x',
        ...(x.scale === 'log' ? { type: x.scale } : { type: x.scale, zero: true }),
        domain: { data: 'points', field: 'x' },
        range: 'width',
        nice: true,
      },
      { name: 'y', type: 'linear', domain: [0, 100], range: 'height' },
      { name: 'colour', type: 'ordinal', domain: series, range: series.map((name) => colours[name] ?? '') },
    ],
    axes: [
      { orient: 'bottom', scale: 'x', title: x.title, grid: true, tickCount: x.scale === 'log' ? 5 : 8 },
      { orient: 'left', scale: 'y', title: y, grid: true, tickCount: 5 },
    ],
    legends: [
      { stroke: 'colour', orient: 'bottom', direction: 'horizontal', symbolType: 'stroke', labelLimit: 0 },
    ],
    marks: [
      {
        type: 'group',
        from: { facet: { data: 'points', name: 'ofSeries', groupby: 'series' } },
        marks: [
          {
            type: 'line',
            from: { data: 'ofSeries' },
            encode: {
              enter: {
                ...place,
                stroke: { scale: 'colour', field: 'series' },
                strokeWidth: { value: 2 },
                interpolate: { value: line === 'step' ? 'step-after' : 'linear' },
              },
            },
          },
        ],
      },
      {
        type: 'symbol',
        from: { data: 'marks' },
        encode: { enter: { ...place, fill: { scale: 'colour', field: 'series' }, size: { value: 50 } } },
      },
      {
        type: 'text',
        from: { data: 'marks' },
        encode: { enter: { ...place, text: { field: 'label' }, dx: { value: 7 }, dy: { value: -7 } } },
      },
    ],
  };
}
