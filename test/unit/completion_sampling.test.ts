import { describe, expect, it } from 'vitest';
import { DEFAULT_SAMPLING, MAX_SEED, samplingFor } from '../../core/completion/sampling';

describe('sampling', () => {
  it('passes the options on', () => {
    const { temperature, topK, topP, minP, repeatPenalty } = DEFAULT_SAMPLING;
    expect(samplingFor(DEFAULT_SAMPLING, 'x')).toMatchObject({
      temperature,
      topK,
      topP,
      minP,
      repeatPenalty,
    });
  });

  it('takes the seed from the text', () => {
    const seeds = ['return ', 'return', ' return', '', '\ud83d', '\u{1f600}'].map(
      (text) => samplingFor(DEFAULT_SAMPLING, text).seed,
    );
    expect(new Set(seeds).size).toBe(seeds.length);
    for (const seed of seeds) expect(Number.isSafeInteger(seed) && seed >= 0).toBe(true);
    expect(samplingFor(DEFAULT_SAMPLING, 'return ').seed).toBe(seeds[0]);
  });

  it('takes the seed of the user instead, whatever the text', () => {
    for (const seed of [0, 7, MAX_SEED]) {
      expect(samplingFor({ ...DEFAULT_SAMPLING, seed }, 'return ').seed).toBe(seed);
    }
  });
});
