/** The engine's queue over a fake addon: latest wins, cancellation reaches the addon in the call itself, nothing rejects. */
import { describe, expect, it } from 'vitest';
import { valueOf } from '../../cli/failure';
import { Engine, type EngineAddon } from '../../core/engine/engine';
import { GREEDY, type EngineRequest } from '../../core/engine/engine_request';
import type { NativeGrammar, NativeGrammarSource } from '../../core/engine/native_grammar';
import {
  type NativeCompletion,
  type NativeCompletionRequest,
  type NativeModel,
  type NativeModelInfo,
  type NativeSession,
  NO_COMPLETION,
} from '../../core/engine/native_types';
import type { NativeResult } from '../../core/engine/native_result';
import { asOneToken } from './made_up_tokens';

const LINE: EngineRequest = { prompt: 'a = ', requiredPrefix: '', maxTokens: 8, sampling: GREEDY };

const INFO = { name: 'fake', contextLength: 512, vocabulary: 16 } as NativeModelInfo;

function completion(stop: NativeCompletion['stop'], text = ''): NativeResult<NativeCompletion> {
  const timings = {
    promptTokens: 64,
    reusedTokens: 0,
    generatedTokens: 10,
    queueMs: 1,
    prefillMs: 128,
    firstTokenMs: 140,
    totalMs: 229,
    cancelMs: 0,
    cancelPhase: stop === 'cancelled' ? ('decode' as const) : ('none' as const),
  };
  return { ok: true, value: { ...NO_COMPLETION, text, stop, ...asOneToken(text, 1), timings } };
}

/** An addon whose requests run until the test settles or cancels them. */
class FakeAddon implements EngineAddon {
  readonly requests: NativeCompletionRequest[] = [];
  readonly cancelled: number[] = [];
  readonly grammars: NativeGrammarSource[] = [];
  contexts: number[] = [];
  closed = 0;
  sessionError: NativeResult<never> | undefined;
  forkError: NativeResult<never> | undefined;
  forks = 0;
  closedForks = 0;
  private readonly settlers = new Map<number, (result: NativeResult<NativeCompletion>) => void>();

  settle(id: number, result = completion('line_end', `text ${id}`)): void {
    this.settlers.get(id)?.(result);
  }

  loadModel(): Promise<NativeResult<NativeModel>> {
    const session: NativeSession = {
      complete: (request) => {
        this.requests.push(request);
        return new Promise((resolve) => this.settlers.set(request.id, resolve));
      },
      cancel: (id) => {
        this.cancelled.push(id);
        this.settle(id, completion('cancelled'));
      },
      fork: () => {
        if (this.forkError !== undefined) return Promise.resolve(this.forkError);
        this.forks++;
        const close = (): Promise<void> => {
          this.closedForks++;
          return Promise.resolve();
        };
        return Promise.resolve({ ok: true, value: { ...session, close } });
      },
      close: () => Promise.resolve(),
    };
    const model: NativeModel = {
      info: () => INFO,
      progress: () => ({ turns: 0, phase: 'prefill', promptTokens: 0, generatedTokens: 0 }),
      createSession: ({ context }) => {
        this.contexts.push(context);
        return Promise.resolve(this.sessionError ?? { ok: true, value: session });
      },
      tokenize: () => Promise.resolve({ ok: true, value: new Uint32Array([1]) }),
      detokenize: () => Promise.resolve({ ok: true, value: new Uint8Array([2]) }),
      logits: () => Promise.resolve({ ok: true, value: new Float32Array([3]) }),
      dispatches: () => Promise.resolve({ ok: true, value: [] }),
      maskTimes: () => Promise.resolve({ ok: true, value: new Float64Array([4]) }),
      close: () => {
        this.closed++;
        for (const id of this.settlers.keys()) this.settle(id, completion('cancelled'));
        return Promise.resolve();
      },
    };
    return Promise.resolve({ ok: true, value: model });
  }

  compileGrammar(source: NativeGrammarSource): Promise<NativeResult<NativeGrammar>> {
    this.grammars.push(source);
    return Promise.resolve({ ok: true, value: GRAMMAR });
  }
}

