import { NO_TIMINGS } from '../../core/engine/native_types';
import { describe, expect, it } from 'vitest';
import { PromptBudget } from '../../core/completion/prompt_budget';
import { estimateTokens } from '../../core/completion/token_estimate';

const prompt = (tokens: number): typeof NO_TIMINGS => ({ ...NO_TIMINGS, promptTokens: tokens });

describe('the prompt budget', () => {
  it('follows the measured speed, within bounds', () => {
    const budgetAt = (tokensPerSecond: number | undefined): number => {
      const budget = new PromptBudget();
      budget.record(prompt(200), 200, tokensPerSecond);
      return budget.tokens;
    };
    const unmeasured = new PromptBudget().tokens;
    expect(budgetAt(undefined)).toBe(unmeasured);
    expect(budgetAt(10)).toBe(128);
    expect(budgetAt(400)).toBe(440);
    expect(budgetAt(100_000)).toBe(1_024);
  });

  it('does not move with every measurement', () => {
    const budget = new PromptBudget();
    budget.record(prompt(200), 200, 400);
    const settled = budget.tokens;
    for (const speed of [380, 420, 450, 360, 400]) {
      budget.record(prompt(200), 200, speed);
      expect(budget.tokens).toBe(settled);
    }
  });

  it('learns how far estimates are off', () => {
    const budget = new PromptBudget();
    budget.record(prompt(10), 5, undefined);
    expect(budget.estimateOf(300)).toBe(300);
    for (let round = 0; round < 30; round++) budget.record(prompt(300), 200, undefined);
    expect(budget.estimateOf(300)).toBeCloseTo(200, 1);
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
