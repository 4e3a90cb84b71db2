import { NO_DRAFTS } from '../../core/engine/native_drafting';
import { NO_TIMINGS } from '../../core/engine/native_types';
import { describe, expect, it } from 'vitest';
import { type CompletionOutcome, nothing } from '../../core/completion/outcome';
import { REASONS } from '../../core/completion/reasons';
import { summaryOf } from '../../core/completion/summary';

const OUTCOME: CompletionOutcome = {
  ...nothing('shown'),
  text: 'a secret',
  shown: true,
  source: 'model',
  stop: 'line_end',
  confidence: 0.5,
  timings: { ...NO_TIMINGS, promptTokens: 120, reusedTokens: 100, generatedTokens: 4, totalMs: 81.4 },
};

describe('the log line of a request', () => {
  it('has the figures and none of the text', () => {
    const line = summaryOf(OUTCOME);
    expect(line).toContain('prompt 120 (100 reused)');
    expect(line).toContain('81 ms');
    expect(line).toContain('stop line_end');
    expect(line).not.toContain('secret');
    expect(line).not.toContain('\n');
  });

  it('says where a request was cancelled and how soon the engine was idle', () => {
    const timings = { ...OUTCOME.timings, cancelPhase: 'prefill', cancelMs: 1.23 } as const;
    const line = summaryOf({ ...OUTCOME, shown: false, reason: 'cancelled', stop: 'cancelled', timings });
    expect(line).toContain('cancelled while prefill, idle after 1.2 ms');
  });

  it('says what drafts came to, where there were any', () => {
    const drafting = { ...NO_DRAFTS, drafted: 12, accepted: 9, batches: 3 };
    expect(summaryOf({ ...OUTCOME, drafting })).toContain('drafted 12, accepted 9 in 3 batches');
    expect(summaryOf(OUTCOME)).not.toContain('drafted');
  });

  it('is only the reason when the model was not asked', () => {
    expect(summaryOf(nothing('inside_word'))).toBe(`inside_word (${REASONS.inside_word})`);
  });
});
