/**
 * How sure it is that a suggestion is what its author would have written, the whole of it: what decides whether it is shown unasked.
 *
 * The model's own probability of a text is a bad measure of that: it is too sure of long lines that it makes up and not sure enough of
 * short ones. A logistic function of it, fitted to places whose authors' text is known, is right as often as it says
 * (`npm run bench -- certainty`, bench/certainty/); for other models with a temperature (calibration.ts). How sure the model is that the line
 * ends behind the text has no say: it says nothing about whether the text is right.
 */

/** What speaks for a suggestion. */
export interface Evidence {
  /** How probable the model finds the text, 0 to 1, whatever comes behind it. */
  readonly probability: number;
  /** Whether nothing but indentation stands before the cursor: what a line begins with is hardest to know. */
  readonly startsLine: boolean;
}

/** Weights of `featuresOf`; the fit prints them. */
export type CertaintyWeights = readonly [number, number, number];
export const CERTAINTY_WEIGHTS: CertaintyWeights = [1.96, 1.78, -0.13];

/** The least probability that counts: below, there is nothing to be sure of. */
const LEAST_PROBABILITY = 1e-9;

/** One, the logarithm of the probability, and whether a line starts. */
export function featuresOf({ probability, startsLine }: Evidence): CertaintyWeights {
  return [1, Math.log(Math.max(probability, LEAST_PROBABILITY)), startsLine ? 1 : 0];
}

/** The probability whose logit this is. */
export function logistic(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

export function logitOf(probability: number): number {
  return Math.log(probability / (1 - probability));
}

/** The probability that the text is right as a whole, 0 to 1. */
export function certaintyOf(evidence: Evidence, weights: CertaintyWeights = CERTAINTY_WEIGHTS): number {
  const logit = featuresOf(evidence).reduce((sum, feature, at) => sum + feature * (weights[at] ?? 0), 0);
  return logistic(logit);
}

/** Of a part of a line. */
export const PART_WEIGHTS: CertaintyWeights = [1.98, 1.94, 0.02];

/** The probability that the line goes on like this, 0 to 1, whatever comes behind it. */
export function certaintyOfPart(evidence: Evidence): number {
  return certaintyOf(evidence, PART_WEIGHTS);
}

/** A part saves fewer keys than a line: it has to be surer. Of the doubt that a line may leave it may leave six parts of seven. */
export function leastOfPart(leastCertainty: number): number {
  return 1 - (6 / 7) * (1 - leastCertainty);
}

/**
 * Several lines that come to their end: each may be wrong, so that together they are seldom as sure as one, and where a later one is wrong the
 * first is there all the same, which is as sure as one has to be. With this, eight of ten end right.
 */
export function leastOfLines(leastCertainty: number): number {
  return (3 / 4) * leastCertainty;
}

/** Somewhat less likely texts are made all the same: typed along, they may become likely enough. */
const LIKELIER_YET = 1 / 2;

/**
 * The probability below which neither a line nor a part of it is this certain, nor will be soon: what comes behind it is not worth
 * computing. 0 where nothing is too uncertain.
 * @param temperature Of the model's certainty (calibration.ts).
 */
export function leastConfidence(leastCertainty: number, startsLine: boolean, temperature = 1): number {
  const lowest = ([base, slope, start]: CertaintyWeights, certainty: number): number => {
    const logit = temperature * logitOf(certainty);
    return Math.exp((logit - base - (startsLine ? start : 0)) / slope);
  };
  const line = lowest(CERTAINTY_WEIGHTS, leastCertainty);
  const part = lowest(PART_WEIGHTS, leastOfPart(leastCertainty));
  return LIKELIER_YET * Math.min(1, line, part);
}

/**
 * Of text that follows a schema, whose shape is right whatever it says: not fitted, and meant to hide little.
 * @param confidence The mean probability of its tokens.
 */
export function certaintyUnderSchema(confidence: number): number {
  return Math.sqrt(confidence);
}

/** How much is shown unasked: `quiet` little that is mostly right, `eager` whatever may help. */
export const EAGERNESS = ['quiet', 'balanced', 'eager'] as const;
export type Eagerness = (typeof EAGERNESS)[number];

/** How sure a suggestion has to be. */
export const LEAST_CERTAINTY: Readonly<Record<Eagerness, number>> = {
  quiet: 0.75,
  balanced: 0.2,
  eager: 0.05,
};
