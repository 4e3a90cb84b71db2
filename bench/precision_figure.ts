/** Draws how many suggestions are right against how many are shown, with the eagernesses as points. */
import { EAGERNESS, LEAST_CERTAINTY } from '../core/completion/certainty';
import { COLOURS } from './bar_chart';
import type { Figure } from './html_page';
import { lineChart } from './line_chart';
import { type Judged, pointAt, precisionCurve } from './precision_curve';

const PALETTE = [COLOURS.blue, COLOURS.orange, COLOURS.green];

export interface Judgements {
  /** By what `right` means. */
  readonly judged: Readonly<Record<string, readonly Judged[]>>;
  /** How many places there were in all. */
  readonly of: number;
}

/**
 * Nothing where there are too few. Throws Failure.
 * @param places What is counted.
 */
export async function precisionFigure({ judged, of }: Judgements, places: string): Promise<Figure[]> {
  const series = Object.entries(judged);
  const points = series.flatMap(([name, some]) =>
    precisionCurve(some, of).map(({ share, precision }) => ({ series: name, x: share, y: precision })),
  );
  if (points.length === 0) return [];
  const marks = series.flatMap(([name, some], at) =>
    EAGERNESS.flatMap((eagerness) => {
      const point = pointAt(some, of, LEAST_CERTAINTY[eagerness]);
      // Once is enough: the others stand above or below.
      const label = at === 0 ? eagerness : '';
      return point === undefined ? [] : [{ series: name, x: point.share, y: point.precision, label }];
    }),
  );
  const svg = await lineChart({
    title: ['Precision by how much is shown'],
    points,
    colours: Object.fromEntries(series.map(([name], at) => [name, PALETTE[at % PALETTE.length] ?? ''])),
    x: { title: `% shown of ${of} ${places}`, scale: 'linear' },
    y: '% right of those shown',
    line: 'straight',
    marks,
  });
  return [
    {
      svg,
      caption:
        'From the surest suggestions on to all of them; the points are the eagernesses of the settings.',
    },
  ];
}
