/** The options of how tokens are drawn, the same in every command that generates; the defaults are the editor's. */
import type { Command } from 'commander';
import {
  DEFAULT_SAMPLING,
  MAX_SEED,
  SEED_OF_PROMPT,
  type SamplingOptions,
} from '../core/completion/sampling';
import { decimal, integer } from './engine_options';

export interface SamplingArguments extends Omit<SamplingOptions, 'seed'> {
  readonly seed?: number;
}

const MOST_TOP_K = 2 ** 31 - 1;

export function withSamplingOptions(command: Command): Command {
  const fallback = DEFAULT_SAMPLING;
  return command
    .option(
      '--temperature <x>',
      'how freely tokens are drawn; 0: greedy',
      decimal(0, 100),
      fallback.temperature,
    )
    .option('--top-k <n>', 'only so many of the likeliest; 0: all', integer(0, MOST_TOP_K), fallback.topK)
    .option(
      '--top-p <x>',
      'only the likeliest with this share together; 1: all',
      decimal(0, 1),
      fallback.topP,
    )
    .option(
      '--min-p <x>',
      'only those this part as likely as the likeliest; 0: all',
      decimal(0, 1),
      fallback.minP,
    )
    .option(
      '--repeat-penalty <x>',
      'how much less likely what occurred becomes; 1: not at all',
      decimal(0.01, 100),
      fallback.repeatPenalty,
    )
    .option('--seed <n>', 'what the random numbers follow from (default: the prompt)', integer(0, MAX_SEED));
}

export function samplingOf(options: SamplingArguments): SamplingOptions {
  const { temperature, topK, topP, minP, repeatPenalty, seed = SEED_OF_PROMPT } = options;
  return { temperature, topK, topP, minP, repeatPenalty, seed };
}
