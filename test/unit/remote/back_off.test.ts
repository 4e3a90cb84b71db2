import { describe, expect, it } from 'vitest';
import { BackOff } from '../../../core/remote/back_off';
import { late, statusError, unreachable } from '../../../core/remote/errors';

/** A clock that goes when it is told to. */
function made(random = 0): {
  readonly backOff: BackOff;
  readonly pauses: () => number;
  readonly wait: (ms: number) => void;
} {
  let now = 0;
  const backOff = new BackOff(
    () => now,
    () => random,
  );
  return { backOff, pauses: () => backOff.pausedMs, wait: (ms) => (now += ms) };
}

const DOWN = unreachable('host', 'nobody is there');

describe('a remote engine that failed', () => {
  it('is left alone twice as long each time, up to a minute, and not at all once it answers', () => {
    const { backOff, pauses, wait } = made();
    const seen: number[] = [];
    for (let time = 0; time < 9; time++) {
      backOff.failed(DOWN);
      seen.push(pauses());
      wait(pauses());
      expect(pauses()).toBe(0);
      expect(backOff.doubted).toBe(true);
    }
    expect(seen).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    backOff.succeeded();
    expect([backOff.doubted, backOff.reason]).toEqual([false, undefined]);
    backOff.failed(DOWN);
    expect(pauses()).toBe(1_000);
  });

  it('is left alone for up to half of that less, at random', () => {
    const { backOff, pauses } = made(1);
    backOff.failed(DOWN);
    expect(pauses()).toBe(500);
  });

  it('is left alone for a minute where somebody has to change something', () => {
    const { backOff, pauses } = made();
    backOff.failed(statusError('host', 401));
    expect(pauses()).toBe(60_000);
  });

  it('is left alone for as long as it asks for, within limits', () => {
    const { backOff, pauses } = made();
    backOff.failed(statusError('host', 429, '30'));
    expect(pauses()).toBe(30_000);
    backOff.failed(statusError('host', 503, '86400'));
    expect(pauses()).toBe(300_000);
    const other = made();
    other.backOff.failed(statusError('host', 503, 'Wed, 21 Oct 2026 07:28:00 GMT'));
    expect(other.pauses()).toBe(1_000);
  });

  it('may be late twice before that counts', () => {
    const { backOff, pauses } = made();
    backOff.failed(late('host', 800));
    backOff.failed(late('host', 800));
    expect(pauses()).toBe(0);
    expect(backOff.doubted).toBe(false);
    expect(backOff.reason?.code).toBe('REMOTE_LATE');
    backOff.failed(late('host', 800));
    expect(pauses()).toBe(1_000);
  });
});
