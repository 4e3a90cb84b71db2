import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../../bench/random';
import { type Clock, DEBOUNCE_MS, distributionOf, timeQuantile } from '../../../../bench/typing/clock';
import { type Stretch, stretchFrom } from '../../../../bench/typing/stretch';
import type { Subject } from '../../../../bench/typing/subject';
import { typingDetails } from '../../../../bench/typing/typing_details';
import { savedPercent } from '../../../../bench/typing/saved';
import { typingRows } from '../../../../bench/typing/typing_rows';
import { typeStretch } from '../../../../bench/typing/typing_session';
import { lineAfter, lineBefore } from '../../../../core/completion/document';
import { type CompletionOutcome, nothing } from '../../../../core/completion/outcome';
import { NO_TIMINGS } from '../../../../core/engine/native_types';

const TEXT = 'def f(a):\n    b = a\n    return b\n';
const ALONG = { accepts: false, patient: false };
const IDEAL = { accepts: true, patient: false };

/** Half a second a key. */
function stretchOf(text: string, start: number): Stretch {
  const stretch = stretchFrom('a.py', text, start, text.length, new SeededRandom(1));
  return { ...stretch, intervals: stretch.intervals.map(() => 500) };
}

/** Whatever is asked takes so long. */
function clockOf(ms: number): Clock {
  return {
    within: async (limitMs, work) => {
      const controller = new AbortController();
      if (ms > limitMs) controller.abort();
      return { value: await work(controller.signal), ms: Math.min(ms, limitMs + 1) };
    },
  };
}

const FAST = clockOf(20);

function shown(text: string, more: Partial<CompletionOutcome> = {}): CompletionOutcome {
  return { ...nothing('shown'), text, shown: true, stop: 'line_end', source: 'model', ...more };
}

/** Suggests what stands in the table for the line before the cursor. */
class Fake implements Subject {
  readonly asked: string[] = [];
  readonly prepared: string[] = [];
  private readonly answers: Readonly<Record<string, string>>;

  constructor(answers: Readonly<Record<string, string>>) {
    this.answers = answers;
  }

  readonly complete: Subject['complete'] = ({ document, signal }) => {
    const line = lineBefore(document);
    this.asked.push(line);
    expect(lineAfter(document)).toBe('');
    if (signal.aborted) return Promise.resolve({ ...nothing('cancelled'), stop: 'cancelled' });
    const answer = this.answers[line];
    return Promise.resolve(answer === undefined ? nothing('blank_result') : shown(answer));
  };

  readonly prepare: Subject['prepare'] = ({ document }) => {
    this.prepared.push(lineBefore(document));
    return Promise.resolve(true);
  };
}

