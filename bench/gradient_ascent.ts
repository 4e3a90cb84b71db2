/** Finds where a smooth function of a few numbers is largest. */

const STEPS = 6_000;
const RATE = 0.02;
/** How long the mean and the square of the gradient are remembered. */
const MEAN_DECAY = 0.9;
const SQUARE_DECAY = 0.999;
const EPSILON = 1e-8;

/**
 * Adam (Kingma and Ba 2015), always from `start` and over as many steps, so that the same function gives the same numbers.
 * @param gradient Of the function, at a point.
 */
export function ascend(
  start: readonly number[],
  gradient: (at: readonly number[]) => readonly number[],
): number[] {
  const point = [...start];
  const means = start.map(() => 0);
  const squares = start.map(() => 0);
  for (let step = 1; step <= STEPS; step++) {
    gradient(point).forEach((slope, at) => {
      const mean = (means[at] = MEAN_DECAY * (means[at] ?? 0) + (1 - MEAN_DECAY) * slope);
      const square = (squares[at] = SQUARE_DECAY * (squares[at] ?? 0) + (1 - SQUARE_DECAY) * slope * slope);
      const unbiased = Math.sqrt(1 - SQUARE_DECAY ** step) / (1 - MEAN_DECAY ** step);
      point[at] = (point[at] ?? 0) + (RATE * unbiased * mean) / (Math.sqrt(square) + EPSILON);
    });
  }
  return point;
}
