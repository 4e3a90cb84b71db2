import { afterEach, expect, it, vi } from 'vitest';
import { countOf } from '../../../core/statistics/histogram';
import { ThreadDelay } from '../../../extension/dashboard/thread_delay';

const BLOCKED_MS = 80;
const delay = new ThreadDelay();

afterEach(() => delay.stop());

function block(): void {
  const until = performance.now() + BLOCKED_MS;
  while (performance.now() < until);
}

it('counts each look by how late it came', () => {
  vi.useFakeTimers();
  let lateMs = 0;
  const counted = new ThreadDelay(() => performance.now() + lateMs);
  counted.start();
  for (const [looks, ms] of [
    [40, 0.5],
    [8, 1.5],
    [10, 4],
    [42, 80],
  ] as const)
    for (let look = 0; look < looks; look++) {
      lateMs += ms;
      vi.advanceTimersToNextTimer();
    }
  counted.stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
  expect(counted.snapshot().counts).toEqual([40, 8, 10, 0, 0, 0, 42, 0, 0, 0]);
});

it('sees that the thread was blocked, since it was started', async () => {
  delay.start();
  await expect.poll(() => countOf(delay.snapshot()), { timeout: 20_000 }).toBeGreaterThan(2);
  block();
  const late = (): number => {
    const { bounds, counts } = delay.snapshot();
    return counts
      .filter((_, at) => (bounds[at - 1] ?? 0) >= BLOCKED_MS / 4)
      .reduce((sum, count) => sum + count, 0);
  };
  await expect.poll(late, { timeout: 20_000 }).toBeGreaterThan(0);
  delay.stop();
  delay.start();
  expect(countOf(delay.snapshot())).toBe(0);
});