const GRAMMAR: NativeGrammar = {
  compileMs: 1,
  empty: false,
  check: () => Promise.resolve({ ok: true, value: 'accept' }),
  close: () => undefined,
};

async function load(addon: FakeAddon, context?: number): Promise<Engine> {
  const options = { modelPath: 'model.gguf', ...(context === undefined ? {} : { context }) };
  return valueOf(await Engine.loadFrom(addon, options));
}

const stopOf = (result: NativeResult<NativeCompletion>): string =>
  result.ok ? result.value.stop : result.error.code;

describe('engine requests', () => {
  it('passes a grammar on, and none where there is none', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const source = { gbnf: 'root ::= "a"' };
    const grammar = { grammar: valueOf(await engine.compileGrammar(source)), prefix: '{' };
    expect(addon.grammars).toEqual([source]);
    const constrained = engine.complete({ ...LINE, grammar });
    addon.settle(1);
    await constrained;
    const free = engine.complete(LINE);
    addon.settle(2);
    await free;
    expect(addon.requests[0]?.grammar).toBe(grammar);
    expect(addon.requests[1]).not.toHaveProperty('grammar');
  });

  it('passes a line request on, within one line', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const answer = engine.complete({
      ...LINE,
      requiredPrefix: 'x',
      sampling: { ...GREEDY, temperature: 0.2, topK: 40, seed: 7 },
    });
    addon.settle(1);
    expect(await answer).toMatchObject({ ok: true, value: { text: 'text 1' } });
    expect(addon.requests[0]).toMatchObject({
      prompt: 'a = ',
      requiredPrefix: 'x',
      maxTokens: 8,
      parseSpecial: false,
      singleLine: true,
      banBlankStart: true,
      leastConfidence: 0,
      sampling: { temperature: 0.2, topK: 40, topP: 1, minP: 0, repeatPenalty: 1, seed: 7 },
    });
  });

  it('takes a prompt of texts and tokens', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const prompt = [8, 'b\n', 9, 'a = '];
    const answer = engine.complete({ ...LINE, prompt });
    addon.settle(1);
    expect(await answer).toMatchObject({ ok: true });
    expect(addon.requests[0]?.prompt).toEqual(prompt);
    expect(engine.fim).toBeUndefined();
  });

  it('generates over several lines', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const answer = engine.generate(LINE, new AbortController().signal, () => undefined);
    addon.settle(1);
    expect(await answer).toMatchObject({ ok: true });
    expect(addon.requests[0]).toMatchObject({ prompt: 'a = ', singleLine: false, banBlankStart: false });
  });

  it('asks for no more context than the model has', async () => {
    const addon = new FakeAddon();
    await load(addon);
    await load(addon, 64);
    expect(addon.contexts).toEqual([INFO.contextLength, 64]);
  });

  it('cancels the running request in the call that supersedes it', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const first = engine.complete(LINE);
    const second = engine.complete(LINE);
    expect(addon.cancelled).toEqual([1]);
    expect(stopOf(await first)).toBe('cancelled');
    addon.settle(2);
    expect(stopOf(await second)).toBe('line_end');
    expect(addon.requests.map(({ id }) => id)).toEqual([1, 2]);
  });

  it('cancels in the abort itself, and not after the request has settled', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const controller = new AbortController();
    const running = engine.complete(LINE, controller.signal);
    controller.abort();
    expect(addon.cancelled).toEqual([1]);
    expect(stopOf(await running)).toBe('cancelled');

    const later = new AbortController();
    const settled = engine.complete(LINE, later.signal);
    addon.settle(2);
    await settled;
    later.abort();
    expect(addon.cancelled).toEqual([1]);
  });

  it('does not ask the addon, nor disturb what runs, when the signal is aborted already', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const running = engine.complete(LINE);
    expect(stopOf(await engine.complete(LINE, AbortSignal.abort()))).toBe('cancelled');
    expect(addon.requests).toHaveLength(1);
    addon.settle(1);
    expect(stopOf(await running)).toBe('line_end');
  });

  it('cancels what is under way, and nothing that is over', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    engine.cancelAll();
    expect(addon.cancelled).toEqual([]);
    const running = engine.complete(LINE);
    engine.cancelAll();
    expect(addon.cancelled).toEqual([1]);
    expect(stopOf(await running)).toBe('cancelled');
    engine.cancelAll();
    expect(addon.cancelled).toEqual([1]);
  });

  it('passes errors on as values', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const running = engine.complete(LINE);
    addon.settle(1, { ok: false, error: { code: 'CONTEXT_OVERFLOW', message: 'Too long.' } });
    expect(stopOf(await running)).toBe('CONTEXT_OVERFLOW');
    engine.cancelAll();
    expect(addon.cancelled).toEqual([]);
  });

  it('measures its speed from what it ran', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const running = engine.complete(LINE);
    addon.settle(1);
    await running;
    expect(engine.speed.prefillTokensPerSecond).toBeCloseTo(500);
    expect(engine.speed.decodeTokensPerSecond).toBeCloseTo(100);
  });

  it('closes the model once, settles what runs, and refuses what comes later', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const running = engine.complete(LINE);
    expect(engine.state).toBe('ready');
    await Promise.all([engine.dispose(), engine.dispose()]);
    expect(engine.state).toBe('stopped');
    expect(addon.closed).toBe(1);
    expect(stopOf(await running)).toBe('cancelled');
    expect(stopOf(await engine.complete(LINE))).toBe('MODEL_CLOSED');
  });

  it('closes the session of a fork once, and the model with its own engine alone', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const fork = valueOf(await engine.fork());
    expect(fork).toMatchObject({ state: 'ready', context: engine.context, info: INFO });
    expect(fork.speed).toBe(engine.speed);
    await Promise.all([fork.dispose(), fork.dispose()]);
    expect(addon).toMatchObject({ closed: 0, closedForks: 1 });
    expect([engine.state, fork.state]).toEqual(['ready', 'stopped']);
    expect(stopOf(await fork.complete({ prompt: 'x', maxTokens: 1 }))).toBe('SESSION_CLOSED');
    expect(await fork.fork()).toMatchObject({ error: { code: 'SESSION_CLOSED' } });

    const open = valueOf(await engine.fork());
    const nested = valueOf(await open.fork());
    await engine.dispose();
    expect(addon.closed).toBe(1);
    expect([open.state, nested.state]).toEqual(['stopped', 'stopped']);
    expect(stopOf(await nested.complete(LINE))).toBe('MODEL_CLOSED');
    for (const each of [engine, fork, open, nested]) {
      expect(await each.fork()).toMatchObject({ error: { code: 'MODEL_CLOSED' } });
    }
    expect(addon.forks).toBe(3);
    expect(addon.requests).toHaveLength(0);
  });

  it('lets what runs in a fork go on', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    const fork = valueOf(await engine.fork());
    const answer = fork.complete(LINE);
    engine.cancelAll();
    expect(addon.cancelled).toEqual([]);
    addon.settle(1);
    expect(stopOf(await answer)).toBe('line_end');
    const next = fork.complete(LINE);
    fork.cancelAll();
    expect(addon.cancelled).toEqual([2]);
    expect(stopOf(await next)).toBe('cancelled');
  });

  it('passes the error of a fork on', async () => {
    const addon = new FakeAddon();
    const engine = await load(addon);
    addon.forkError = { ok: false, error: { code: 'OUT_OF_MEMORY', message: 'No memory.' } };
    expect(await engine.fork()).toBe(addon.forkError);
    expect(engine.state).toBe('ready');
  });

  it('frees the model when no session can be had', async () => {
    const addon = new FakeAddon();
    addon.sessionError = { ok: false, error: { code: 'OUT_OF_MEMORY', message: 'No memory.' } };
    const engine = await Engine.loadFrom(addon, { modelPath: 'model.gguf' });
    expect(engine).toMatchObject({ ok: false, error: { code: 'OUT_OF_MEMORY' } });
    expect(addon.closed).toBe(1);
  });
});
