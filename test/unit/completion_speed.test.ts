import { describe, expect, it } from 'vitest';
import { NO_TIMINGS } from '../../extension/completion/pipeline';
import { SpeedMeter } from '../../extension/completion/speed';
import { estimateTokens } from '../../extension/completion/token_estimate';

const prefill = (tokens: number, ms: number): typeof NO_TIMINGS => ({
  ...NO_TIMINGS,
  promptTokens: tokens,
  prefillMs: ms,
});

describe('the prompt budget', () => {
  it('follows the measured speed, within bounds', () => {
    const budgetAt = (tokensPerSecond: number): number => {
      const meter = new SpeedMeter();
      for (let round = 0; round < 20; round++) meter.record(prefill(200, 200_000 / tokensPerSecond), 200);
      return meter.promptTokens;
    };
    expect(budgetAt(10)).toBe(128);
    expect(budgetAt(400)).toBeGreaterThan(300);
    expect(budgetAt(400)).toBeLessThan(600);
    expect(budgetAt(100_000)).toBe(1_024);
  });

  it('does not move with every measurement', () => {
    const meter = new SpeedMeter();
    meter.record(prefill(200, 500), 200);
    const settled = meter.promptTokens;
    for (const ms of [480, 520, 450, 550, 500]) {
      meter.record(prefill(200, ms), 200);
      expect(meter.promptTokens).toBe(settled);
    }
  });

  it('ignores what says nothing about speed', () => {
    const meter = new SpeedMeter();
    meter.record(prefill(3, 100), 3);
    meter.record({ ...prefill(200, 1), reusedTokens: 199 }, 200);
    meter.record({ ...prefill(200, 1), cancelPhase: 'prefill' }, 200);
    expect(meter.prefillTokensPerSecond).toBeUndefined();
  });

  it('learns how far estimates are off', () => {
    const meter = new SpeedMeter();
    for (let round = 0; round < 30; round++) meter.record(prefill(300, 300), 200);
    expect(meter.tokensPerEstimate).toBeCloseTo(1.5, 2);
  });
});

describe('token estimates', () => {
  it('know that digits and foreign letters cost more', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('1234567890')).toBeGreaterThan(estimateTokens('abcdefghij') * 3);
    expect(estimateTokens('漢字仮名')).toBeGreaterThan(4);
    expect(estimateTokens('abcdef', 2, 4)).toBeCloseTo(estimateTokens('cd'));
  });
});
