/** What is begun with a key, before the editor asks for it. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { snapshotOfText } from '../../core/completion/document';
import { NO_ANSWER } from '../../core/completion/fork_order';
import { HeadStart } from '../../core/completion/head_start';
import { type CompletionOutcome, nothing } from '../../core/completion/outcome';
import type { SuggestionRequest } from '../../core/completion/pipeline';

const document = (text: string): SuggestionRequest['document'] =>
  snapshotOfText({ uri: 'u', path: 'a.py', languageId: 'python', text, offset: text.length });

describe('a head start', () => {
  let requests: SuggestionRequest[];
  let settle: (outcome: CompletionOutcome) => void;
  let controller: AbortController;
  let headStart: HeadStart;

  beforeEach(() => {
    requests = [];
    controller = new AbortController();
    headStart = new HeadStart((request) => {
      requests.push(request);
      return new Promise((resolve) => (settle = resolve));
    });
  });

  const request = (text: string): SuggestionRequest => ({
    document: document(text),
    signal: controller.signal,
  });
  const begun = (index = 0): AbortSignal | undefined => requests[index]?.signal;

  it('is what was begun for the place, made or under way, once', async () => {
    headStart.begin({ document: document('x') });
    const taken = headStart.take(request('x'));
    settle({ ...nothing('shown'), text: ' = 1' });
    expect(await taken).toMatchObject({ text: ' = 1' });
    headStart.begin({ document: document('x') });
    settle({ ...nothing('shown'), text: ' = 2' });
    expect(await headStart.take(request('x'))).toMatchObject({ text: ' = 2' });
    expect(await headStart.take(request('x'))).toBeUndefined();
    expect(requests).toHaveLength(2);
    expect(requests.some(({ signal }) => signal.aborted)).toBe(false);
  });

  it('says how much of the time it took had passed', async () => {
    vi.useFakeTimers();
    try {
      headStart.begin({ document: document('x') });
      await vi.advanceTimersByTimeAsync(20);
      settle(nothing('blank_result'));
      await vi.advanceTimersByTimeAsync(30);
      expect(await headStart.take(request('x'))).toMatchObject({ headStartMs: 20 });
      headStart.begin({ document: document('x') });
      await vi.advanceTimersByTimeAsync(50);
      const taken = headStart.take(request('x'));
      await vi.advanceTimersByTimeAsync(40);
      settle(nothing('blank_result'));
      expect(await taken).toMatchObject({ headStartMs: 50 });
    } finally {
      vi.useRealTimers();
    }
  });

  it('is given up for another place, for what somebody asks, and for another head start', async () => {
    headStart.begin({ document: document('x') });
    expect(await headStart.take(request('xy'))).toBeUndefined();
    headStart.begin({ document: document('x') });
    expect(await headStart.take({ ...request('x'), explicit: true })).toBeUndefined();
    headStart.begin({ document: document('x') });
    const fork = { lead: NO_ANSWER, barred: new Uint32Array(), leastConfidence: 0 };
    expect(await headStart.take({ ...request('x'), fork })).toBeUndefined();
    headStart.begin({ document: document('x') });
    headStart.begin({ document: document('y') });
    headStart.giveUp('elsewhere');
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([true, true, true, true, false]);
    headStart.giveUp('u');
    expect(begun(4)?.aborted).toBe(true);
    expect(await headStart.take(request('y'))).toBeUndefined();
  });

  it('ends with whoever takes it', async () => {
    headStart.begin({ document: document('x') });
    const taken = headStart.take(request('x'));
    controller.abort();
    expect(begun()?.aborted).toBe(true);
    settle(nothing('cancelled'));
    expect(await taken).toMatchObject({ reason: 'cancelled' });
    headStart.begin({ document: document('x') });
    void headStart.take(request('x'));
    expect(begun(1)?.aborted).toBe(true);
  });

  it('is nothing where the engine did something else in between, or it is long ago', async () => {
    headStart.begin({ document: document('x') });
    settle(nothing('cancelled'));
    expect(await headStart.take(request('x'))).toBeUndefined();
    vi.useFakeTimers();
    try {
      headStart.begin({ document: document('x') });
      settle(nothing('blank_result'));
      await vi.advanceTimersByTimeAsync(1_001);
      expect(await headStart.take(request('x'))).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });
});
