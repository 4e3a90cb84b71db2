/** What an engine that is made up says of how sure it was. */
import type { NativeCompletion } from '../../core/engine/native_types';

/** Of a `text` that came as one token: `probability` is that of all of it. */
export function asOneToken(
  text: string,
  probability: number,
): Pick<NativeCompletion, 'confidence' | 'tokenProbabilities' | 'tokenEnds'> {
  return {
    confidence: probability,
    tokenProbabilities: Float32Array.of(probability),
    tokenEnds: Uint32Array.of(text.length),
  };
}

/** Of a text that came as these tokens, each with its probability. */
export function asTokens(
  tokens: readonly (readonly [string, number])[],
): Pick<NativeCompletion, 'confidence' | 'tokenProbabilities' | 'tokenEnds'> {
  let end = 0;
  return {
    confidence: tokens.reduce((product, [, probability]) => product * probability, 1),
    tokenProbabilities: Float32Array.from(tokens, ([, probability]) => probability),
    tokenEnds: Uint32Array.from(tokens, ([text]) => (end += text.length)),
  };
}
