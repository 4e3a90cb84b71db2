/** Draws what a quality run found: how many lines are right, by how sure a line has to be to be shown. */
import type { Figure } from './html_page';
import type { Judged } from './precision_curve';
import { precisionFigure } from './precision_figure';
import type { Quality } from './quality';
import type { Completed } from './quality_rows';
import { isExact, isFirstWordRight, type Scored } from './scores';

/** Of lines that were drawn, or where none were, of those made greedily. Throws Failure. */
export async function qualityFigures({ lines }: Pick<Quality, 'lines'>): Promise<Figure[]> {
  const completed = lines.drawn.length > 0 ? lines.drawn : lines.greedy;
  const judged = {
    'exactly right': judgedBy(isExact, completed),
    'first word right': judgedBy(isFirstWordRight, completed),
  };
  return precisionFigure({ judged, of: completed.length }, 'places');
}

/** Those that nothing but doubt would hide. */
function judgedBy(holds: (one: Scored) => boolean, completed: readonly Completed[]): Judged[] {
  return completed
    .filter(({ reason }) => reason === 'shown' || reason === 'low_confidence')
    .map(({ case: { expected }, text, certainty = 0 }) => ({ certainty, right: holds({ expected, text }) }));
}
