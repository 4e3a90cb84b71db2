/** What drafts came to, over many requests. */
import { describe, expect, it } from 'vitest';
import { DraftingTotals } from '../../core/completion/drafting_totals';
import { NO_DRAFTS } from '../../core/engine/native_drafting';

describe('the totals of drafts', () => {
  it('are nothing at first', () => {
    const totals = new DraftingTotals();
    totals.add(NO_DRAFTS);
    expect([totals.acceptance, totals.tokensPerStep, totals.savedMs]).toEqual([0, 0, 0]);
  });

  it('add up', () => {
    const totals = new DraftingTotals();
    const counts = { ...NO_DRAFTS, drafted: 10, accepted: 8, batches: 2, plainSteps: 3, savedMs: 12.5 };
    totals.add(counts);
    totals.add({ ...counts, savedMs: -2.5 });
    expect(totals).toMatchObject({ drafted: 20, accepted: 16, batches: 4, plainSteps: 6, savedMs: 10 });
    expect(totals.acceptance).toBeCloseTo(0.8);
    // 10 runs of the model gave 16 drafted tokens and one more each.
    expect(totals.tokensPerStep).toBeCloseTo(2.6);
  });
});
