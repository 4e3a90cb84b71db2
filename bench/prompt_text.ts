/** Prompts with an exact number of tokens, for any vocabulary. */
import { Failure } from '../cli/failure';
import { SeededRandom } from './random';

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => Promise<number>;

/** Enough different words that a prompt does not repeat itself too soon. */
const ENOUGH_WORDS = 64;
const LETTERS = Array.from('etaoinshrdlucmfwypvbgk');

/**
 * Words that are one token each with a space before them. Pre-tokenizers part text before such a space, so that n of them
 * are n tokens.
 */
export async function singleTokenWords(countTokens: CountTokens): Promise<string[]> {
  const words: string[] = [];
  for (const first of LETTERS) {
    for (const second of LETTERS) {
      const word = ` ${first}${second}`;
      if ((await countTokens(word)) === 1) words.push(word);
    }
  }
  if (words.length >= ENOUGH_WORDS) return words;
  throw new Failure({
    code: 'VOCABULARY_UNKNOWN',
    message: `The bench cannot write prompts for this vocabulary: only ${words.length} words of two letters are one token.`,
  });
}

/** `count` words in random order; the same seed gives the same ones. */
export function promptOf(words: readonly string[], count: number, seed: number): string[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: count }, () => words[random.below(words.length)] ?? '');
}

/** The prompt with its last `count` words replaced by others of it, those from `step` on. */
export function withLastReplaced(prompt: readonly string[], count: number, step: number): string[] {
  return [...prompt.slice(0, prompt.length - count), ...prompt.slice(step, step + count)];
}
