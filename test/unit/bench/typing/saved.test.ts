import { describe, expect, it } from 'vitest';
import { leadOf } from '../../../../bench/typing/saved';
import type { TypedStretch } from '../../../../bench/typing/typing_session';

const stretch = (needed: number, pressed: number): TypedStretch => ({
  path: 'a.py',
  keys: [],
  needed,
  pressed,
});

describe('the lead in keys saved', () => {
  it('is known without error where it is the same in every stretch', () => {
    const ours = [30, 50, 80].map((pressed) => stretch(100, pressed));
    const theirs = [40, 60, 90].map((pressed) => stretch(100, pressed));
    const { points, error } = leadOf(ours, theirs);
    expect(points).toBeCloseTo(10);
    expect(error).toBeCloseTo(0);
  });

  it('has the standard error of the mean of differences where stretches are of one length', () => {
    const ours = [30, 50, 80, 20].map((pressed) => stretch(100, pressed));
    const theirs = [40, 45, 95, 60].map((pressed) => stretch(100, pressed));
    const differences = [10, -5, 15, 40];
    const mean = 15;
    const variance = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / 3;
    const { points, error } = leadOf(ours, theirs);
    expect(points).toBeCloseTo(mean);
    expect(error).toBeCloseTo(Math.sqrt(variance / 4));
  });

  it('weighs stretches by their length, and says nothing of the error of one', () => {
    expect(
      leadOf([stretch(300, 100), stretch(100, 100)], [stretch(300, 200), stretch(100, 100)]).points,
    ).toBeCloseTo(25);
    expect(leadOf([stretch(10, 5)], [stretch(10, 6)]).error).toBeNaN();
  });
});
