import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { within } from '../../extension/editor/time_limit';

describe("another's answer", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('is what it is where it comes in time', async () => {
    expect(await within(100, Promise.resolve('here'))).toBe('here');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is none where it fails, or does not come', async () => {
    expect(await within(100, Promise.reject<string>(new Error('broken')))).toBeUndefined();
    const never = within(100, new Promise<string>(() => undefined));
    await vi.advanceTimersByTimeAsync(100);
    expect(await never).toBeUndefined();
    expect(vi.getTimerCount()).toBe(0);
  });
});
