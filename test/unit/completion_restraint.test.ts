import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { snapshotOfText } from '../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { Pause } from '../../core/completion/pause';
import { type Circumstances, ON_BATTERY, type OnBattery, restrained } from '../../core/completion/restraint';
import { refusal } from '../../core/completion/trigger';

const document = snapshotOfText({ uri: 'u', path: 'a.py', languageId: 'python', text: 'x = ', offset: 4 });

/** What is refused unasked, and asked; and whether the model reads ahead. */
function kept(onBattery: OnBattery, circumstances: Circumstances, enabled = true): readonly unknown[] {
  const options = restrained({ ...DEFAULT_OPTIONS, enabled, onBattery }, circumstances);
  return [refusal(document, options), refusal(document, options, true), options.prepares];
}

describe('what keeps suggestions back', () => {
  const plugged = { paused: false, battery: false };
  const battery = { paused: false, battery: true };

  it('is nothing on the mains, nor where one wants it as usual', () => {
    for (const onBattery of ON_BATTERY)
      expect(kept(onBattery, plugged)).toEqual([undefined, undefined, true]);
    expect(kept('asUsual', battery)).toEqual([undefined, undefined, true]);
  });

  it('is the battery: quiet until somebody asks, or off', () => {
    expect(kept('quiet', battery)).toEqual(['battery', undefined, false]);
    expect(kept('off', battery)).toEqual(['battery', 'battery', false]);
  });

  it('is a pause, for whoever asks as well', () => {
    for (const power of [plugged, battery]) {
      expect(kept('quiet', { ...power, paused: true })).toEqual(['paused', 'paused', false]);
    }
  });

  it('comes after what the settings say', () => {
    expect(kept('off', { paused: true, battery: true }, false)).toEqual(['disabled', 'disabled', false]);
  });
});

describe('a pause', () => {
  const changed = vi.fn();
  /** In which the machine slept, ms. */
  let elapsed = 0;
  beforeEach(() => {
    elapsed = 0;
    vi.useFakeTimers({ now: 1_000 });
    changed.mockClear();
  });
  afterEach(() => vi.useRealTimers());

  it('ends by itself', () => {
    const pause = new Pause(Date.now, changed, () => elapsed + performance.now());
    expect(pause.until).toBeUndefined();
    pause.begin('fiveMinutes');
    expect(pause.until).toBe(301_000);
    vi.advanceTimersByTime(299_999);
    expect([pause.until, changed.mock.calls.length]).toEqual([301_000, 1]);
    vi.advanceTimersByTime(1);
    expect([pause.until, changed.mock.calls.length]).toEqual([undefined, 2]);
  });

  it('is over after the machine slept, before the timer says so', () => {
    const pause = new Pause(Date.now, changed, () => elapsed + performance.now());
    pause.begin('hour');
    pause.look();
    expect(changed).toHaveBeenCalledOnce();
    elapsed += 3_600_000;
    expect(pause.until).toBeUndefined();
    pause.look();
    pause.look();
    expect([changed.mock.calls.length, vi.getTimerCount()]).toEqual([2, 0]);
  });

  it.each([86_400_000, -86_400_000])('is as long as it is where the clock is set by %i ms', (by) => {
    const pause = new Pause(Date.now, changed, () => elapsed + performance.now());
    pause.begin('fiveMinutes');
    vi.setSystemTime(1_000 + by);
    vi.advanceTimersByTime(299_999);
    expect([pause.until, changed.mock.calls.length]).toEqual([301_000, 1]);
    vi.advanceTimersByTime(1);
    expect([pause.until, changed.mock.calls.length]).toEqual([undefined, 2]);
  });

  it('takes another length, or ends when it is told to', () => {
    const pause = new Pause(Date.now, changed, () => elapsed + performance.now());
    pause.begin('fiveMinutes');
    pause.begin('untilRestart');
    vi.advanceTimersByTime(10_000_000);
    expect([pause.until, changed.mock.calls.length]).toEqual([Infinity, 2]);
    pause.finish();
    pause.finish();
    expect([pause.until, changed.mock.calls.length]).toEqual([undefined, 3]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
