/** What the pipeline asks the model for, when it does not ask, and what comes of it. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { leastConfidence } from '../../core/completion/certainty';
import { snapshotOfText } from '../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { DEFAULT_SAMPLING, samplingFor } from '../../core/completion/sampling';
import { bench } from './made_up_engine';

describe('the completion pipeline', () => {
  it('goes from a cursor to a suggestion', async () => {
    const { engine, at } = bench();
    const outcome = await at('def add(a, b):\r\n    return |\r\n');
    expect(outcome).toMatchObject({
      text: 'a + b',
      shown: true,
      reason: 'shown',
      stop: 'line_end',
      source: 'model',
    });
    expect(outcome.confidence).toBeCloseTo(0.9, 6);
    expect(engine.requests).toEqual([
      {
        prompt: '# src/add.py\ndef add(a, b):\n    return',
        requiredPrefix: ' ',
        maxTokens: DEFAULT_OPTIONS.maxTokens,
        leastConfidence: leastConfidence(DEFAULT_OPTIONS.leastCertainty, false),
        sampling: samplingFor(DEFAULT_SAMPLING, '# src/add.py\ndef add(a, b):\n    return '),
        drafting: { lookup: true, model: true },
        references: [],
        remembered: 0,
        rememberedBeside: 0,
      },
    ]);
  });

  it('has drafts looked up in the rest of the text and in other files, unless they are off', async () => {
    const beside = [{ text: 'import os\n', languageId: 'python' }];
    const on = bench();
    await on.at('x = |\ny = 2', { beside });
    expect(on.engine.requests[0]).toMatchObject({ references: ['y = 2', 'import os\n'] });
    const off = bench({ ...DEFAULT_OPTIONS, drafting: 'off' });
    await off.at('x = |\ny = 2', { beside });
    expect(off.engine.requests[0]).toMatchObject({
      drafting: { lookup: false, model: false },
      references: [],
    });
  });

  const BESIDE = [
    { text: '# Prices\n', languageId: 'markdown' },
    { text: 'import os\n', languageId: 'python' },
  ];

  it('has a small model remember the rest of the document and files of its language, with drafts and without', async () => {
    for (const drafting of ['auto', 'off'] as const) {
      const { engine, at } = bench({ ...DEFAULT_OPTIONS, drafting });
      const rest = drafting === 'auto' ? ['# Prices\n'] : [];
      engine.parameters = 135e6;
      await at('x = |\ny = 2', { beside: BESIDE });
      const remembered = { remembered: 1, rememberedBeside: 1 };
      expect(engine.requests.at(-1)).toMatchObject(remembered);
      expect(engine.requests.at(-1)?.references).toEqual(['y = 2', 'import os\n', ...rest]);
      engine.parameters = 7e9;
      await at('z = |\ny = 2', { beside: BESIDE });
      expect(engine.requests.at(-1)).toMatchObject({ remembered: 0, rememberedBeside: 0 });
    }
  });

  it('has it remember no other files where nothing of them is wanted', async () => {
    const { engine, at } = bench({ ...DEFAULT_OPTIONS, similarCode: 'never' });
    engine.parameters = 135e6;
    await at('x = |\ny = 2', { beside: BESIDE });
    expect(engine.requests.at(-1)).toMatchObject({ remembered: 1, rememberedBeside: 0 });
  });

  it('draws the same at the same place, and anew at another', async () => {
    const { engine, pipeline, at } = bench();
    for (const text of ['return |', 'return |', 'return a|']) {
      await at(text);
      pipeline.reset();
    }
    const [one, again, other] = engine.requests.map(({ sampling }) => sampling?.seed);
    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  it('does not disturb what is being generated', async () => {
    const { engine, at } = bench();
    engine.generating = true;
    expect(await at('return |')).toMatchObject({ shown: false, reason: 'generating' });
    expect(engine.requests).toEqual([]);
  });

  it('says why nothing is shown, and never asks in vain', async () => {
    const { engine, pipeline, at } = bench();
    expect(await at('fo|o')).toMatchObject({
      shown: false,
      reason: 'inside_word',
      stop: 'not_run',
      text: '',
    });
    engine.state = 'loading';
    expect(await at('x|')).toMatchObject({ reason: 'model_loading' });
    engine.state = 'failed';
    expect(await at('x|')).toMatchObject({ reason: 'model_failed' });
    engine.state = 'stopped';
    expect(await at('x|')).toMatchObject({ reason: 'engine_stopped' });
    expect(engine.requests).toHaveLength(0);
    engine.state = 'ready';
    engine.says = '';
    expect(await at('x|')).toMatchObject({ reason: 'blank_result', stop: 'line_end' });
    pipeline.reset();
    engine.says = 'maybe';
    engine.confidence = 0.02;
    expect(await at('x|')).toMatchObject({ reason: 'low_confidence', shown: false, text: 'maybe' });
    expect(await at('x|', { explicit: true })).toMatchObject({ reason: 'shown', text: 'maybe' });
  });

  it('says of a model that was put away in the middle of it that another is loading, unless the question was taken back', async () => {
    const { engine, at } = bench();
    engine.meanwhile = () => (engine.state = 'loading');
    for (const error of [{ code: 'MODEL_CLOSED', message: 'Load it again.' } as const, undefined]) {
      engine.state = 'ready';
      engine.error = error;
      engine.stop = 'cancelled';
      expect(await at('return |')).toMatchObject({ shown: false, reason: 'model_loading' });
    }
    engine.state = 'ready';
    const controller = new AbortController();
    engine.meanwhile = () => {
      engine.state = 'loading';
      controller.abort();
    };
    expect(await at('return |', { signal: controller.signal })).toMatchObject({ reason: 'cancelled' });
  });

  it('asks where it would not show, when told to', async () => {
    const { at } = bench();
    expect(await at('x = fo|o', { evenIfRefused: true })).toMatchObject({
      text: 'a + b',
      shown: false,
      reason: 'inside_word',
    });
  });

  it('is cancelled synchronously and remembers nothing of it', async () => {
    const { engine, pipeline } = bench();
    const controller = new AbortController();
    const source = { uri: 'u', path: 'a.py', languageId: 'python', text: 'return ', offset: 7 };
    const running = pipeline.complete({ document: snapshotOfText(source), signal: controller.signal });
    controller.abort();
    expect(await running).toMatchObject({ shown: false, reason: 'cancelled', stop: 'cancelled' });
    const again = { document: snapshotOfText(source), signal: new AbortController().signal };
    expect(await pipeline.complete(again)).toMatchObject({ shown: true, source: 'model' });
    expect(engine.requests).toHaveLength(2);
    const late = { document: snapshotOfText({ ...source, uri: 'v' }), signal: controller.signal };
    expect(await pipeline.complete(late)).toMatchObject({ reason: 'cancelled', source: 'none' });
    expect(engine.requests).toHaveLength(2);
  });

  describe('with a delay', () => {
    const DELAYED = { ...DEFAULT_OPTIONS, delayMs: 500 };
    const source = { uri: 'u', path: 'a.py', languageId: 'python', text: 'return ', offset: 7 };
    const document = snapshotOfText(source);

    afterEach(() => {
      vi.useRealTimers();
    });

    it('waits before the model is asked, but not for what is remembered or asked for', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { engine, at } = bench(DELAYED);
      const waiting = at('return |');
      await vi.advanceTimersByTimeAsync(499);
      expect(engine.requests).toHaveLength(0);
      await vi.advanceTimersByTimeAsync(1);
      expect(await waiting).toMatchObject({ shown: true, source: 'model' });
      expect(await at('return a|')).toMatchObject({ shown: true, source: 'cache' });
      expect(await at('x = |', { explicit: true })).toMatchObject({ shown: true, source: 'model' });
      expect(vi.getTimerCount()).toBe(0);
    });

    it('stops waiting when the request is cancelled or the engine stops', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const { engine, pipeline } = bench(DELAYED);
      const controller = new AbortController();
      const cancelled = pipeline.complete({ document, signal: controller.signal });
      controller.abort();
      expect(await cancelled).toMatchObject({ reason: 'cancelled', stop: 'cancelled' });
      expect(vi.getTimerCount()).toBe(0);
      const stopped = pipeline.complete({ document, signal: new AbortController().signal });
      engine.state = 'stopped';
      await vi.advanceTimersByTimeAsync(500);
      expect(await stopped).toMatchObject({ reason: 'engine_stopped' });
      expect(engine.requests).toHaveLength(0);
    });
  });
});
