/** Draws the rows of the replay suite: how many times faster than plain decode. */
import { type Bar, barChart, COLOURS } from '../bar_chart';
import type { Report, Row } from '../report';

/** What drafts. */
const SERIES = { lookup: COLOURS.blue, 'draft model': COLOURS.orange };

/** Of the rows that have a speed, and that of plain decode beside it. */
export function barsOf(rows: readonly Row[]): Bar[] {
  return rows.flatMap(({ name, unit, ratio }): Bar[] => {
    if (unit !== 'tok/s' || ratio === null) return [];
    const row = name.replace(/^replay\//, '');
    return [{ row, series: row.startsWith('draft-') ? 'draft model' : 'lookup', value: ratio }];
  });
}

/** An SVG image. Throws Failure where there is nothing to draw. */
export async function replayPlot({ suite, machine, rows }: Report): Promise<string> {
  return barChart({
    title: [suite, machine],
    bars: barsOf(rows),
    colours: SERIES,
    axis: { title: 'speed, plain decode = 1', scale: 'linear' },
    barHeight: 13,
    single: true,
    rule: 1,
  });
}
