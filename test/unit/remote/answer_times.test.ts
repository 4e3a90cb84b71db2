import { describe, expect, it } from 'vitest';
import { AnswerTimes } from '../../../core/remote/answer_times';

const LIMIT_MS = 800;

function timesOf(...ms: readonly number[]): AnswerTimes {
  const times = new AnswerTimes();
  for (const one of ms) times.add(one);
  return times;
}

describe('how long a remote engine usually takes', () => {
  it('is a small part of the limit where little is known', () => {
    expect(timesOf().usualMs(LIMIT_MS)).toBe(100);
    expect(timesOf(300, 300, 300, 300, 300, 300, 300).usualMs(LIMIT_MS)).toBe(100);
  });

  it('is what nineteen of twenty answers took at most', () => {
    const times = timesOf(...Array.from({ length: 19 }, (_, index) => 200 + index), 790);
    expect(times.usualMs(LIMIT_MS)).toBe(218);
    times.add(790);
    expect(times.usualMs(LIMIT_MS)).toBe(400);
  });

  it('is never less than a sixteenth of the limit, nor more than half of it', () => {
    expect(timesOf(...Array.from({ length: 10 }, () => 5)).usualMs(LIMIT_MS)).toBe(50);
    expect(timesOf(...Array.from({ length: 10 }, () => 700)).usualMs(LIMIT_MS)).toBe(400);
  });

  it('forgets what was long ago', () => {
    const times = timesOf(...Array.from({ length: 40 }, () => 390));
    for (let count = 0; count < 40; count++) times.add(150);
    expect(times.usualMs(LIMIT_MS)).toBe(150);
  });
});
