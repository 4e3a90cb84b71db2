import { describe, expect, it } from 'vitest';
import { EngineSpeed } from '../../core/engine/engine_speed';
import type { NativeTimings } from '../../core/engine/native_types';

const TIMINGS: NativeTimings = {
  promptTokens: 100,
  reusedTokens: 0,
  generatedTokens: 10,
  queueMs: 0,
  prefillMs: 200,
  firstTokenMs: 210,
  totalMs: 300,
  cancelMs: 0,
  cancelPhase: 'none',
};

describe('engine speed', () => {
  it('is unknown until something was measured', () => {
    const speed = new EngineSpeed();
    expect(speed.prefillTokensPerSecond).toBeUndefined();
    expect(speed.decodeTokensPerSecond).toBeUndefined();
  });

  it('is the median of the last requests, so that one interrupted request does not move it', () => {
    const speed = new EngineSpeed();
    speed.record(TIMINGS);
    speed.record({ ...TIMINGS, prefillMs: 20_000, totalMs: 40_000 });
    speed.record(TIMINGS);
    expect(speed.prefillTokensPerSecond).toBe(500);
    expect(speed.decodeTokensPerSecond).toBe(100);
  });

  it('forgets old requests', () => {
    const speed = new EngineSpeed();
    for (let i = 0; i < 50; i++) speed.record(TIMINGS);
    for (let i = 0; i < 9; i++) speed.record({ ...TIMINGS, prefillMs: 100, totalMs: 150 });
    expect(speed.prefillTokensPerSecond).toBe(1_000);
    expect(speed.decodeTokensPerSecond).toBe(200);
  });

  it('counts only tokens that were read, and leaves out requests too small to tell', () => {
    const speed = new EngineSpeed();
    speed.record({ ...TIMINGS, reusedTokens: 90, generatedTokens: 2 });
    speed.record({ ...TIMINGS, cancelPhase: 'prefill', generatedTokens: 0 });
    expect(speed.prefillTokensPerSecond).toBeUndefined();
    expect(speed.decodeTokensPerSecond).toBeUndefined();
    speed.record({ ...TIMINGS, reusedTokens: 50 });
    expect(speed.prefillTokensPerSecond).toBe(250);
  });
});
