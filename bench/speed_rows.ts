/** What each speed suite measures: which model, with which prompt, by which request, in which unit, against which floor. */
import { forwardSeconds, type MachineLimits, type ModelCost, tokenSeconds } from './floors';
import { requestLine } from './line_protocol';
import { BENCH_MODELS, type BenchModel } from './shapes';
import type { Better } from './statistics';

export const SPEED_SUITES = ['decode', 'prefill', 'verify', 'reuse', 'load'] as const;
export type SpeedSuite = (typeof SPEED_SUITES)[number];

export interface SpeedRow {
  readonly name: string;
  readonly promptTokens: number;
  /** What a worker is asked; it answers with milliseconds. */
  readonly request: string;
  /** Who measures ours: the product itself, or the program that reaches below it. */
  readonly measuredBy: 'engine' | 'forward';
  /** Each sample needs a process that has not loaded the model. */
  readonly fresh: boolean;
  readonly unit: 'tok/s' | 'ms';
  readonly better: Better;
  /** What is measured beside it, of ours alone. */
  readonly beside?: { readonly request: string; readonly what: 'one-token' | 'in-a-row' };
  /** The figure for a time in milliseconds. */
  readonly figure: (ms: number) => number;
  /** The time that the machine's limits allow, milliseconds; null where those that decide it are not known. */
  readonly floorMs: (cost: ModelCost, limits: MachineLimits) => number | null;
}

const DECODE_PROMPT = 512;
const DECODE_TOKENS = 128;
const VERIFY_TOKENS = [4, 8];
const REUSE_PROMPT = 1_024;
const REUSE_CHANGED = 5;
/** Where in the prompt the tokens come from that replace the last ones. */
const REUSE_STEP = 100;
/** By then a processor that rested is at its speed. */
const REUSE_IN_A_ROW = 6;
const LOAD_PROMPT = 16;

const throughput = (tokens: number): Pick<SpeedRow, 'unit' | 'better' | 'figure'> => ({
  unit: 'tok/s',
  better: 'higher',
  figure: (ms) => (1_000 * tokens) / ms,
});
const LATENCY = { unit: 'ms', better: 'lower', figure: (ms: number) => ms } as const;
const THROUGH_THE_PRODUCT = { measuredBy: 'engine', fresh: false } as const;

/** The rows of a suite for a model called `name`; `small`: it is one for which long and short prompts are measured too. */
export function speedRows(suite: SpeedSuite, name: string, small: boolean): SpeedRow[] {
  switch (suite) {
    case 'decode':
      return [decodeRow(name)];
    case 'prefill':
      return (small ? [128, 512, 2_048] : [512]).map((tokens) => prefillRow(name, tokens));
    case 'verify':
      return VERIFY_TOKENS.map((tokens) => verifyRow(name, tokens));
    case 'reuse':
      return [reuseRow(name)];
    case 'load':
      return [loadRow(name)];
  }
}

/** One of the bench's models with the rows of the suite that are measured with it. */
export function benchRows(suite: SpeedSuite): { readonly model: BenchModel; readonly rows: SpeedRow[] }[] {
  return BENCH_MODELS.map((model) => ({
    model,
    rows: speedRows(suite, model.name, model.name.startsWith('smollm2')),
  }));
}

function decodeRow(name: string): SpeedRow {
  const steps = DECODE_TOKENS - 1;
  return {
    name: `decode/${name}`,
    promptTokens: DECODE_PROMPT,
    request: requestLine('decode', DECODE_TOKENS),
    ...THROUGH_THE_PRODUCT,
    ...throughput(steps),
    // The average step has half of the new tokens before it.
    floorMs: (cost, limits) => 1_000 * steps * tokenSeconds(cost, limits, DECODE_PROMPT + DECODE_TOKENS / 2),
  };
}

function prefillRow(name: string, tokens: number): SpeedRow {
  return {
    name: `prefill${tokens}/${name}`,
    promptTokens: tokens,
    request: requestLine('prefill'),
    ...THROUGH_THE_PRODUCT,
    ...throughput(tokens),
    // Of so many tokens it is the arithmetic that takes its time.
    floorMs: (cost, limits) =>
      limits.operationsPerSecond === null
        ? null
        : 1_000 * forwardSeconds(cost, limits, { tokens, positions: 0, logits: 1 }),
  };
}

function verifyRow(name: string, tokens: number): SpeedRow {
  return {
    name: `verify${tokens}/${name}`,
    promptTokens: DECODE_PROMPT,
    request: requestLine('forward', tokens),
    beside: { request: requestLine('forward', 1), what: 'one-token' },
    measuredBy: 'forward',
    fresh: false,
    ...LATENCY,
    floorMs: (cost, limits) =>
      1_000 * forwardSeconds(cost, limits, { tokens, positions: DECODE_PROMPT, logits: tokens }),
  };
}

function reuseRow(name: string): SpeedRow {
  return {
    name: `reuse/${name}`,
    promptTokens: REUSE_PROMPT,
    request: requestLine('reuse', REUSE_CHANGED, REUSE_STEP),
    beside: { request: requestLine('reuse', REUSE_CHANGED, REUSE_STEP, REUSE_IN_A_ROW), what: 'in-a-row' },
    ...THROUGH_THE_PRODUCT,
    ...LATENCY,
    floorMs: (cost, limits) =>
      1_000 *
      forwardSeconds(cost, limits, {
        tokens: REUSE_CHANGED,
        positions: REUSE_PROMPT - REUSE_CHANGED,
        logits: 1,
      }),
  };
}

function loadRow(name: string): SpeedRow {
  return {
    name: `load/${name}`,
    promptTokens: LOAD_PROMPT,
    request: requestLine('load'),
    measuredBy: 'engine',
    fresh: true,
    ...LATENCY,
    // Every weight is read once, from the page cache.
    floorMs: (cost, limits) => 1_000 * tokenSeconds(cost, limits, 0),
  };
}
