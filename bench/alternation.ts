/** Measures several contenders in turn, so that whatever else the machine does hits all of them alike. */
import type { Contender } from './contenders';
import { median } from './statistics';

export interface Measured {
  readonly contender: Contender;
  /** Milliseconds, in the order they were taken. */
  readonly samples: number[];
}

/** Rounds after which a way of running the peer that cannot win is left out. */
const QUALIFYING_ROUNDS = 2;
/** By how much its best sample must be slower than that of the best one. */
const HOPELESS = 1.25;

/**
 * A round without a record, then `rounds` rounds: ours, then each rival. Rivals that fall far behind in the first rounds
 * take no part in the others: only the best of them counts.
 */
export async function alternate(
  ours: readonly Contender[],
  rivals: readonly Contender[],
  rounds: number,
  onRound: (round: number) => void,
): Promise<{ readonly ours: Measured[]; readonly rivals: Measured[] }> {
  const own = ours.map((contender): Measured => ({ contender, samples: [] }));
  let others = rivals.map((contender): Measured => ({ contender, samples: [] }));
  for (const { contender } of [...own, ...others]) await contender.sample();
  for (let round = 1; round <= rounds; round++) {
    onRound(round);
    for (const { contender, samples } of [...own, ...others]) samples.push(await contender.sample());
    if (round === QUALIFYING_ROUNDS) others = qualified(others);
  }
  return { ours: own, rivals: others };
}

export function qualified(measured: readonly Measured[]): Measured[] {
  const best = ({ samples }: Measured): number => Math.min(...samples);
  const leader = Math.min(...measured.map(best));
  return measured.filter((one) => best(one) <= HOPELESS * leader);
}

/** The one with the shortest median; undefined of none. */
export function fastest(measured: readonly Measured[]): { name: string; ms: number } | undefined {
  return measured
    .map(({ contender, samples }) => ({ name: contender.name, ms: median(samples) }))
    .sort((a, b) => a.ms - b.ms)[0];
}