describe('who never accepts', () => {
  it('types every key, and the editor asks at each', async () => {
    const fake = new Fake({ '    b': ' = a', '    b =': ' a' });
    const typed = await typeStretch(fake, stretchOf(TEXT, TEXT.indexOf('b =')), ALONG, FAST);
    expect(typed).toMatchObject({ needed: 15, pressed: 15 });
    expect(fake.asked.slice(0, 7)).toEqual([
      '    b',
      '    b ',
      '    b =',
      '    b = ',
      '    b = a',
      '    ',
      '    r',
    ]);
    const [first, second, third] = typed.keys;
    expect(first).toMatchObject({ text: ' = a', fresh: true, right: true, toLineEnd: true });
    // It vanishes although it agrees.
    expect(second).toMatchObject({ text: '', flickers: true });
    expect(third).toMatchObject({ text: ' a', fresh: true });
  });

  it('sees nothing that comes after the next key, and keeps what stood there', async () => {
    const stretch = stretchOf(TEXT, TEXT.indexOf('b ='));
    const answers = { '    b': ' = a', '    b ': 'else' };
    const late = await typeStretch(new Fake(answers), stretch, ALONG, clockOf(451));
    expect(late.keys.every(({ text }) => text === '')).toBe(true);
    expect(late.keys[0]).toMatchObject({ time: { ms: 451, complete: false }, late: true });
    const inTime = await typeStretch(new Fake(answers), stretch, ALONG, clockOf(500 - DEBOUNCE_MS));
    expect(inTime.keys[0]).toMatchObject({ text: ' = a', time: { ms: 450, complete: true }, late: false });
    const secondTooFast = { ...stretch, intervals: stretch.intervals.map((ms, at) => (at === 2 ? 60 : ms)) };
    const kept = await typeStretch(new Fake(answers), secondTooFast, ALONG, FAST);
    expect(kept.keys[1]).toMatchObject({ text: '= a', flickers: false, time: { complete: false } });
  });

  it('is not asked for by the editor where keys come too fast for it', async () => {
    const fast = { ...stretchOf(TEXT, 0), intervals: Array.from({ length: 99 }, () => DEBOUNCE_MS) };
    const fake = new Fake({});
    const { keys } = await typeStretch(fake, fast, ALONG, FAST);
    expect(fake.asked).toEqual([]);
    expect(keys[0]).toMatchObject({ time: undefined, late: undefined, source: 'none', text: '' });
    // Who waits for an answer has one, but nothing was due.
    const waited = await typeStretch(new Fake({}), fast, { accepts: false, patient: true }, FAST);
    expect(waited.keys[0]?.late).toBeUndefined();
    expect(waited.keys[0]?.time?.complete).toBe(true);
  });

  it('has what the editor will ask begun with the key, where it asked behind the key before', async () => {
    const stretch = stretchOf(TEXT, TEXT.indexOf('b ='));
    const answers = { '    b': ' = a' };
    const ahead = { ...ALONG, headStart: true };
    const made = await typeStretch(new Fake(answers), stretch, ahead, FAST);
    expect(made.keys[0]).toMatchObject({ text: ' = a', time: { ms: 0 }, work: { ms: 20 }, late: false });
    const underWay = await typeStretch(new Fake(answers), stretch, ahead, clockOf(500));
    expect(underWay.keys[0]).toMatchObject({
      text: ' = a',
      time: { ms: 450 },
      work: { ms: 500 },
      late: false,
    });
    const late = await typeStretch(new Fake(answers), stretch, ahead, clockOf(501));
    expect(late.keys[0]).toMatchObject({ text: '', time: { complete: false }, late: true });
    // The editor does not ask behind the first key: it is begun for nobody, and behind the second one nothing is.
    const fast = { ...stretch, intervals: stretch.intervals.map((ms, at) => (at === 1 ? 40 : ms)) };
    const fake = new Fake({});
    const { keys } = await typeStretch(fake, fast, ahead, FAST);
    expect(fake.asked.slice(0, 3)).toEqual(['    b', '    b ', '    b =']);
    expect(keys.slice(0, 3).map(({ time }) => time?.ms)).toEqual([undefined, 20, 0]);
  });

  it('rests where there is time, and then the place is read ahead', async () => {
    const stretch = stretchOf('x = 1\n', 0);
    const intervals = stretch.intervals.map((_, at) => (at === 0 || at === 3 ? 301 : 300));
    const fake = new Fake({});
    await typeStretch(fake, { ...stretch, intervals }, ALONG, FAST);
    // Before the first key, and within the line.
    expect(fake.prepared).toEqual(['', 'x =']);
    const busy = new Fake({});
    await typeStretch(busy, { ...stretch, intervals }, ALONG, clockOf(251));
    expect(busy.prepared).toEqual(['']);
  });

  it('waits for an answer when patient', async () => {
    const typed = await typeStretch(
      new Fake({ '    b': ' = a' }),
      stretchOf(TEXT, TEXT.indexOf('b =')),
      { accepts: false, patient: true },
      clockOf(10_000),
    );
    expect(typed.keys[0]).toMatchObject({ text: ' = a', time: { ms: 10_000, complete: true }, late: true });
  });
});

