/** How sure one can be of a suggestion, and how the numbers in the code were come by. */
import { describe, expect, it } from 'vitest';
import { fitCertainty } from '../../bench/certainty/fit';
import { ownObservations } from '../../bench/certainty/observations';
import {
  PART_WEIGHTS,
  CERTAINTY_WEIGHTS,
  certaintyOf,
  certaintyOfPart,
  EAGERNESS,
  LEAST_CERTAINTY,
  leastConfidence,
  leastOfPart,
} from '../../core/completion/certainty';

describe('the certainty of a suggestion', () => {
  it("is a probability that grows with the model's", () => {
    let before = 0;
    for (const probability of [0, 1e-6, 0.01, 0.1, 0.5, 0.9, 1]) {
      const certainty = certaintyOf({ probability, startsLine: false });
      expect(certainty).toBeGreaterThan(before);
      expect(certainty).toBeLessThan(1);
      before = certainty;
    }
  });

  it('is less where a line starts, and never less as the suggestion is typed', () => {
    const at = (part: number, startsLine = false): number =>
      certaintyOf({ probability: 0.2 ** part, startsLine });
    expect(at(1, true)).toBeLessThan(at(1));
    const parts = [1, 0.8, 0.6, 0.4, 0.2, 0.05];
    for (const [index, part] of parts.entries()) {
      if (index > 0) expect(at(part)).toBeGreaterThanOrEqual(at(parts[index - 1] ?? 1));
    }
  });

  it('has the weights that its tables give', async () => {
    const { lines, parts } = await ownObservations();
    fitCertainty(lines).forEach((weight, at) => expect(weight).toBeCloseTo(CERTAINTY_WEIGHTS[at] ?? NaN, 1));
    fitCertainty(parts).forEach((weight, at) => expect(weight).toBeCloseTo(PART_WEIGHTS[at] ?? NaN, 1));
  });

  it('is as often right as it says, within four standard errors, in each tenth', async () => {
    const { lines } = await ownObservations();
    const places = lines.map((one) => ({ certainty: certaintyOf(one), right: one.right }));
    const tenths = Array.from({ length: 10 }, (_, tenth) =>
      places.filter(({ certainty }) => Math.floor(certainty * 10) === tenth),
    );
    for (const tenth of tenths) {
      const expected = tenth.reduce((sum, { certainty }) => sum + certainty, 0);
      const variance = tenth.reduce((sum, { certainty }) => sum + certainty * (1 - certainty), 0);
      const right = tenth.filter((one) => one.right).length;
      expect(Math.abs(right - expected)).toBeLessThanOrEqual(4 * Math.sqrt(variance) + 1);
    }
  });

  it('cannot be had from less than the least confidence', () => {
    for (const eagerness of EAGERNESS) {
      for (const startsLine of [false, true]) {
        const wanted = LEAST_CERTAINTY[eagerness];
        const confidence = leastConfidence(wanted, startsLine);
        expect(confidence).toBeGreaterThan(0);
        expect(confidence).toBeLessThan(wanted);
        const evidence = { probability: confidence, startsLine };
        expect(certaintyOf(evidence)).toBeLessThan(wanted);
        expect(certaintyOfPart(evidence)).toBeLessThan(leastOfPart(wanted));
        // But from little more.
        expect(certaintyOf({ probability: 2.5 * confidence, startsLine })).toBeGreaterThan(wanted);
      }
    }
    expect(leastConfidence(0, false)).toBe(0);
    expect(leastConfidence(1, false)).toBeLessThanOrEqual(1);
  });

  it('shows more the more eager it is', () => {
    const least = EAGERNESS.map((eagerness) => LEAST_CERTAINTY[eagerness]);
    expect(least).toEqual(least.toSorted((a, b) => b - a));
  });
});
