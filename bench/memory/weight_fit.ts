/** Fits the weight of the document's memory: a logistic function of what is known before the token is. */
import { ascend } from '../gradient_ascent';
import type { Observation, Said } from './observations';

/** The weight's logit is the sum of these, each times what `featuresOf` says. */
export type Weights = readonly number[];

/** Of what the document says, and of what other files say. */
export interface MemoryWeights {
  readonly document: Weights;
  readonly others: Weights;
}

const LEAST_LIKELIHOOD = 1e-12;

export const FEATURES = ['one', 'log2 length', 'agreement', 'log2 occurrences', 'doubt'] as const;

/** One for each of FEATURES. `doubt`: the logarithm of the odds that the model's surest token is not the one, within ±8. */
export function featuresOf({ length, agreement, occurrences }: Said, surest: number): number[] {
  const doubt = Math.log((1 - surest + 1e-9) / (surest + 1e-9));
  return [1, Math.log2(length), agreement, Math.log2(occurrences), Math.max(-8, Math.min(8, doubt))];
}

/** 0 where nothing is said. */
export function weightOf(weights: Weights, said: Said, surest: number): number {
  if (said.length === 0) return 0;
  const logit = featuresOf(said, surest).reduce((sum, feature, at) => sum + feature * (weights[at] ?? 0), 0);
  return 1 / (1 + Math.exp(-logit));
}

/** The probability of the token that was written: other files are mixed into the model's law, and the document into both. */
function likelihoodOf(weights: MemoryWeights, { model, surest, document, others }: Observation): number {
  const far = weightOf(weights.others, others, surest);
  const near = weightOf(weights.document, document, surest);
  return (1 - near) * ((1 - far) * model + far * others.memory) + near * document.memory;
}

/** Gain in log-likelihood over the model alone, nats. */
export function gainOf(weights: MemoryWeights, observations: readonly Observation[]): number {
  const gains = observations.map((one) => {
    const least = Math.max(one.model, LEAST_LIKELIHOOD);
    return Math.log(Math.max(likelihoodOf(weights, one), LEAST_LIKELIHOOD) / least);
  });
  return gains.reduce((sum, gain) => sum + gain, 0);
}

/** The weights under which the observations are likeliest. */
export function fitWeights(observations: readonly Observation[]): MemoryWeights {
  const rows = observations.map((one) => ({
    one,
    near: featuresOf(one.document, one.surest),
    far: featuresOf(one.others, one.surest),
  }));
  const half = FEATURES.length;
  const start = [...FEATURES, ...FEATURES].map((_, at) => (at % half === 0 ? -1 : 0));
  const split = (all: readonly number[]): MemoryWeights => ({
    document: all.slice(0, half),
    others: all.slice(half),
  });
  const fitted = ascend(start, (all) => {
    const weights = split(all);
    const gradient = start.map(() => 0);
    for (const { one, near, far } of rows) {
      const inner = weightOf(weights.others, one.others, one.surest);
      const outer = weightOf(weights.document, one.document, one.surest);
      const base = (1 - inner) * one.model + inner * one.others.memory;
      const likelihood = Math.max((1 - outer) * base + outer * one.document.memory, LEAST_LIKELIHOOD);
      const slopes = {
        near: ((one.document.memory - base) * outer * (1 - outer)) / likelihood,
        far: ((1 - outer) * (one.others.memory - one.model) * inner * (1 - inner)) / likelihood,
      };
      if (slopes.near !== 0)
        near.forEach((x, at) => (gradient[at] = (gradient[at] ?? 0) + (slopes.near * x) / rows.length));
      if (slopes.far !== 0)
        far.forEach(
          (x, at) => (gradient[half + at] = (gradient[half + at] ?? 0) + (slopes.far * x) / rows.length),
        );
    }
    return gradient;
  });
  return split(fitted);
}
