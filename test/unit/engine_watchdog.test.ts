/** An engine whose thread stands still: it is said once, of time in which the machine was awake, whatever the time of day does. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NativeProgress } from '../../core/engine/native_types';
import { type Standstill, standstillError, Watchdog } from '../../core/engine/watchdog';

const DAY_MS = 86_400_000;
const LOOKS = 30;
const LOOK_MS = 1_000;
/** The first look has nothing to compare with. */
const UNTIL_TOLD_MS = (LOOKS + 1) * LOOK_MS;

let progress: NativeProgress;
let told: (Standstill | 'moves')[];
let watchdog: Watchdog;

beforeEach(() => {
  vi.useFakeTimers();
  progress = { turns: 3, phase: 'decode', promptTokens: 40, generatedTokens: 7 };
  told = [];
  watchdog = new Watchdog(() => progress);
  watchdog.tell({
    stoodStill: (standstill) => told.push(standstill),
    movesAgain: () => told.push('moves'),
  });
});
afterEach(() => vi.useRealTimers());

describe('a thread that somebody waits for', () => {
  it('is told of once when nothing moves', () => {
    watchdog.begin();
    vi.advanceTimersByTime(UNTIL_TOLD_MS - 1);
    expect({ told, standsStill: watchdog.standsStill }).toEqual({ told: [], standsStill: false });
    vi.advanceTimersByTime(1);
    expect(told).toEqual([{ ...progress, seconds: 30 }]);
    expect(watchdog.standsStill).toBe(true);
    vi.advanceTimersByTime(10 * UNTIL_TOLD_MS);
    expect(told.length).toBe(1);
  });

  it('is told of again where it moved in between', () => {
    watchdog.begin();
    vi.advanceTimersByTime(UNTIL_TOLD_MS);
    progress = { ...progress, generatedTokens: 8 };
    vi.advanceTimersByTime(LOOK_MS);
    expect(told[1]).toBe('moves');
    expect(watchdog.standsStill).toBe(false);
    vi.advanceTimersByTime(UNTIL_TOLD_MS);
    expect(told[2]).toEqual({ ...progress, seconds: 30 });
  });

  it.each([
    ['a token of a text', (at: NativeProgress) => ({ ...at, generatedTokens: at.generatedTokens + 1 })],
    ['a slice of a prompt', (at: NativeProgress) => ({ ...at, promptTokens: at.promptTokens + 1 })],
    ['a job before this one', (at: NativeProgress) => ({ ...at, turns: at.turns + 1 })],
  ])('moves with %s', (_, next) => {
    watchdog.begin();
    for (let step = 0; step < 10; step++) {
      vi.advanceTimersByTime((LOOKS - 1) * LOOK_MS);
      progress = next(progress);
      vi.advanceTimersByTime(LOOK_MS);
    }
    expect(told).toEqual([]);
  });

  it('is looked at as long as anybody waits, and no longer', () => {
    watchdog.begin();
    watchdog.begin();
    watchdog.end();
    vi.advanceTimersByTime(UNTIL_TOLD_MS);
    expect(told.length).toBe(1);
    watchdog.end();
    expect(told[1]).toBe('moves');
    vi.advanceTimersByTime(10 * UNTIL_TOLD_MS);
    expect(told.length).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
    // Each request is another one: what it finds unmoved is not counted on.
    for (let request = 0; request < LOOKS; request++) {
      watchdog.begin();
      vi.advanceTimersByTime(5 * LOOK_MS);
      watchdog.end();
    }
    expect(told.length).toBe(2);
  });
});

describe('a clock', () => {
  it.each([
    ['forward', DAY_MS],
    ['backward', -DAY_MS],
  ])('that is set %s changes nothing', (_, by) => {
    watchdog.begin();
    for (let look = 0; look < LOOKS; look++) {
      vi.setSystemTime(Date.now() + by);
      vi.advanceTimersByTime(LOOK_MS);
    }
    expect(told).toEqual([]);
    vi.advanceTimersByTime(LOOK_MS);
    expect(told.length).toBe(1);
  });

  it('that went on while the machine slept costs at most a look', () => {
    watchdog.begin();
    vi.advanceTimersByTime(2 * LOOK_MS);
    // A timer that should have come all the while comes once.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + DAY_MS);
    vi.advanceTimersByTime(LOOK_MS);
    expect(told).toEqual([]);
    clock.mockRestore();
  });
});

describe('what is said of it', () => {
  const at = (changes: Partial<Standstill>): string =>
    standstillError({ ...progress, seconds: 30, ...changes }, 'cpu, avx2, 2 threads').message;

  it('names what it was at, how far it was, and what to do', () => {
    expect(at({})).toBe(
      'The engine has stood still for 30 seconds while writing a text (cpu, avx2, 2 threads), after 40 tokens of a prompt and 7 of a text; restart the engine, or the editor where that does not help.',
    );
    expect(at({ phase: 'prefill' })).toContain('while reading a prompt');
    expect(at({ turns: 4 })).toContain('seconds between two jobs');
  });
});
