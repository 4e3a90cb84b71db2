/** What counts as growth in a soak. */
import { describe, expect, it } from 'vitest';
import { growthOf, isFlat, type Point, warmUpOf } from '../../../../bench/soak/flatness';
import { SeededRandom } from '../../../../bench/random';

const MINUTES = 15;

/** A figure every three seconds. */
function measured(value: (seconds: number, random: SeededRandom) => number): Point[] {
  const random = new SeededRandom(7);
  return Array.from({ length: MINUTES * 20 }, (_, i) => ({ seconds: 3 * i, value: value(3 * i, random) }));
}
const isMeasuredFlat = (points: Point[]): boolean | undefined => {
  const growth = growthOf(points, warmUpOf(60 * MINUTES));
  return growth && isFlat(growth, 0.02);
};

describe('what stays where it was', () => {
  it('begins after five minutes, or after a quarter of a shorter run', () => {
    expect(warmUpOf(3_600)).toBe(300);
    expect(warmUpOf(180)).toBe(45);
  });

  it('is flat, with noise, a start that grows, and a model that is unloaded now and then', () => {
    const noisy = (_: number, random: SeededRandom): number => 300 + 4 * random.next();
    expect(isMeasuredFlat(measured(noisy))).toBe(true);
    expect(isMeasuredFlat(measured((seconds) => Math.min(seconds, 250)))).toBe(true);
    expect(isMeasuredFlat(measured((seconds) => (seconds % 60 < 9 ? 120 : 300)))).toBe(true);
  });

  it('is not flat with a planted leak: a little a minute under noise, or one step that stays', () => {
    expect(isMeasuredFlat(measured((seconds, random) => 300 + seconds / 40 + 4 * random.next()))).toBe(false);
    expect(isMeasuredFlat(measured((seconds) => (seconds < 600 ? 300 : 350)))).toBe(false);
  });

  it('is not known of a few points', () => {
    expect(growthOf(measured(() => 1).slice(0, 8), 0)).toBeUndefined();
  });
});
