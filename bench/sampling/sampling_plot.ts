/** Draws the rows of the sampling suite: the time of every algorithm for every shape, drawn by Vega without a browser. */
import type { Spec } from 'vega';
import type { Report, Row } from '../report';
import { svgOf } from '../svg';

/** In the order of the bars; the colours can be told apart by everybody (Okabe and Ito). */
const COLOURS: Readonly<Record<string, string>> = {
  sort: '#bbbbbb',
  filtersort: '#f0e442',
  fastsort: '#e69f00',
  filterscan: '#d55e00',
  repeatedmax: '#cc79a7',
  quickselect: '#56b4e9',
  histogram: '#009e73',
  chosen: '#0072b2',
};

const BAR_HEIGHT = 7;
const WIDTH = 560;

interface Bar {
  /** Vocabulary and nucleus. */
  readonly shape: string;
  readonly algorithm: string;
  readonly us: number;
}

export function barsOf(rows: readonly Row[]): Bar[] {
  return rows.flatMap(({ name, ours }): Bar[] => {
    const [, shape, algorithm] = /^topp\/(.+)-([a-z]+)$/.exec(name) ?? [];
    return shape === undefined || algorithm === undefined ? [] : [{ shape, algorithm, us: ours }];
  });
}

/** An SVG image. */
export async function samplingPlot({ suite, machine, rows }: Report): Promise<string> {
  const bars = barsOf(rows);
  const shapes = new Set(bars.map(({ shape }) => shape)).size;
  const algorithms = Object.keys(COLOURS);
  const colours = algorithms.map((name) => COLOURS[name] ?? 'black');
  const specification: Spec = {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    width: WIDTH,
    height: shapes * (algorithms.length + 1) * BAR_HEIGHT,
    padding: 8,
    background: 'white',
    title: { text: [`${suite}: top-p`, machine] },
    data: [{ name: 'bars', values: bars }],
    scales: [
      { name: 'x', type: 'log', domain: { data: 'bars', field: 'us' }, range: 'width', nice: true },
      { name: 'y', type: 'band', domain: { data: 'bars', field: 'shape' }, range: 'height', padding: 0.15 },
      { name: 'colour', type: 'ordinal', domain: algorithms, range: colours },
    ],
    axes: [
      { orient: 'bottom', scale: 'x', title: 'us on one core (logarithmic scale)', grid: true, tickCount: 8 },
      { orient: 'left', scale: 'y', ticks: false, labelLimit: 240 },
    ],
    legends: [{ fill: 'colour', orient: 'bottom', direction: 'horizontal', columns: 4 }],
    marks: [
      {
        type: 'group',
        from: { facet: { data: 'bars', name: 'ofShape', groupby: 'shape' } },
        encode: { enter: { y: { scale: 'y', field: 'shape' } } },
        signals: [{ name: 'height', update: "bandwidth('y')" }],
        scales: [{ name: 'place', type: 'band', range: 'height', domain: algorithms }],
        marks: [
          {
            type: 'rect',
            from: { data: 'ofShape' },
            encode: {
              enter: {
                y: { scale: 'place', field: 'algorithm' },
                height: { scale: 'place', band: 1 },
                x: { value: 0 },
                x2: { scale: 'x', field: 'us' },
                fill: { scale: 'colour', field: 'algorithm' },
              },
            },
          },
        ],
      },
    ],
  };
  return svgOf(specification);
}
