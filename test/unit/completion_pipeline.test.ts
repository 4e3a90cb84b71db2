import { NO_DRAFTS } from '../../core/engine/native_drafting';
import { type NativeFim, type NativeStop, NO_TIMINGS } from '../../core/engine/native_types';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { leastConfidence } from '../../core/completion/certainty';
import { snapshotOfText } from '../../core/completion/document';
import type { CompletionEngine, EngineState } from '../../core/completion/engine_port';
import type { EngineAnswer, EngineRequest } from '../../core/engine/engine_request';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import {
  CompletionPipeline,
  type CompletionOutcome,
  type SuggestionRequest,
} from '../../core/completion/pipeline';
import { promptText } from '../../core/completion/prompt';
import { DEFAULT_SAMPLING, samplingFor } from '../../core/completion/sampling';
import { estimateTokens } from '../../core/completion/token_estimate';
import { asOneToken, asTokens } from './made_up_tokens';

/** Says what it is told to, and remembers what it was asked. */
class FakeEngine implements CompletionEngine {
  state: EngineState = 'ready';
  generating = false;
  readonly speed = { prefillTokensPerSecond: undefined };
  readonly requests: EngineRequest[] = [];
  /** Longest prompt it takes, UTF-16 units. */
  longest = Infinity;
  context: number | undefined;
  fim: NativeFim | undefined;
  parameters: number | undefined;
  says = 'a + b';
  stop: NativeStop = 'line_end';
  confidence = 0.9;
  /** The tokens of what it says, with their probabilities; default: one. */
  course: readonly (readonly [string, number])[] | undefined;
  endProbability = 0;

  complete(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer> {
    this.requests.push(request);
    if (request.prompt.length > this.longest) {
      return Promise.resolve({ ok: false, error: { code: 'CONTEXT_OVERFLOW', message: 'Too long.' } });
    }
    return new Promise((resolve) => {
      const answer = (): void => {
        const stop = signal.aborted ? 'cancelled' : this.stop;
        resolve({
          ok: true,
          value: {
            text: this.says,
            stop,
            ids: new Uint32Array([1]),
            ...(this.course ? asTokens(this.course) : asOneToken(this.says, this.confidence)),
            endProbability: this.endProbability,
            grammarEnded: false,
            timings: NO_TIMINGS,
            drafting: NO_DRAFTS,
          },
        });
      };
      signal.addEventListener('abort', answer, { once: true });
      setImmediate(answer);
    });
  }
}

type Flags = Pick<
  SuggestionRequest,
  'explicit' | 'evenIfRefused' | 'beside' | 'clipboard' | 'mayEnd' | 'fork'
>;

interface Bench {
  readonly engine: FakeEngine;
  readonly pipeline: CompletionPipeline;
  /** Completes at the `|` of `text`. */
  readonly at: (text: string, flags?: Flags) => Promise<CompletionOutcome>;
}

function bench(options = DEFAULT_OPTIONS): Bench {
  const engine = new FakeEngine();
  const pipeline = new CompletionPipeline(engine, () => options);
  return {
    engine,
    pipeline,
    at(text, flags = {}) {
      const offset = text.indexOf('|');
      const plain = text.slice(0, offset) + text.slice(offset + 1);
      const document = snapshotOfText({
        uri: 'file:///src/add.py',
        path: 'src/add.py',
        languageId: 'python',
        text: plain,
        offset,
      });
      return pipeline.complete({ document, signal: new AbortController().signal, ...flags });
    },
  };
}

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

