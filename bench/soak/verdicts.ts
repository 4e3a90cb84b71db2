/** What a soak is held to: each figure, its limit, and whether it holds. */
import { growthOf, isFlat, LEAST_POINTS, type Point, warmUpOf } from './flatness';
import type { LoopDelay } from './loop_delay.mjs';
import type { Sample } from './self_measurement';

export interface Verdict {
  readonly figure: string;
  readonly value: string;
  readonly limit: string;
  /** Undefined: too little was measured to say. */
  readonly holds: boolean | undefined;
  /** Hangs on who else computes: only reported. */
  readonly timing: boolean;
}

export interface Soaked {
  /** How long it was to take. */
  readonly minutes: number;
  readonly samples: readonly Sample[];
  readonly delay: LoopDelay;
  /** Documents that were compared with their slow model, and those that differed. */
  readonly compared: number;
  readonly differing: readonly string[];
  /** What went wrong: codes of errors. */
  readonly errors: readonly string[];
  /** By what was done, how often. */
  readonly done: Readonly<Record<string, number>>;
}

const MEBIBYTE = 2 ** 20;
const RESIDENT_SHARE = 0.02;
const HEAP_SHARE = 0.05;
/** A model that is unloaded and loaded takes a tenth away and brings it back: a short run sees too few of them for its medians to be flatter than this. */
const SHORT_SHARE = 0.15;
const SHORT_MINUTES = 15;
/** One that is just being closed. */
const COUNT_SLACK = 1;
const DELAY_MS = 10;
/** One line for a request: without any text of documents. */
const LOG_BYTES_A_REQUEST = 512;

export function verdictsOf(soaked: Soaked): Verdict[] {
  const { minutes, samples, delay, compared, differing, errors } = soaked;
  const last = samples.at(-1);
  const perRequest = (last?.logBytes ?? 0) / Math.max(1, last?.requests ?? 0);
  const isShort = minutes < SHORT_MINUTES;
  const shareOf = (share: number): number => (isShort ? SHORT_SHARE : share);
  const most = (value: number): string => value.toFixed(1);
  return [
    flat(
      samples,
      'resident memory, MiB',
      ({ residentBytes }) => residentBytes / MEBIBYTE,
      shareOf(RESIDENT_SHARE),
    ),
    flat(samples, 'JS heap, MiB', ({ heapBytes }) => heapBytes / MEBIBYTE, shareOf(HEAP_SHARE)),
    flat(samples, 'active resources', ({ resources }) => resources, 0, COUNT_SLACK),
    flat(samples, 'threads', ({ threads }) => threads, 0, COUNT_SLACK),
    flat(samples, 'file descriptors', ({ descriptors }) => descriptors, 0, COUNT_SLACK),
    {
      figure: 'event-loop delay p50 / p99 / p99.9 / max, ms',
      value: [delay.p50, delay.p99, delay.p999, delay.max].map(most).join(' / '),
      limit: `p99.9 <= ${DELAY_MS}`,
      holds: delay.p999 <= DELAY_MS,
      timing: true,
    },
    {
      figure: 'log, bytes a request',
      value: most(perRequest),
      limit: `<= ${LOG_BYTES_A_REQUEST}`,
      holds: perRequest <= LOG_BYTES_A_REQUEST,
      timing: false,
    },
    {
      figure: 'documents that differ from what was typed',
      value: `${differing.length} of ${compared}`,
      limit: '0, of at least 1',
      holds: differing.length === 0 && compared > 0,
      timing: false,
    },
    {
      figure: 'errors',
      value: errors.length === 0 ? '0' : `${errors.length}: ${[...new Set(errors)].join(', ')}`,
      limit: '0',
      holds: errors.length === 0,
      timing: false,
    },
  ];
}

/** Whether a limit is broken that does not hang on time. */
export function isBroken(verdicts: readonly Verdict[]): boolean {
  return verdicts.some(({ holds, timing }) => holds === false && !timing);
}

function flat(
  samples: readonly Sample[],
  figure: string,
  of: (sample: Sample) => number | undefined,
  share: number,
  absolute = 0,
): Verdict {
  const points = samples.flatMap((sample): Point[] => {
    const value = of(sample);
    return value === undefined ? [] : [{ seconds: sample.seconds, value }];
  });
  const growth = growthOf(points, warmUpOf(samples.at(-1)?.seconds ?? 0));
  const limit = share > 0 ? `grows <= ${100 * share} %` : `grows <= ${absolute}`;
  if (growth === undefined) {
    return { figure, value: `fewer than ${LEAST_POINTS} samples`, limit, holds: undefined, timing: false };
  }
  const { from, to } = growth;
  const digits = share > 0 ? 1 : 0;
  const value = `${from.toFixed(digits)} -> ${to.toFixed(digits)} (${to >= from ? '+' : ''}${(from === 0 ? 0 : (100 * (to - from)) / from).toFixed(2)} %)`;
  return { figure, value, limit, holds: isFlat(growth, share, absolute), timing: false };
}