describe('who accepts what is right', () => {
  it('saves what is not typed less the keys of acceptances', async () => {
    // Of 15 keys: b, one for the rest of the line, Enter, r, one again, Enter.
    const fake = new Fake({ '    b': ' = a', '    r': 'eturn b' });
    const typed = await typeStretch(fake, stretchOf(TEXT, TEXT.indexOf('b =')), IDEAL, FAST);
    expect(typed).toMatchObject({ needed: 15, pressed: 6 });
    expect(savedPercent([typed])).toBeCloseTo((100 * 9) / 15);
    expect(fake.asked).toEqual(['    b', '    b = a', '    ', '    r', '    return b', '']);
  });

  it('counts no indentation of accepted lines, which the editor would write', async () => {
    const fake = new Fake({ 'def f(a):': '\n    b = a\n    return b' });
    const typed = await typeStretch(fake, stretchOf(TEXT, 0), IDEAL, FAST);
    // 9 keys, one for both lines, and Enter.
    expect(typed).toMatchObject({ needed: 25, pressed: 11 });
    const upToIt = new Fake({ 'def f(a):': '\n  ' });
    expect(await typeStretch(upToIt, stretchOf(TEXT, 0), IDEAL, FAST)).toMatchObject({ pressed: 25 });
    expect(upToIt.asked).not.toContain('  ');
  });

  it('takes words that agree of what does not as a whole', async () => {
    const fake = new Fake({ '    b': ' = c', '    r': 'eturn a' });
    const typed = await typeStretch(fake, stretchOf(TEXT, TEXT.indexOf('b =')), IDEAL, FAST);
    // Of "return a" two pieces: "eturn", " ". Of " = c" none: there is no word in what agrees.
    expect(typed).toMatchObject({ needed: 15, pressed: 15 - 6 + 2 });
  });

  it('takes the lines that come below the first while nothing is typed', async () => {
    const begins = new Fake({ '    b': ' = a' });
    const begin: Subject['complete'] = async (request) => ({
      ...(await begins.complete(request)),
      goesOn: true,
    });
    const fake = new Fake({ '    b': ' = a\n    return b' });
    const whole: Subject = { begin, complete: fake.complete, prepare: fake.prepare };
    const stretch = stretchOf(TEXT, TEXT.indexOf('b ='));
    const typed = await typeStretch(whole, stretch, IDEAL, FAST);
    expect(typed.pressed).toBe(3);
    expect(typed.keys[0]).toMatchObject({ time: { ms: 20 }, sourceBehind: 'model', flickers: false });
    const late = await typeStretch(whole, stretch, IDEAL, clockOf(300));
    expect(late.keys[0]).toMatchObject({ text: ' = a' });
  });

  it('accepts nothing that is seen too late', async () => {
    const fake = new Fake({ '    b': ' = a' });
    const typed = await typeStretch(fake, stretchOf(TEXT, TEXT.indexOf('b =')), IDEAL, clockOf(460));
    expect(typed.pressed).toBe(15);
  });
});

describe('times of which some were given up', () => {
  it('are as others where none was', () => {
    const times = [4, 1, 3, 2].map((ms) => ({ ms, complete: true }));
    expect(timeQuantile(times, 0.5)).toBe(2);
    expect(timeQuantile(times, 0.95)).toBe(4);
    expect(timeQuantile([], 0.5)).toBeUndefined();
  });

  it('say at least how many were longer', () => {
    const times = [
      { ms: 1, complete: true },
      { ms: 2, complete: false },
      { ms: 3, complete: true },
      { ms: 4, complete: false },
    ];
    expect(distributionOf(times)).toEqual([
      { ms: 1, share: 0.25 },
      { ms: 3, share: 0.625 },
    ]);
    expect(timeQuantile(times, 0.5)).toBe(3);
    expect(timeQuantile(times, 0.95)).toBe(4);
  });
});

