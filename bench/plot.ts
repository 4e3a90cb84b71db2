/** Draws the rows of a report: bars for us, the peer and the floor. */
import { type Bar, barChart, COLOURS } from './bar_chart';
import { floorRatio, partOfFloor, type Report, type Row } from './report';

const SERIES = {
  Emberline: COLOURS.blue,
  'llama.cpp': COLOURS.orange,
  'machine limit': COLOURS.grey,
};

/** An SVG image. Throws Failure where no row has a peer or a floor. */
export async function plotSvg({ suite, machine, rows }: Report): Promise<string> {
  const bars = barsOf(rows);
  const unit = bars.some(({ series }) => series === 'llama.cpp') ? 'llama.cpp' : 'machine limit';
  return barChart({
    title: [suite, machine],
    bars,
    colours: SERIES,
    // So that a limit that is far away leaves room for the others.
    axis: { title: `speed, ${unit} = 1 (square-root scale)`, scale: 'sqrt' },
    barHeight: 11,
  });
}

/** Speeds relative to the peer's or, where it was not measured, to the floor, so that rows of any unit stand side by side. */
export function barsOf(rows: readonly Row[]): Bar[] {
  return rows.flatMap((row): Bar[] => {
    const bar = (series: keyof typeof SERIES, value: number): Bar => ({ row: row.name, series, value });
    const limit = floorRatio(row);
    if (row.ratio !== null) {
      const floor = limit === null ? [] : [bar('machine limit', limit)];
      return [bar('Emberline', row.ratio), bar('llama.cpp', 1), ...floor];
    }
    const part = partOfFloor(row);
    return part === null ? [] : [bar('Emberline', part), bar('machine limit', 1)];
  });
}