  it('asks again where there is a clipboard that what it knows was made without, and knows that then', async () => {
    const { engine, at } = bench();
    expect((await at('return |')).source).toBe('model');
    expect((await at('return |')).source).toBe('cache');
    engine.says = 'copied';
    expect(await at('return |', { explicit: true, clipboard: 'copied\n' })).toMatchObject({
      source: 'model',
      text: 'copied',
    });
    expect(await at('return co|')).toMatchObject({ source: 'cache', text: 'pied' });
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

  it('lets an answer fork off another: nothing of it is remembered', async () => {
    const { engine, at } = bench();
    engine.course = [
      ['a', 0.5],
      [' + b', 0.4],
    ];
    const first = await at('return |');
    expect(first.generation).toMatchObject({ text: 'a + b', ids: Uint32Array.of(1) });
    const again = await at('return |');
    expect(again).toMatchObject({ source: 'cache', generation: first.generation });
    expect((await at('return a|')).generation).toBeUndefined();

    engine.says = 'a - c';
    engine.course = [[' - c', 0.2]];
    const course = { probabilities: Float32Array.of(0.5), ends: Uint32Array.of(1) };
    const lead = { ids: Uint32Array.of(8, 9), probabilities: Float32Array.of(0.9, 0.5), course };
    const fork = { lead, barred: Uint32Array.of(7), leastConfidence: 0.03 };
    const other = await at('return |', { explicit: true, fork });
    const [asked, forked] = engine.requests;
    expect(forked).toEqual({
      ...asked,
      lead: lead.ids,
      barred: fork.barred,
      leastConfidence: 0.03,
      sampling: { ...asked?.sampling, temperature: 0 },
    });
    expect(other).toMatchObject({ text: 'a - c', shown: true, source: 'model', barredProbability: 0 });
    expect(other.confidence).toBeCloseTo(0.1);
    expect(other.generation?.ids).toEqual(Uint32Array.of(8, 9, 1));
    expect(other.generation?.probabilities).toEqual(Float32Array.of(0.9, 0.5, 0.2));
    expect(other.course?.probabilities).toEqual(Float32Array.of(0.5, 0.2));
    expect(await at('return |')).toMatchObject({ text: 'a + b', source: 'cache' });
  });

  it('does not disturb what is being generated', async () => {
    const { engine, at } = bench();
    engine.generating = true;
    expect(await at('return |')).toMatchObject({ shown: false, reason: 'generating' });
    expect(engine.requests).toEqual([]);
  });

  it('re-shows the rest while it is typed, without the model', async () => {
    const { engine, at } = bench();
    await at('return |');
    for (const [typed, rest] of [
      ['a', ' + b'],
      ['a +', ' b'],
      ['a + ', 'b'],
      ['', 'a + b'],
    ] as const) {
      expect(await at(`return ${typed}|`)).toMatchObject({ text: rest, shown: true, source: 'cache' });
    }
    expect(await at('return a + b|')).toMatchObject({
      shown: false,
      reason: 'line_complete',
      source: 'none',
      endProbability: 1,
    });
    expect(engine.requests).toHaveLength(1);
    await at('return a * |');
    expect(engine.requests).toHaveLength(2);
  });

  it('fits a remembered suggestion to brackets closed meanwhile', async () => {
    const { engine, at } = bench();
    engine.says = '(a, b)';
    await at('return add|');
    expect(await at('return add(|)')).toMatchObject({
      text: 'a, b',
      replace: 0,
      shown: true,
      source: 'cache',
    });
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

  it('is surer of what is left of a suggestion with each character typed', async () => {
    const { engine, at } = bench();
    engine.says = 'total_of(prices)';
    engine.confidence = 0.03;
    expect(await at('x = |')).toMatchObject({ reason: 'low_confidence' });
    expect(await at('x = tot|')).toMatchObject({ source: 'cache', reason: 'low_confidence' });
    const rest = await at('x = total_of(|');
    expect(rest).toMatchObject({ source: 'cache', shown: true, text: 'prices)' });
    expect(rest.confidence).toBeCloseTo(engine.confidence ** (7 / 16), 6);
  });

  it('shows the part of a line that is sure enough where nothing stands right of the cursor', async () => {
    const { engine, at } = bench();
    engine.says = 'total + rest';
    engine.course = [
      ['total', 0.95],
      [' + rest', 0.01],
    ];
    const outcome = await at('x = |');
    expect(outcome).toMatchObject({ text: 'total', shown: true, uncut: { text: 'total + rest' } });
    expect(outcome.certainty).toBeGreaterThan(outcome.uncut?.certainty ?? 1);
    expect(await at('x = |)')).toMatchObject({ reason: 'low_confidence', text: 'total + rest' });
    expect(await at('x = |', { explicit: true })).toMatchObject({ text: 'total + rest' });
    expect(await at('x = t|')).toMatchObject({ text: 'otal', source: 'cache' });
  });

  it('has the model go no further than it is sure enough, but for who asks', async () => {
    const { engine, at } = bench();
    await at('x = |');
    await at('x = 1\n    |');
    await at('y = |', { explicit: true });
    await at('z = |', { evenIfRefused: true });
    const least = DEFAULT_OPTIONS.leastCertainty;
    expect(engine.requests.map(({ leastConfidence: asked }) => asked)).toEqual([
      leastConfidence(least, false),
      leastConfidence(least, true),
      undefined,
      undefined,
    ]);
  });

  it('asks again for what the model was too unsure of once that is typed', async () => {
    const { engine, at } = bench();
    engine.says = 'total + re';
    engine.stop = 'unsure';
    engine.course = [
      ['total', 0.95],
      [' +', 0.001],
      [' re', 0.5],
    ];
    expect(await at('x = |')).toMatchObject({ text: 'total', shown: true, source: 'model' });
    expect(await at('x = total|')).toMatchObject({ reason: 'low_confidence', source: 'cache' });
    // Half of the token is typed, and what is left of it a fair guess; the text is no whole line for that.
    expect(await at('x = total +|')).toMatchObject({ source: 'model' });
    expect(engine.requests).toHaveLength(2);
    expect(await at('x = |', { explicit: true })).toMatchObject({ source: 'model' });
  });

  it('has no part of what a place refuses', async () => {
    const { engine, at } = bench({ ...DEFAULT_OPTIONS, enabled: false });
    engine.says = 'total + rest';
    engine.course = [
      ['total', 0.95],
      [' + rest', 0.01],
    ];
    const outcome = await at('x = |', { evenIfRefused: true });
    expect(outcome).toMatchObject({ text: 'total + rest', shown: false, reason: 'disabled' });
    expect(outcome.uncut).toBeUndefined();
  });

  it('lets a text end where it may, and remembers it for who lets it', async () => {
    const { engine, at } = bench();
    engine.says = '';
    expect(await at('x = 1\n|', { mayEnd: true })).toMatchObject({ reason: 'blank_result' });
    expect(engine.requests[0]).toMatchObject({ banBlankStart: false });
    expect(await at('x = 1\n|', { mayEnd: true })).toMatchObject({ reason: 'blank_result' });
    expect(engine.requests).toHaveLength(1);
    engine.says = 'y = 2';
    expect(await at('x = 1\n|')).toMatchObject({ text: 'y = 2', source: 'model' });
    expect(engine.requests[1]).not.toHaveProperty('banBlankStart');
  });

  it('takes a line for complete when the model is sure it ends there', async () => {
    const { engine, at } = bench();
    engine.says = ', a + b';
    engine.endProbability = 0.8;
    const outcome = await at('return a + b|');
    expect(outcome).toMatchObject({
      shown: false,
      reason: 'line_complete',
      text: ', a + b',
      endProbability: 0.8,
    });
    expect(await at('return a + b|')).toMatchObject({
      shown: false,
      reason: 'line_complete',
      source: 'cache',
    });
    expect(await at('return a + b,|')).toMatchObject({ shown: true, source: 'cache' });
    // At a line's start a break would only mean a blank line, and a blank before the cursor says that more follows.
    expect(await at('x = 1\n    |')).toMatchObject({ shown: true });
    expect(await at('return |')).toMatchObject({ shown: true });
  });

  it('suggests on the battery when asked, and keeps that while it is typed', async () => {
    const quiet = { reason: 'battery', unlessAsked: true } as const;
    const { engine, at } = bench({ ...DEFAULT_OPTIONS, restraint: quiet });
    expect((await at('return |')).reason).toBe('battery');
    expect((await at('return |', { explicit: true })).text).toBe('a + b');
    const along = await at('return a|');
    expect([along.shown, along.text, along.source]).toEqual([true, ' + b', 'cache']);
    // Nobody asked for what was made there before.
    expect((await at('return |')).reason).toBe('battery');
    expect(engine.requests.length).toBe(1);
  });

  it('shows nothing of what it knows where the battery turns it off', async () => {
    const options = { ...DEFAULT_OPTIONS };
    const { at } = bench(options);
    expect((await at('return |')).shown).toBe(true);
    Object.assign(options, { restraint: { reason: 'battery', unlessAsked: false } });
    for (const text of ['return |', 'return a|'])
      expect((await at(text, { explicit: true })).reason).toBe('battery');
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

  it('keeps the prompt front while typing in a long file', async () => {
    const { engine, at } = bench({ ...DEFAULT_OPTIONS, promptTokens: 200 });
    engine.says = '!';
    let text = Array.from({ length: 300 }, (_, index) => `value_${index} = compute(${index})\n`).join('');
    const fronts = new Set<string>();
    for (const character of 'result = combine(value_1, value_2)') {
      text += character;
      await at(`${text}|`);
      const prompt = promptText(engine.requests.at(-1)?.prompt ?? '');
      expect(estimateTokens(prompt)).toBeLessThanOrEqual(201);
      fronts.add(prompt.slice(0, 100));
    }
    expect(fronts.size).toBe(1);
  });

  it('shortens a prompt that overflows the context', async () => {
    const { engine, at } = bench({ ...DEFAULT_OPTIONS, promptTokens: 1_000 });
    engine.longest = 500;
    const outcome = await at(`${'word '.repeat(2_000)}\nreturn |`);
    expect(outcome.shown).toBe(true);
    expect(engine.requests.length).toBeGreaterThan(1);
    engine.longest = 0;
    expect(await at('x = |')).toMatchObject({ reason: 'engine_error', stop: 'failed' });
  });

  it('leaves room in the context for the completion', async () => {
    const text = `${'word word word\n'.repeat(2_000)}return |`;
    const promptIn = async (context: number | undefined, promptTokens = 4_000): Promise<number> => {
      const { engine, at } = bench({ ...DEFAULT_OPTIONS, promptTokens });
      engine.context = context;
      await at(text);
      return estimateTokens(promptText(engine.requests[0]?.prompt ?? ''));
    };
    expect(await promptIn(undefined)).toBeGreaterThan(2_048);
    expect(await promptIn(2_048)).toBeLessThan(2_048 - DEFAULT_OPTIONS.maxTokens);
    expect(await promptIn(2_048)).toBeGreaterThan(1_024);
    expect(await promptIn(64)).toBeLessThan(64);
    expect(await promptIn(100_000, 300)).toBe(await promptIn(undefined, 300));
  });

  it('keeps the prompt front where the full prompt overflows each time', async () => {
    const { engine, at } = bench({ ...DEFAULT_OPTIONS, promptTokens: 800 });
    engine.longest = 1_000;
    engine.says = '!';
    let text = Array.from({ length: 300 }, (_, index) => `value_${index} = compute(${index})\n`).join('');
    const fronts = new Set<string>();
    for (const character of 'result = combine(value_1, value_2)') {
      text += character;
      await at(`${text}|`);
      const answered = promptText(engine.requests.at(-1)?.prompt ?? '');
      expect(answered.length).toBeLessThanOrEqual(engine.longest);
      fronts.add(answered.slice(0, 60));
    }
    expect(engine.requests.length).toBeGreaterThan(text.length - text.lastIndexOf('\n'));
    expect(fronts.size).toBe(1);
  });

  it('forgets closed documents', async () => {
    const { engine, pipeline, at } = bench();
    await at('return |');
    pipeline.forget('file:///src/add.py');
    await at('return |');
    expect(engine.requests).toHaveLength(2);
  });
});

describe('a model that does not read what stands right of the cursor', () => {
  it('is asked in front of a word, and believed where it says that word as well', async () => {
    const { engine, at } = bench();
    engine.says = 'not ready';
    expect(await at('return |ready\n')).toMatchObject({ reason: 'shown', text: 'not ', replace: 0 });
    expect(await at('return n|ready\n')).toMatchObject({ reason: 'shown', text: 'ot ', source: 'cache' });
    expect(await at('return re|ady\n')).toMatchObject({ reason: 'inside_word', source: 'none' });
    engine.says = 'x * 2';
    expect(await at('y = |x\n')).toMatchObject({ reason: 'shown', text: 'x * 2', replace: 1 });
    engine.says = 'a + b';
    expect(await at('z = |x\n')).toMatchObject({ reason: 'does_not_fit' });
  });
});

describe('a model that reads what stands right of the cursor', () => {
  const reading = (): Bench => {
    const made = bench();
    made.engine.fim = { layout: 'prefix_suffix_middle', prefix: 1, suffix: 2, middle: 3 };
    made.engine.stop = 'end_token';
    return made;
  };

  it('is asked in front of a word, and fills what is between', async () => {
    const { engine, at } = reading();
    engine.says = 'not ';
    expect(await at('return |ready\n')).toMatchObject({ reason: 'shown', text: 'not ', replace: 0 });
    expect(engine.requests[0]?.prompt).toEqual([1, '# src/add.py\nreturn', 2, 'ready\n', 3]);
    // Typing along shows the rest of it.
    expect(await at('return no|ready\n')).toMatchObject({ reason: 'shown', text: 't ', source: 'cache' });
    engine.says = 'a, ';
    expect(await at('foo(|b)\n')).toMatchObject({ reason: 'shown', text: 'a, ' });
    expect(await at('foo(a,|b)\n')).toMatchObject({ reason: 'line_complete', source: 'none' });
  });

  it('is not asked within a word, nor believed where it goes on', async () => {
    const { engine, at } = reading();
    expect(await at('return rea|dy\n')).toMatchObject({ reason: 'inside_word' });
    engine.stop = 'line_end';
    expect(await at('return |ready\n')).toMatchObject({ reason: 'does_not_fit', shown: false });
    engine.stop = 'end_token';
    engine.says = 'max(a';
    expect(await at('x = |, b)\n')).toMatchObject({ reason: 'does_not_fit' });
  });
});