describe('the details of typing', () => {
  it('are a key a line', async () => {
    const typed = await typeStretch(new Fake({ x: ' = 1' }), stretchOf('x = 1\n', 0), ALONG, FAST);
    const lines = typingDetails([typed]).trimEnd().split('\n');
    expect(lines).toHaveLength(6);
    const [first] = lines.map((line) => JSON.parse(line) as unknown);
    expect(first).toMatchObject({ path: 'a.py', line: 'x', text: ' = 1', right: true, source: 'model' });
  });
});

describe('rows of typing', () => {
  const key = {
    line: '',
    text: '',
    fresh: false,
    flickers: false,
    right: false,
    toLineEnd: false,
    time: { ms: 1, complete: true },
    work: { ms: 1, complete: true },
    late: false,
    source: 'cache',
    sourceBehind: 'none',
    recomputed: undefined,
    made: undefined,
  } as const;
  const keys = [
    key,
    { ...key, time: undefined, source: 'none' },
    {
      ...key,
      text: 'a',
      fresh: true,
      right: true,
      source: 'model',
      time: { ms: 9, complete: true },
      work: { ms: 59, complete: true },
      recomputed: 5,
    },
    {
      ...key,
      flickers: true,
      source: 'model',
      time: { ms: 20, complete: false },
      work: { ms: 70, complete: false },
      recomputed: 50,
    },
  ] as const;

  it('are of who types along, but for what is saved', () => {
    const along = [{ path: 'a.py', keys, needed: 4, pressed: 4 }];
    const ideal = [{ path: 'a.py', keys: [], needed: 10, pressed: 6 }];
    const others = [
      { prompt: 'prefix', all: along, sure: [{ path: 'a.py', keys: [], needed: 10, pressed: 8 }] } as const,
    ];
    const rows = typingRows({ along, ideal, idealOfAll: ideal, others, cold: [90, 70, 80], rested: [30] });
    expect(Object.fromEntries(rows.map(({ name, ours }) => [name.replace('replay/', ''), ours]))).toEqual({
      keys: 4,
      shown: 25,
      right: 100,
      'right-to-line-end': 0,
      flicker: 25,
      late: 100 / 3,
      'lead-over-prefix': 40,
      'lead-over-prefix-sure': 20,
      'without-model': 50,
      'key-to-ghost-p50-ms': 9,
      'key-to-ghost-p95-ms': 20,
      'key-to-model-p50-ms': 9,
      'key-to-model-p95-ms': 20,
      'recomputed-p50': 5,
      'recomputed-p95': 50,
      'model-p50-ms': 59,
      'model-p95-ms': 70,
      'first-key-in-file-ms': 30,
      'first-key-in-file-model-ms': 80,
      'first-key-after-rest-ms': 0,
      'first-key-after-rest-model-ms': 30,
      saved: 40,
      'saved-all-shown': 40,
      'saved-beside-prefix': 40,
      'saved-beside-prefix-sure': 40,
    });
    expect(rows.find(({ name }) => name === 'replay/saved-beside-prefix')).toMatchObject({
      peer: 0,
      ratio: null,
    });
    expect(rows.find(({ name }) => name === 'replay/saved-beside-prefix-sure')).toMatchObject({
      peer: 20,
      ratio: 2,
    });
  });

  it('leave out what no key did', () => {
    const typing = {
      along: [{ path: 'a.py', keys: [key], needed: 1, pressed: 1 }],
      ideal: [],
      idealOfAll: [],
      others: [],
      cold: [],
      rested: [],
    };
    const names = typingRows(typing).map(({ name }) => name);
    expect(names).not.toContain('replay/key-to-model-p50-ms');
    expect(names).not.toContain('replay/right');
    expect(names).not.toContain('replay/first-key-in-file-ms');
  });

  it('need timings for tokens', async () => {
    const fake = new Fake({});
    const timings = { ...NO_TIMINGS, promptTokens: 100, reusedTokens: 93 };
    const subject = { prepare: fake.prepare, complete: () => Promise.resolve(shown('', { timings })) };
    const { keys: typed } = await typeStretch(subject, stretchOf('a\nb\n', 2), ALONG, FAST);
    expect(typed.map((one) => one.recomputed)).toEqual([7, 7]);
  });
});
