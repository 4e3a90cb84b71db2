/** Draws the rows of the sampling suite: the time of every algorithm for every shape. */
import { type Bar, barChart, COLOURS } from '../bar_chart';
import type { Report, Row } from '../report';

const SERIES = {
  sort: COLOURS.grey,
  filtersort: COLOURS.yellow,
  fastsort: COLOURS.orange,
  filterscan: COLOURS.vermilion,
  repeatedmax: COLOURS.purple,
  quickselect: COLOURS.sky,
  histogram: COLOURS.green,
  chosen: COLOURS.blue,
};

/** A row is a vocabulary and a nucleus, a series an algorithm. */
export function barsOf(rows: readonly Row[]): Bar[] {
  return rows.flatMap(({ name, ours }): Bar[] => {
    const [, row, series] = /^topp\/(.+)-([a-z]+)$/.exec(name) ?? [];
    return row === undefined || series === undefined ? [] : [{ row, series, value: ours }];
  });
}

/** An SVG image. Throws Failure where there is nothing to draw. */
export async function samplingPlot({ suite, machine, rows }: Report): Promise<string> {
  return barChart({
    title: [`${suite}: top-p`, machine],
    bars: barsOf(rows),
    colours: SERIES,
    axis: { title: 'us on one core (logarithmic scale)', scale: 'log' },
    barHeight: 7,
  });
}
