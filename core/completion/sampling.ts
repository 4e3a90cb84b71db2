/** How tokens are drawn among those the model finds likely: what a user can choose, and the seed of a prompt. */
import { createHash } from 'node:crypto';
import type { NativeSampling } from '../engine/native_types';

export interface SamplingOptions {
  /** How freely tokens are drawn, 0 to 2; 0 takes the likeliest each time. */
  readonly temperature: number;
  /** Only so many of the likeliest tokens, 0 to 1000; 0: all. */
  readonly topK: number;
  /** Only the likeliest tokens that together have this share of the probability, 0 to 1; 1: all. */
  readonly topP: number;
  /** Only tokens at least this part as likely as the likeliest, 0 to 1; 0: all. */
  readonly minP: number;
  /** How much less likely a token of the text before becomes, 1 to 2; 1: not at all. */
  readonly repeatPenalty: number;
  /** What the random numbers follow from, up to `MAX_SEED`; `SEED_OF_PROMPT`: the prompt. */
  readonly seed: number;
}

export const SEED_OF_PROMPT = -1;
export const MAX_SEED = Number.MAX_SAFE_INTEGER;

/** For code: close to greedy, with enough freedom to leave a rut. */
export const DEFAULT_SAMPLING: SamplingOptions = {
  temperature: 0.2,
  topK: 40,
  topP: 0.95,
  minP: 0.1,
  repeatPenalty: 1,
  seed: SEED_OF_PROMPT,
};

/** Tokens before the next one that `repeatPenalty` looks at: a few lines of code. */
const PENALTY_WINDOW = 64;
/** Bytes of the digest that make the seed: as many whole ones as a safe integer holds. */
const SEED_BYTES = 6;

/**
 * What the engine takes for a prompt.
 * @param text All that the model is given, so that the same prompt gives the same text, and another one draws anew.
 */
export function samplingFor(options: SamplingOptions, text: string): NativeSampling {
  const { seed, ...law } = options;
  return { ...law, penaltyWindow: PENALTY_WINDOW, seed: seed === SEED_OF_PROMPT ? seedOf(text) : seed };
}

/** 0 to 2^48 - 1; SHA-256, so that similar prompts have unrelated seeds. */
function seedOf(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, SEED_BYTES);
}
