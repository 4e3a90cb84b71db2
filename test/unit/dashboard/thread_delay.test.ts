import { afterEach, expect, it } from 'vitest';
import { countOf } from '../../../core/statistics/histogram';
import { ThreadDelay } from '../../../extension/dashboard/thread_delay';

const BLOCKED_MS = 80;
const delay = new ThreadDelay();

afterEach(() => delay.stop());

function block(): void {
  const until = performance.now() + BLOCKED_MS;
  while (performance.now() < until);
}

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
