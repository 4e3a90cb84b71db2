/** Fits how sure one can be of a suggestion (core/completion/certainty.ts) to places whose authors' text is known. */
import { Calibration, tempered } from '../../core/completion/calibration';
import {
  CERTAINTY_WEIGHTS,
  type CertaintyWeights,
  certaintyOf,
  type Eagerness,
  EAGERNESS,
  featuresOf,
} from '../../core/completion/certainty';
import { ascend } from '../gradient_ascent';
import { ownRow, type Row } from '../report';
import type { Observation } from './observations';

/** Each tenth of the places is judged with the weights that the others give. */
const PARTS = 10;

/** The weights under which what was right is likeliest: logistic regression. */
export function fitCertainty(observations: readonly Observation[]): CertaintyWeights {
  const rows = observations.map((one) => ({ one, features: featuresOf(one) }));
  const start = CERTAINTY_WEIGHTS.map(() => 0);
  const [bias = 0, probability = 0, startsLine = 0] = ascend(start, (weights) => {
    const gradient = start.map(() => 0);
    for (const { one, features } of rows) {
      const error = Number(one.right) - certaintyOf(one, weights as unknown as CertaintyWeights);
      features.forEach((feature, at) => (gradient[at] = (gradient[at] ?? 0) + error * feature));
    }
    return gradient;
  });
  return [bias, probability, startsLine];
}

function fittedTo(observations: readonly Observation[]): (one: Observation) => number {
  const weights = fitCertainty(observations);
  return (one) => certaintyOf(one, weights);
}

/** What is said of observations that those who say it were not fitted to. */
function judgedByOthers(
  observations: readonly Observation[],
  fit: (others: readonly Observation[]) => (one: Observation) => number,
): { readonly certainty: number; readonly right: boolean }[] {
  const parts = Array.from({ length: PARTS }, (_, part) =>
    observations.filter(({ at }) => at % PARTS === part),
  );
  return parts.flatMap((part, index) => {
    const certaintyIn = fit(parts.filter((_, other) => other !== index).flat());
    return part.map((one) => ({ certainty: certaintyIn(one), right: one.right }));
  });
}

/**
 * How well the weights in the code judge another model's lines: as they are, with the temperature that the extension would learn from the others
 * (core/completion/calibration.ts), and with weights fitted to them.
 */
export function temperatureRows(name: string, lines: readonly Observation[]): Row[] {
  const learnt = (seen: readonly Observation[]): number => {
    const calibration = new Calibration();
    for (const one of seen) calibration.add(certaintyOf(one), one.right);
    return calibration.temperature;
  };
  const ways = {
    loss: judgedByOthers(lines, () => certaintyOf),
    'loss-tempered': judgedByOthers(lines, (others) => {
      const temperature = learnt(others);
      return (one) => tempered(certaintyOf(one), temperature);
    }),
    'loss-fitted': judgedByOthers(lines, fittedTo),
  };
  const losses = Object.entries(ways).map(([way, judged]) => {
    const sum = judged.reduce(
      (all, { certainty, right }) => all - Math.log(right ? certainty : 1 - certainty),
      0,
    );
    return ownRow(`${name}/${way}`, 'mnats', (1_000 * sum) / Math.max(1, judged.length));
  });
  return [ownRow(`${name}/temperature`, '', learnt(lines)), ...losses];
}

/**
 * The weights over all, and what each eagerness shows and has right, judged on places that the weights were not fitted to.
 * @param name What the rows are about.
 * @param least How sure one has to be at an eagerness.
 */
export function certaintyRows(
  name: string,
  observations: readonly Observation[],
  least: (eagerness: Eagerness) => number,
): Row[] {
  const judged = judgedByOthers(observations, fittedTo);
  const names = ['one', 'log-probability', 'starts-line'];
  const weights = fitCertainty(observations);
  return [
    ownRow(`${name}/places`, 'places', new Set(observations.map(({ at }) => at)).size),
    ownRow(`${name}/observations`, 'observations', observations.length),
    ...names.map((weight, at) => ownRow(`${name}/weight-${weight}`, 'logit', weights[at] ?? 0)),
    ...EAGERNESS.flatMap((eagerness) => {
      const shown = judged.filter(({ certainty }) => certainty >= least(eagerness));
      const right = shown.filter((one) => one.right);
      const said = shown.reduce((sum, { certainty }) => sum + certainty, 0);
      return [
        ownRow(`${name}/${eagerness}-shown`, '%', (100 * shown.length) / judged.length),
        ownRow(`${name}/${eagerness}-right`, '%', (100 * right.length) / Math.max(1, shown.length)),
        ownRow(`${name}/${eagerness}-said`, '%', (100 * said) / Math.max(1, shown.length)),
      ];
    }),
  ];
}
