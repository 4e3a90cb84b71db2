/** What is done in each round of a soak: follows from the seed and the round's number alone. */
import { SeededRandom } from '../random';

export type RoundKind = 'type' | 'burst' | 'generate' | 'edit' | 'reload' | 'remote';

export interface Round {
  readonly kind: RoundKind;
  /** Which of the files. */
  readonly file: number;
  /** The file is closed first, and opened anew. */
  readonly reopens: boolean;
  readonly keys: number;
  /** Times the intervals of a person: below 1 keys are faster than answers. */
  readonly pace: number;
  /** Of what is drawn within the round. */
  readonly seed: number;
}

export const LEAST_KEYS = 8;
const MOST_KEYS = 24;
const BURST_PACE = 1 / 8;
/** Each kind comes at least once in so many rounds. */
export const CYCLE: readonly RoundKind[] = [
  'type',
  'burst',
  'edit',
  'type',
  'generate',
  'burst',
  'remote',
  'type',
  'burst',
  'reload',
];

/** @param kinds Come in turn. */
export function roundOf(
  seed: number,
  number: number,
  files: number,
  kinds: readonly RoundKind[] = CYCLE,
): Round {
  const random = new SeededRandom(Math.imul(seed + 1, 0x9e37_79b1) ^ Math.imul(number + 1, 0x85eb_ca6b));
  const kind = kinds[number % kinds.length] ?? 'type';
  return {
    kind,
    file: random.below(files),
    reopens: random.below(4) === 0,
    keys: LEAST_KEYS + random.below(MOST_KEYS - LEAST_KEYS + 1),
    pace: kind === 'burst' ? BURST_PACE : 1 / 2,
    seed: random.below(2 ** 32),
  };
}
