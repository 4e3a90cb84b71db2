/** What an engine that is made up says of how sure it was. */
import type { NativeCompletion } from '../../core/engine/native_types';

/** What is said of tokens. */
type Said = Pick<
  NativeCompletion,
  'confidence' | 'idProbabilities' | 'tokenProbabilities' | 'tokenEnds' | 'barredProbability'
>;

/** Of a `text` that came as one token: `probability` is that of all of it. */
export function asOneToken(text: string, probability: number): Said {
  return {
    confidence: probability,
    idProbabilities: Float32Array.of(probability),
    tokenProbabilities: Float32Array.of(probability),
    tokenEnds: Uint32Array.of(text.length),
    barredProbability: 0,
  };
}

/** Of a text that came as these tokens, each with its probability. */
export function asTokens(tokens: readonly (readonly [string, number])[]): Said {
  let end = 0;
  const probabilities = Float32Array.from(tokens, ([, probability]) => probability);
  return {
    confidence: tokens.reduce((product, [, probability]) => product * probability, 1),
    idProbabilities: probabilities,
    tokenProbabilities: probabilities,
    tokenEnds: Uint32Array.from(tokens, ([text]) => (end += text.length)),
    barredProbability: 0,
  };
}
