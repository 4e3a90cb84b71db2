/** Draws the rows of a report: bars for us, the peer and the floor, drawn by Vega without a browser. */
import type { Spec } from 'vega';
import { Failure } from '../cli/failure';
import { floorRatio, partOfFloor, type Report, type Row } from './report';
import { svgOf } from './svg';

interface Bar {
  readonly row: string;
  readonly who: string;
  readonly speed: number;
}

const BAR_HEIGHT = 11;
const WIDTH = 560;
/** In the order of the bars and the legend; the colours can be told apart by everybody (Okabe and Ito). */
const COLOURS: Readonly<Record<string, string>> = {
  Emberline: '#0072b2',
  'llama.cpp': '#e69f00',
  'machine limit': '#bbbbbb',
};

/** An SVG image. Throws Failure where no row can be drawn. */
export async function plotSvg(report: Report): Promise<string> {
  const bars = barsOf(report.rows);
  if (bars.length === 0) {
    throw new Failure({ code: 'NO_ROWS', message: 'There is no row with a peer or a floor to draw.' });
  }
  return svgOf(specification(report, bars));
}

/** Speeds relative to the peer's or, where it was not measured, to the floor, so that rows of any unit stand side by side. */
export function barsOf(rows: readonly Row[]): Bar[] {
  return rows.flatMap((row): Bar[] => {
    const limit = floorRatio(row);
    if (row.ratio !== null) {
      const floor: Bar[] = limit === null ? [] : [{ row: row.name, who: 'machine limit', speed: limit }];
      return [
        { row: row.name, who: 'Emberline', speed: row.ratio },
        { row: row.name, who: 'llama.cpp', speed: 1 },
        ...floor,
      ];
    }
    const part = partOfFloor(row);
    if (part === null) return [];
    return [
      { row: row.name, who: 'Emberline', speed: part },
      { row: row.name, who: 'machine limit', speed: 1 },
    ];
  });
}

function specification({ suite, machine }: Report, bars: readonly Bar[]): Spec {
  const shown = Object.keys(COLOURS).filter((name) => bars.some(({ who }) => who === name));
  const rows = new Set(bars.map(({ row }) => row)).size;
  const unit = shown.includes('llama.cpp')
    ? 'speed, llama.cpp = 1 (square-root scale)'
    : 'speed, machine limit = 1 (square-root scale)';
  return {
    $schema: 'https://vega.github.io/schema/vega/v6.json',
    width: WIDTH,
    height: rows * (shown.length + 1) * BAR_HEIGHT,
    padding: 8,
    background: 'white',
    title: { text: [suite, machine] },
    data: [{ name: 'bars', values: [...bars] }],
    scales: [
      {
        name: 'x',
        // So that a limit that is far away leaves room for the others.
        type: 'sqrt',
        domain: { data: 'bars', field: 'speed' },
        range: 'width',
        zero: true,
        nice: true,
      },
      { name: 'y', type: 'band', domain: { data: 'bars', field: 'row' }, range: 'height', padding: 0.2 },
      {
        name: 'colour',
        type: 'ordinal',
        domain: shown,
        range: shown.map((name) => COLOURS[name] ?? 'black'),
      },
    ],
    axes: [
      { orient: 'bottom', scale: 'x', title: unit, grid: true },
      { orient: 'left', scale: 'y', ticks: false, labelLimit: 240 },
    ],
    legends: [{ fill: 'colour', orient: 'bottom', direction: 'horizontal' }],
    marks: [
      {
        type: 'group',
        from: { facet: { data: 'bars', name: 'ofRow', groupby: 'row' } },
        encode: { enter: { y: { scale: 'y', field: 'row' } } },
        signals: [{ name: 'height', update: "bandwidth('y')" }],
        scales: [{ name: 'place', type: 'band', range: 'height', domain: shown }],
        marks: [
          {
            type: 'rect',
            from: { data: 'ofRow' },
            encode: {
              enter: {
                y: { scale: 'place', field: 'who' },
                height: { scale: 'place', band: 1 },
                x: { scale: 'x', value: 0 },
                x2: { scale: 'x', field: 'speed' },
                fill: { scale: 'colour', field: 'who' },
              },
            },
          },
        ],
      },
    ],
  };
}
