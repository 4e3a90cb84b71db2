/** Fits the weight of the document's memory: a logistic function of what is known before the token is. */
import { ascend } from '../gradient_ascent';
import type { Observation } from './observations';

/** The weight's logit is the sum of these, each times what `featuresOf` says. */
export type Weights = readonly number[];

const LEAST_LIKELIHOOD = 1e-12;

export const FEATURES = ['one', 'log2 length', 'agreement', 'log2 occurrences', 'doubt'] as const;

/** One for each of FEATURES. `doubt`: the logarithm of the odds that the model's surest token is not the one, within ±8. */
export function featuresOf({ length, agreement, occurrences, surest }: Observation): number[] {
  const doubt = Math.log((1 - surest + 1e-9) / (surest + 1e-9));
  return [1, Math.log2(length), agreement, Math.log2(occurrences), Math.max(-8, Math.min(8, doubt))];
}

export function weightOf(weights: Weights, features: readonly number[]): number {
  return 1 / (1 + Math.exp(-features.reduce((sum, feature, at) => sum + feature * (weights[at] ?? 0), 0)));
}

/** Gain in log-likelihood over the model alone, nats. */
export function gainOf(weights: Weights, observations: readonly Observation[]): number {
  const gains = observations.map((one) => {
    const weight = weightOf(weights, featuresOf(one));
    return Math.log(1 - weight + (weight * one.memory) / Math.max(one.model, LEAST_LIKELIHOOD));
  });
  return gains.reduce((sum, gain) => sum + gain, 0);
}

/** The weights under which the observations are likeliest. */
export function fitWeights(observations: readonly Observation[]): Weights {
  const rows = observations.map((one) => ({ features: featuresOf(one), one }));
  const start = FEATURES.map((_, at) => (at === 0 ? -1 : 0));
  return ascend(start, (weights) => {
    const gradient = start.map(() => 0);
    for (const { features, one } of rows) {
      const weight = weightOf(weights, features);
      const likelihood = (1 - weight) * one.model + weight * one.memory;
      const slope =
        ((one.memory - one.model) * weight * (1 - weight)) / Math.max(likelihood, LEAST_LIKELIHOOD);
      features.forEach(
        (feature, at) => (gradient[at] = (gradient[at] ?? 0) + (slope * feature) / rows.length),
      );
    }
    return gradient;
  });
}
