/** A line, and the lines behind it where the model is sure of them. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { snapshotOfText } from '../../core/completion/document';
import { NO_ANSWER } from '../../core/completion/fork_order';
import { type CompletionOutcome, nothing } from '../../core/completion/outcome';
import type { SuggestionRequest } from '../../core/completion/pipeline';
import { Suggestions } from '../../core/completion/suggestions';

const made = (text: string, certainty = 0.9): CompletionOutcome => ({
  ...nothing('shown'),
  shown: true,
  text,
  certainty,
  source: 'model',
  stop: 'line_end',
});
const FORK = { lead: NO_ANSWER, barred: new Uint32Array(), leastConfidence: 0 };
const complete = { ...nothing('line_complete'), endProbability: 0.9 };

describe('suggestions', () => {
  let requests: SuggestionRequest[];
  /** What comes behind which text. */
  let answers: Map<string, CompletionOutcome>;
  let controller: AbortController;
  let options = DEFAULT_OPTIONS;
  let suggestions: Suggestions;

  beforeEach(() => {
    requests = [];
    answers = new Map();
    controller = new AbortController();
    options = { ...DEFAULT_OPTIONS, leastCertainty: 0.3 };
    suggestions = new Suggestions(pipeline, () => options);
  });

  const pipeline = {
    complete(request: SuggestionRequest): Promise<CompletionOutcome> {
      requests.push(request);
      return Promise.resolve(answers.get(request.document.before) ?? nothing('blank_result'));
    },
    recall({ document }: SuggestionRequest): CompletionOutcome | undefined {
      const asked = requests.some((request) => request.document.before === document.before);
      return asked ? (answers.get(document.before) ?? nothing('blank_result')) : undefined;
    },
  };

  function requestAt(text: string, more: Partial<SuggestionRequest> = {}): SuggestionRequest {
    const offset = text.indexOf('|');
    const plain = text.slice(0, offset) + text.slice(offset + 1);
    const source = { uri: 'u', path: 'a.py', languageId: 'python', text: plain, offset };
    return { document: snapshotOfText(source), signal: controller.signal, ...more };
  }

  async function textAt(text: string, more: Partial<SuggestionRequest> = {}): Promise<string> {
    const outcome = await suggestions.complete(requestAt(text, more));
    return outcome.shown ? outcome.text : outcome.reason;
  }

  function body(...lines: readonly CompletionOutcome[]): void {
    let before = 'def f(a):\n    ';
    for (const line of lines) {
      answers.set(before, line);
      before += `${line.text}\n`;
    }
  }

  it('are one line where no block begins', async () => {
    answers.set('x = ', made('1'));
    expect(await textAt('x = |')).toBe('1');
    expect(requests).toHaveLength(1);
  });

  it('have more lines for who asked, where each takes long', async () => {
    const LINE_MS = 250;
    const lines = Array.from({ length: 9 }, (_, at) => made(`${at === 0 ? '' : '    '}a${at} = a`));
    body(...lines);
    const clock = vi.spyOn(performance, 'now');
    clock.mockImplementation(() => requests.length * LINE_MS);
    try {
      const request = requestAt('def f(a):\n    |\n\nb = 1\n');
      const asked = await suggestions.complete({ ...request, explicit: true });
      expect(asked.text.split('\n').length).toBeGreaterThan(6);
      requests.length = 0;
      await suggestions.complete(request);
      expect(requests.length).toBeLessThan(6);
    } finally {
      clock.mockRestore();
    }
  });

  it('are the lines of a body, each asked for behind the ones before', async () => {
    body(made('b = a'), made('    return b'));
    const outcome = await suggestions.complete(requestAt('def f(a):\n    |'));
    expect(outcome).toMatchObject({ text: 'b = a\n    return b', shown: true, source: 'model' });
    expect(outcome.certainty).toBeCloseTo(0.81);
    expect(outcome.further).toHaveLength(2);
    expect(requests.map(({ mayEnd }) => mayEnd)).toEqual([undefined, true, true]);
  });

  it('are one line where the model gets too unsure to come to their end', async () => {
    body(made('b = a', 0.6), made('    c = b', 0.6), made('    return c', 0.4));
    expect(await textAt('def f(a):\n    |')).toBe('b = a');
    options = { ...DEFAULT_OPTIONS, leastCertainty: 0.15 };
    expect(await textAt('def f(a):\n    |')).toBe('b = a\n    c = b\n    return c');
  });

  it('need three quarters of the certainty of one line, and the first of them all of it', async () => {
    body(made('b = a', 0.6), made('    return b', 0.35));
    expect(await textAt('def f(a):\n    |')).toBe('b = a');
    body(made('b = a', 0.6), made('    return b', 0.4));
    expect(await textAt('def f(a):\n    |')).toBe('b = a\n    return b');
    answers.set('def f(a):', complete);
    answers.set('def f(a):\n', made('    b = a', 0.25));
    answers.set('def f(a):\n    b = a\n', made('    return b'));
    expect(await textAt('def f(a):|')).toBe('line_complete');
    answers.set('def f(a):\n', made('    b = a', 0.35));
    expect(await textAt('def f(a):|')).toBe('\n    b = a\n    return b');
  });

  it('end where the model goes on with what stands below, however sure it is of that', async () => {
    body(made('b = a'), made('    return b'), made('def g():', 0.1));
    expect(await textAt('def f(a):\n    |\ndef g():\n')).toBe('b = a\n    return b');
    const below = { ...made('def g():', 0.1), shown: false, reason: 'repeats_line' } as const;
    answers.set('def f(a):\n    b = a\n    return b\n', below);
    expect(await textAt('def f(a):\n    |\ndef g():\n')).toBe('b = a\n    return b');
    answers.set('def f(a):\n    b = a\n    return b\n', nothing('blank_result'));
    expect(await textAt('def f(a):\n    |\n\ndef g():\n')).toBe('b = a\n    return b');
  });

  it('end where the model leaves the body, if nothing stands below', async () => {
    body(made('b = a'), made('    return b'), made('f(1)', 0.2));
    expect(await textAt('def f(a):\n    |\n')).toBe('b = a\n    return b');
    expect(await textAt('def f(a):\n    |\ng()\n')).toBe('b = a');
    body(made('b = a'), made('    return b'), made('    f(1)', 0.1));
    expect(await textAt('def f(a):\n    |\n')).toBe('b = a');
  });

  it('are one line where what the model goes on with does not stand below', async () => {
    const text = 'def f(a):\n    |\ndef g():\n';
    body(made('b = a'), made('    return b'), made('def h():'));
    expect(await textAt(text)).toBe('b = a');
    // A blank line, where none follows; nothing, for it was cancelled.
    for (const next of [nothing('blank_result'), { ...nothing('cancelled'), stop: 'cancelled' } as const]) {
      answers.set('def f(a):\n    b = a\n    return b\n', next);
      expect(await textAt(text)).toBe('b = a');
      expect(await textAt(text, { explicit: true })).toBe('b = a\n    return b');
    }
    const { certainty, further } = await suggestions.complete(requestAt(text));
    expect(certainty).toBeCloseTo(0.9);
    expect(further).toHaveLength(2);
  });

  it('are the shortest that is whole behind a complete line, where they do not come to their end', async () => {
    answers.set('def f(a):', complete);
    answers.set('def f(a):\n', made('    b = ['));
    answers.set('def f(a):\n    b = [\n', made('        a,'));
    answers.set('def f(a):\n    b = [\n        a,\n', made('    ]'));
    answers.set('def f(a):\n    b = [\n        a,\n    ]\n', made('    return b'));
    expect(await textAt('def f(a):|\nx()')).toBe('\n    b = [\n        a,\n    ]');
    expect(await textAt('def f(a):|\n\nx()')).toBe('\n    b = [\n        a,\n    ]\n    return b');
  });

  it('end where the model ends, if it goes on there with what stands below', async () => {
    body(made('b = a'), { ...made('    return b'), stop: 'end_token' }, made('    never()'));
    expect(await textAt('def f(a):\n    |')).toBe('b = a\n    return b');
    expect(await textAt('def f(a):\n    |\nf(1)\n')).toBe('b = a');
    answers.set('def f(a):\n    b = a\n    return b\n', made('f(1)'));
    expect(await textAt('def f(a):\n    |\nf(1)\n')).toBe('b = a\n    return b');
  });

  it('go on behind a line that is complete, with one line', async () => {
    answers.set('x = 1', complete);
    answers.set('x = 1\n', made('y = 2'));
    answers.set('x = 1\ny = 2\n', made('z = 3'));
    expect(await textAt('x = 1|')).toBe('\ny = 2');
  });

  it('go on behind a finished signature with its body', async () => {
    answers.set('def f(a):', complete);
    answers.set('def f(a):\n', made('    b = a'));
    answers.set('def f(a):\n    b = a\n', made('    return b'));
    expect(await textAt('def f(a):|')).toBe('\n    b = a\n    return b');
  });

  it('go on with a block behind a line of it that was accepted, and on the line below that', async () => {
    answers.set('def f(a):\n    ', made('b = a'));
    answers.set('def f(a):\n    b = a', complete);
    body(made('b = a'), made('    c = b', 0.15), made('    return c'));
    answers.set('def f(a):\n    b = a\n    ', made('c = b'));
    answers.set('def f(a):\n    b = a\n    c = b', complete);
    // Whoever typed the line has two lines more for one.
    expect(await textAt('def f(a):\n    b = a\n    |')).toBe('c = b');
    expect(await textAt('def f(a):\n    |')).toBe('b = a');
    expect(await textAt('def f(a):\n    b = a\n    |')).toBe('c = b\n    return c');
    // Whoever asks again has no less.
    expect(await textAt('def f(a):\n    b = a\n    |')).toBe('c = b\n    return c');
    answers.set('def f(a):\n    b = a\n', made('    c = b'));
    expect(await textAt('def f(a):\n    |')).toBe('b = a\n    c = b\n    return c');
  });

  it('are still several while the first of them is typed along', async () => {
    body(made('b = a'), made('    return b'));
    answers.set('def f(a):\n    b ', made('= a'));
    expect(await textAt('def f(a):\n    b |')).toBe('= a');
    expect(await textAt('def f(a):\n    |')).toBe('b = a\n    return b');
    expect(await textAt('def f(a):\n    b |')).toBe('= a\n    return b');
  });

  it('go on behind a comment with what it asks for', async () => {
    answers.set('# Twice.', complete);
    answers.set('# Twice.\n', made('y = 2'));
    answers.set('# Twice.\ny = 2\n', made('z = 3'));
    expect(await textAt('# Twice.|')).toBe('\ny = 2\nz = 3');
    options = { ...DEFAULT_OPTIONS, multiline: 'never' };
    expect(await textAt('# Twice.|')).toBe('line_complete');
  });

  it('say that a line is complete where the model is not sure of the next', async () => {
    answers.set('x = 1', complete);
    answers.set('x = 1\n', made('y = 2', 0.3));
    expect(await textAt('x = 1|')).toBe('line_complete');
    expect(await textAt('x = 1|', { explicit: true })).toBe('\ny = 2');
  });

  it('are one line where several are not wanted, and where something stands right of the cursor', async () => {
    body(made('b = a'), made('    return b'));
    answers.set('x = 1', complete);
    answers.set('x = 1\n', made('y = 2'));
    expect(await textAt('x = 1|)')).toBe('line_complete');
    options = { ...DEFAULT_OPTIONS, multiline: 'never' };
    expect(await textAt('def f(a):\n    |')).toBe('b = a');
    expect(await textAt('x = 1|')).toBe('line_complete');
  });

  it('stay as they were shown while they are typed along, though the model gets surer', async () => {
    answers.set('x = ', { ...made('total'), uncut: made('total + tax') });
    answers.set('x = to', made('tal + tax'));
    answers.set('x = total', made(' + tax'));
    expect(await textAt('x = |')).toBe('total');
    expect(await textAt('x = to|')).toBe('tal');
    answers.set('x = tota', { ...made('l +'), uncut: made('l + tax') });
    const { text, uncut } = await suggestions.complete(requestAt('x = tota|'));
    expect([text, uncut?.text]).toEqual(['l', 'l + tax']);
    answers.set('x = tot', { ...made('al + tax', 0.1), shown: false, reason: 'low_confidence' });
    expect(await textAt('x = tot|')).toBe('al');
    expect(await textAt('x = to|', { explicit: true })).toBe('tal + tax');
    expect(await textAt('x = total|')).toBe(' + tax');
  });

  it('stay as they were shown though less of them could be shown for itself', async () => {
    answers.set('x = ', { ...made('"total", str'), uncut: made('"total", str) + tax') });
    answers.set('x = "', { ...made('total'), uncut: made('total", str) + tax') });
    expect(await textAt('x = |')).toBe('"total", str');
    const { text, uncut } = await suggestions.complete(requestAt('x = "|'));
    expect([text, uncut?.text]).toEqual(['total", str', 'total", str) + tax']);
  });

  it.each([
    ['stay as they were shown when another document is closed', 'other', 'tal'],
    ['are not what they were once theirs is closed', 'u', 'tal + tax'],
  ])('%s', async (_, uri, rest) => {
    answers.set('x = ', { ...made('total'), uncut: made('total + tax') });
    answers.set('x = to', made('tal + tax'));
    expect(await textAt('x = |')).toBe('total');
    suggestions.forget(uri);
    expect(await textAt('x = to|')).toBe(rest);
  });

  it('do not ask again behind a line that was cancelled, nor go on behind a blank', async () => {
    answers.set('x = 1', { ...nothing('cancelled'), stop: 'cancelled', endProbability: 0.9 });
    answers.set('x = ', { ...made('1'), endProbability: 0.9 });
    expect(await textAt('x = 1|', { explicit: true })).toBe('cancelled');
    expect(await textAt('x = |', { explicit: true })).toBe('1');
    expect(requests).toHaveLength(2);
  });

  it('are not kept as a fork was that may not have been shown', async () => {
    answers.set('x = ', made('total'));
    await textAt('x = |', { fork: FORK, explicit: true });
    answers.set('x = t', made('otal + tax'));
    expect(await textAt('x = t|')).toBe('otal + tax');
  });

  it('are one line where they fork off another', async () => {
    body(made('b = a'), made('    return b'));
    expect(await textAt('def f(a):\n    |', { fork: FORK })).toBe('b = a');
  });

  it('begin with a line that does not wait for the others, and have those that are known', async () => {
    body(made('b = a'), made('    c = b'), made('    return c'));
    const request = requestAt('def f(a):\n    |');
    expect(await suggestions.begin(request)).toMatchObject({ text: 'b = a', shown: true, goesOn: true });
    expect(requests).toHaveLength(1);
    const whole = await suggestions.complete(request);
    expect(whole).toMatchObject({ text: 'b = a\n    c = b\n    return c', goesOn: false });
    const asked = requests.length;
    expect(await suggestions.begin(request)).toMatchObject({ text: whole.text, goesOn: false });
    expect(requests).toHaveLength(asked + 1);
  });

  it('begin with what was foreseen, and are not foreseen where typing has to pause first', async () => {
    answers.set('x = ', made('1'));
    suggestions.foresee({ document: requestAt('x = |').document });
    const begun = await suggestions.begin(requestAt('x = |'));
    expect(begun).toMatchObject({ text: '1', shown: true });
    expect(begun.headStartMs).toBeDefined();
    expect(requests).toHaveLength(1);
    suggestions.foresee({ document: requestAt('x = |').document });
    suggestions.forgetForeseen('u');
    expect((await suggestions.begin(requestAt('x = |'))).headStartMs).toBeUndefined();
    options = { ...DEFAULT_OPTIONS, delayMs: 100 };
    suggestions.foresee({ document: requestAt('x = |').document });
    expect(requests).toHaveLength(3);
    expect(suggestions.foreseen).toBeUndefined();
  });

  it('begin with the next line where one is complete, and do not go on where one line is all', async () => {
    answers.set('def f(a):', complete);
    answers.set('def f(a):\n', made('    b = a'));
    expect(await suggestions.begin(requestAt('def f(a):|'))).toMatchObject({
      text: '\n    b = a',
      goesOn: true,
    });
    answers.set('x = 1', complete);
    answers.set('x = 1\n', made('y = 2'));
    expect(await suggestions.begin(requestAt('x = 1|'))).toMatchObject({ text: '\ny = 2', goesOn: false });
  });

  it('do not grow by what becomes known while they are typed along', async () => {
    body(made('b = a'), made('    return b'));
    await suggestions.begin(requestAt('def f(a):\n    |'));
    answers.set('def f(a):\n    b', made(' = a'));
    for (const more of ['', '    return b\n']) {
      await pipeline.complete(requestAt(`def f(a):\n    b = a\n${more}|`));
    }
    options = { ...DEFAULT_OPTIONS, multiline: 'always' };
    const request = requestAt('def f(a):\n    b|');
    expect(await suggestions.begin(request)).toMatchObject({ text: ' = a', goesOn: false });
  });

  it('are not kept as they were when they were cancelled', async () => {
    body(made('b = a'), made('    return b'));
    answers.set('def f(a):\n    b', made(' = a'));
    answers.set('def f(a):\n    b = a\n', made('    return b'));
    controller.abort();
    await suggestions.complete(requestAt('def f(a):\n    |'));
    controller = new AbortController();
    options = { ...DEFAULT_OPTIONS, multiline: 'always' };
    expect(await textAt('def f(a):\n    b|')).toBe(' = a\n    return b');
  });

  it('tell what was asked behind a complete line, also where nothing came of it', async () => {
    answers.set('x = 1', complete);
    answers.set('x = 1\n', made('y = 2', 0.3));
    const { shown, further } = await suggestions.complete(requestAt('x = 1|'));
    expect(shown).toBe(false);
    expect(further).toHaveLength(1);
  });

  it('ask for nothing more once they are cancelled', async () => {
    body(made('b = a'), made('    return b'));
    controller.abort();
    await suggestions.complete(requestAt('def f(a):\n    |'));
    expect(requests).toHaveLength(1);
  });

  it('have what follows computed as if they had been accepted', async () => {
    await suggestions.prepareNext(requestAt('f(|)'), { ...made('a)'), replace: 1 });
    expect(requests[0]?.document).toMatchObject({ before: 'f(a)', after: '' });
  });
});
