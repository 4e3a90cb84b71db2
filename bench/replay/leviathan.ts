/**
 * What speculative decoding should give.
 *
 * Source: Leviathan, Kalman and Matias, "Fast inference from transformers via speculative decoding" (ICML 2023), equation 1 and
 * theorem 3.8. Both take each drafted token to be right with the same probability, whatever the others were.
 */

/** Tokens for each run of the target with drafts of `drafted` tokens, of which each is right with probability `acceptance`, 0 to 1. */
export function expectedTokens(acceptance: number, drafted: number): number {
  // The sum that the formula is short for: near 1 it loses digits.
  let tokens = 1;
  for (let token = 0; token < drafted; token++) tokens = 1 + acceptance * tokens;
  return tokens;
}

/**
 * How many times faster that is than plain decode.
 * @param draftCost What a token takes in the draft, in parts of a plain step.
 * @param batchCost What a batch of `drafted` + 1 tokens takes, in plain steps; theirs is 1.
 */
export function expectedSpeedup(
  acceptance: number,
  drafted: number,
  draftCost: number,
  batchCost = 1,
): number {
  return expectedTokens(acceptance, drafted) / (drafted * draftCost + batchCost);
}
