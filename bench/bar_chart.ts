/** Horizontal bars, a group a row, as an SVG image: drawn by Vega without a browser. */
import type { Spec } from 'vega';
import { Failure } from '../cli/failure';

export interface Bar {
  readonly row: string;
  readonly series: string;
  readonly value: number;
}

export interface BarChart {
  readonly title: readonly string[];
  readonly bars: readonly Bar[];
  /** By series, in the order of a group's bars and of the legend. */
  readonly colours: Readonly<Record<string, string>>;
  readonly axis: { readonly title: string; readonly scale: 'linear' | 'sqrt' | 'log' };
  /** Pixels. */
  readonly barHeight: number;
  /** Each row has one bar, whatever series it is of. */
  readonly single?: boolean;
  /** A vertical line. */
  readonly rule?: number;
}

/** Of Okabe and Ito: everybody can tell them apart. */
export const COLOURS = {
  grey: '#bbbbbb',
  yellow: '#f0e442',
  orange: '#e69f00',
  vermilion: '#d55e00',
  purple: '#cc79a7',
  sky: '#56b4e9',
  green: '#009e73',
  blue: '#0072b2',
} as const;

const WIDTH = 560;

/** Throws Failure where there is nothing to draw. */
export async function barChart(chart: BarChart): Promise<string> {
  if (chart.bars.length === 0) {
    throw new Failure({ code: 'NO_ROWS', message: 'There is no row with what is to be drawn.' });
  }
  // Only here: it takes a while to load.
  const { parse, View } = await import('vega');
  return new View(parse(specification(chart)), { renderer: 'none' }).toSVG();
}

function specification({ title, bars, colours, axis, barHeight, single = false, rule }: BarChart): Spec {
  const series = Object.keys(colours).filter((name) => bars.some((bar) => bar.series === name));
  const rows = new Set(bars.map(({ row }) => row)).size;
  const zero = axis.scale !== 'log';
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    width: WIDTH,
    height: rows * (single ? 1 : series.length + 1) * barHeight,
    padding: 8,
    background: 'white',
    title: { text: [...title] },
    data: [{ name: 'bars', values: [...bars] }],
    scales: [
      {
        name: 'x',
        ...scaleOf(axis.scale),
        domain: { data: 'bars', field: 'value' },
        range: 'width',
        nice: true,
      },
      { name: 'y', type: 'band', domain: { data: 'bars', field: 'row' }, range: 'height', padding: 0.2 },
      { name: 'colour', type: 'ordinal', domain: series, range: series.map((name) => colours[name] ?? '') },
    ],
    axes: [
      { orient: 'bottom', scale: 'x', title: axis.title, grid: true, tickCount: 8 },
      { orient: 'left', scale: 'y', ticks: false, labelLimit: 240 },
    ],
    legends: [{ fill: 'colour', orient: 'bottom', direction: 'horizontal', columns: 4 }],
    marks: [
      {
        type: 'group',
        from: { facet: { data: 'bars', name: 'ofRow', groupby: 'row' } },
        encode: { enter: { y: { scale: 'y', field: 'row' } } },
        signals: [{ name: 'height', update: "bandwidth('y')" }],
        scales: [{ name: 'place', type: 'band', range: 'height', domain: single ? [''] : series }],
        marks: [
          {
            type: 'rect',
            from: { data: 'ofRow' },
            encode: {
              enter: {
                y: single ? { value: 0 } : { scale: 'place', field: 'series' },
                height: { scale: 'place', band: 1 },
                x: zero ? { scale: 'x', value: 0 } : { value: 0 },
                x2: { scale: 'x', field: 'value' },
                fill: { scale: 'colour', field: 'series' },
              },
            },
          },
        ],
      },
      ...(rule === undefined ? [] : [verticalLine(rule)]),
    ],
  };
}

function scaleOf(type: BarChart['axis']['scale']) {
  return type === 'log' ? { type } : { type, zero: true };
}

function verticalLine(at: number): NonNullable<Spec['marks']>[number] {
  const enter = {
    x: { scale: 'x', value: at },
    y: { value: 0 },
    y2: { signal: 'height' },
    stroke: { value: 'black' },
  };
  return { type: 'rule', encode: { enter } };
}
