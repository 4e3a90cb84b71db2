/**
 * How sure one may be of another model than the one that certainty.ts was fitted to: a temperature, learnt from lines that were suggested, or
 * could have been, and from what was then typed.
 *
 * Guo, Pleiss, Sun and Weinberger, "On Calibration of Modern Neural Networks" (ICML 2017): the logit of the certainty is divided by the
 * temperature, above 1 for a model that is too sure, below for one that is not sure enough; what is likelier right than wrong stays so. It is the
 * likeliest one given what was seen, and that most models are alike (a normal law of its logarithm).
 */

import { logistic, logitOf } from './certainty';

/** What was seen, by certainty: of each stretch of logits how many lines there were, and how many of them were right. */
export interface CalibrationCounts {
  readonly lines: readonly number[];
  /** None more than of the lines. */
  readonly right: readonly number[];
}

/** Stretches of half a logit, the outermost without an end. */
const STRETCH = 1 / 2;
const LOWEST = -8;
/** How many numbers a list of counts has. */
export const STRETCHES = 21;
/** Of the logarithm of the temperature: two models of other sizes and makes differed from the embedded one by 0.22 and -0.08. */
const DEVIATION = 0.3;
/** The most, above which nothing would be sure enough for who wants it quiet, and one over it; and steps between. */
const MOST_TEMPERATURE = 1.5;
const LEAST_LOG = -Math.log(MOST_TEMPERATURE);
const STEP_LOG = Math.log(MOST_TEMPERATURE) / 20;
const STEPS = 41;
/** So many lines are remembered at most; at one more, half of them are forgotten. */
const MOST_LINES = 1_000;

export class Calibration {
  private readonly lines: number[];
  private readonly right: number[];
  private readonly changed: (counts: CalibrationCounts) => void;
  private found: number;

  /** @param changed Called with all that is known, each time there is more. */
  constructor(counts?: CalibrationCounts, changed: (counts: CalibrationCounts) => void = () => undefined) {
    this.lines = [...(counts?.lines ?? noCounts())];
    this.right = [...(counts?.right ?? noCounts())];
    this.changed = changed;
    this.found = likeliest(this.counts);
  }

  /** 2/3 to 1.5; 1 where nothing was seen. */
  get temperature(): number {
    return this.found;
  }

  get counts(): CalibrationCounts {
    return { lines: [...this.lines], right: [...this.right] };
  }

  /**
   * A line came to its end.
   * @param certainty How sure one could be that the model's line is right, as it was fitted, 0 to 1.
   * @param right Whether it was what was typed.
   */
  add(certainty: number, right: boolean): void {
    const at = Math.round((logitOf(certainty) - LOWEST) / STRETCH);
    const stretch = Math.min(STRETCHES - 1, Math.max(0, at));
    this.lines[stretch] = (this.lines[stretch] ?? 0) + 1;
    this.right[stretch] = (this.right[stretch] ?? 0) + Number(right);
    if (sumOf(this.lines) > MOST_LINES) this.forgetHalf();
    this.found = likeliest(this.counts);
    this.changed(this.counts);
  }

  private forgetHalf(): void {
    for (const counts of [this.lines, this.right])
      counts.forEach((count, at) => (counts[at] = Math.floor(count / 2)));
  }
}

/** The certainty at a temperature. 0 and 1 stay. */
export function tempered(certainty: number, temperature: number): number {
  if (temperature === 1) return certainty;
  return logistic(logitOf(certainty) / temperature);
}

/** Of a grid of temperatures. */
function likeliest({ lines, right }: CalibrationCounts): number {
  let best = 1;
  let most = -Infinity;
  for (let step = 0; step < STEPS; step++) {
    const log = LEAST_LOG + step * STEP_LOG;
    const temperature = Math.exp(log);
    let likelihood = -(log ** 2) / (2 * DEVIATION ** 2);
    lines.forEach((count, at) => {
      const logit = (LOWEST + at * STRETCH) / temperature;
      const hits = right[at] ?? 0;
      likelihood -= hits * Math.log1p(Math.exp(-logit)) + (count - hits) * Math.log1p(Math.exp(logit));
    });
    if (likelihood > most) {
      most = likelihood;
      best = temperature;
    }
  }
  return best;
}

function noCounts(): number[] {
  return Array.from({ length: STRETCHES }, () => 0);
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
