import { beforeEach, describe, expect, it } from 'vitest';
import { type CompletionOutcome, nothing } from '../../../core/completion/outcome';
import { NO_TIMINGS } from '../../../core/engine/native_types';
import { isRequestRecord } from '../../../core/statistics/request_record';
import {
  type CountedRequest,
  KEY_TO_GHOST_BOUNDS,
  MOST_REQUESTS,
  SessionStatistics,
} from '../../../core/statistics/session_statistics';

const URI = 'file:///secret/place.py';

let statistics: SessionStatistics;
let sequence = 0;

beforeEach(() => {
  statistics = new SessionStatistics();
  sequence = 0;
});

const TIMINGS = {
  ...NO_TIMINGS,
  promptTokens: 100,
  reusedTokens: 80,
  generatedTokens: 5,
  queueMs: 1,
  prefillMs: 20,
  totalMs: 51,
};

function made(text: string, more: Partial<CompletionOutcome> = {}): CompletionOutcome {
  return { ...nothing('shown'), shown: true, text, source: 'model', timings: { ...TIMINGS }, ...more };
}

function end(outcome: CompletionOutcome, more: Partial<CountedRequest> = {}): void {
  statistics.ended({
    sequence: ++sequence,
    uri: URI,
    languageId: 'python',
    version: 1,
    offset: 3,
    explicit: false,
    inList: false,
    outcome,
    others: [],
    askedMs: 1_010,
    answeredMs: 1_070,
    ...more,
  });
}

const type = (version: number, atMs: number): void =>
  statistics.changed(URI, version, [{ offset: 2, length: 0, text: 'x' }], atMs);

const waited = (): number[] => statistics.keyToGhost().counts.slice();

describe('a request', () => {
  it('is kept as phases that add up to the time from its key', () => {
    type(1, 1_000);
    end(made('a + b'));
    const [record] = statistics.lastRequests();
    expect(record).toMatchObject({ waitMs: 10, queueMs: 1, prefillMs: 20, decodeMs: 30, restMs: 9 });
    expect(record).toMatchObject({
      promptTokens: 100,
      recomputedTokens: 20,
      generatedTokens: 5,
      modelCalls: 1,
    });
    expect(isRequestRecord(record)).toBe(true);
  });

  it('has what was done before the editor asked among the phases, and not in its wait', () => {
    type(1, 960);
    end(made('a + b', { headStartMs: 45 }));
    const [record] = statistics.lastRequests();
    expect(record).toMatchObject({ waitMs: 5, queueMs: 1, prefillMs: 20, decodeMs: 30, restMs: 54 });
  });

  it('has every call of the model once, those of other lines and of forks too', () => {
    const first = made('if x:', { timings: { ...TIMINGS } });
    const second = made('return', { timings: { ...TIMINGS } });
    end({ ...first, further: [second, nothing('blank_result')] });
    // Its first line was known: the whole has the times of the first call.
    end({ ...first, timings: second.timings, further: [second] });
    end(first, { others: [made('other'), made('third')] });
    end(made('known', { source: 'cache', timings: NO_TIMINGS }));
    expect(statistics.lastRequests().map(({ modelCalls }) => modelCalls)).toEqual([2, 1, 3, 0]);
    expect(statistics.lastRequests().map(({ decodeMs }) => decodeMs)).toEqual([60, 30, 90, 0]);
  });

  it('takes as many positions of the KV cache here as its longest call, as calls share their prompt', () => {
    const far = { ...TIMINGS, promptTokens: 4_000 };
    const first = made('if x:');
    end(first, { others: [made('other'), made('third')] });
    end({ ...first, further: [made('return', { timings: { ...TIMINGS, promptTokens: 107 } })] });
    end(made('far', { timings: far, remote: true }), { others: [made('near')] });
    end(made('far', { timings: far, remote: true }));
    expect(statistics.lastRequests().map(({ positions }) => positions)).toEqual([105, 112, 105, 0]);
  });

  it('is kept without its text and its place', () => {
    type(1, 1_000);
    end(made('the_secret = 1'));
    const kept = JSON.stringify([statistics.lastRequests(), statistics.usage.snapshot()]);
    expect(kept).not.toMatch(/secret|place/);
  });

  it('is forgotten when enough others came', () => {
    for (let count = 0; count < 3 * MOST_REQUESTS; count++) end(nothing('inside_word'));
    const kept = statistics.lastRequests();
    expect(kept).toHaveLength(MOST_REQUESTS);
    expect(kept.at(-1)?.sequence).toBe(3 * MOST_REQUESTS);
  });
});

describe('the time from a key to ghost text', () => {
  const bucketOf = (ms: number): number => KEY_TO_GHOST_BOUNDS.findIndex((bound) => ms <= bound);

  it('ends with the first answer that is shown for the text that the key made', () => {
    type(1, 1_000);
    end(nothing('low_confidence'), { answeredMs: 1_015 });
    end(made('a'), { answeredMs: 1_070 });
    // More lines below it, for instance.
    end(made('a\nb'), { answeredMs: 1_700 });
    expect(waited().reduce((sum, count) => sum + count)).toBe(1);
    expect(waited()[bucketOf(70)]).toBe(1);
  });

  it('is not counted where no key led to it, or where somebody asked', () => {
    end(made('a'));
    type(2, 1_000);
    end(made('a'), { version: 1 });
    end(made('a'), { version: 2, uri: 'file:///other' });
    end(made('a'), { version: 2, explicit: true });
    expect(waited().every((count) => count === 0)).toBe(true);
    expect(statistics.lastRequests().every(({ waitMs }) => waitMs === 0)).toBe(true);
  });
});

describe('what becomes of a suggestion', () => {
  it('is followed through the edits', () => {
    end(made('a + b'), { offset: 3 });
    statistics.changed(URI, 2, [{ offset: 3, length: 0, text: 'a + b' }], 2_000);
    end(made('\nc'), { offset: 8, version: 2 });
    statistics.dismissed();
    end(made('d'), { offset: 9, version: 2 });
    statistics.closed(URI);
    expect(statistics.usage.snapshot().languages).toMatchObject([
      { language: 'python', shown: 3, whole: 1, dismissed: 1, left: 1, charactersSaved: 4 },
    ]);
  });

  it('is not followed where it goes on from the list', () => {
    end(made('a + b'), { inList: true });
    expect(statistics.usage.isEmpty).toBe(true);
  });
});
