import { describe, expect, it, vi } from 'vitest';
import type { EngineState } from '../../core/completion/engine_port';
import { type EngineAnswer, GREEDY } from '../../core/engine/engine_request';
import type { NativeGrammar } from '../../core/engine/native_grammar';
import type { NativeModelInfo } from '../../core/engine/native_types';
import type { NativeError, NativeResult } from '../../core/engine/native_result';
import type { Standstill, WatchdogEvents } from '../../core/engine/watchdog';
import { EngineLifecycle, type LoadedEngine, type LoadedResult } from '../../extension/engine_lifecycle';

const REQUEST = {
  prompt: 'x',
  requiredPrefix: '',
  maxTokens: 1,
  sampling: GREEDY,
  drafting: { lookup: false, model: false },
  references: [],
};
const failure = (code: NativeError['code']): { ok: false; error: NativeError } => ({
  ok: false,
  error: { code, message: 'Something is wrong; do something.' },
});

class FakeLoaded implements LoadedEngine {
  readonly info: NativeModelInfo;
  readonly modelPath = 'model.gguf';
  readonly speed = { prefillTokensPerSecond: 123 };
  answer: EngineAnswer = failure('INVALID_ARGUMENT');
  disposed = 0;
  readonly watchdog = {
    standsStill: false,
    events: undefined as WatchdogEvents | undefined,
    tell(events: WatchdogEvents): void {
      this.events = events;
    },
  };
  disposing: Promise<void> = Promise.resolve();

  constructor(name: string) {
    this.info = { name, heldBytes: 1_000, fim: { layout: 'some', suffix: 1 } } as NativeModelInfo;
  }

  complete(): Promise<EngineAnswer> {
    return Promise.resolve(this.answer);
  }

  generate(): Promise<EngineAnswer> {
    return Promise.resolve(this.answer);
  }

  tokenize(): Promise<NativeResult<Uint32Array>> {
    return Promise.resolve({ ok: true, value: new Uint32Array([1]) });
  }

  detokenize(): Promise<NativeResult<Uint8Array>> {
    return Promise.resolve({ ok: true, value: new Uint8Array([97]) });
  }

  compileGrammar(): Promise<NativeResult<NativeGrammar>> {
    return Promise.resolve(failure('GRAMMAR_INVALID'));
  }

  fork(): ReturnType<LoadedEngine['fork']> {
    return Promise.resolve({ ok: true, value: this });
  }

  dispose(): Promise<void> {
    this.disposed++;
    return this.disposing;
  }
}

/** A lifecycle whose loads are answered by the test. */
function bench(checks?: (NativeResult<unknown> | Promise<NativeResult<unknown>>)[]): {
  lifecycle: EngineLifecycle;
  states: EngineState[];
  answerLoad: (result: LoadedResult) => void;
  loads: () => number;
  /** Most loads that were under way at once. */
  mostAtOnce: () => number;
  refusals: NativeError[];
  replacements: NativeError[];
  /** What each check was told that would be free. */
  freed: number[];
} {
  const waiting: ((result: LoadedResult) => void)[] = [];
  const states: EngineState[] = [];
  const refusals: NativeError[] = [];
  const freed: number[] = [];
  const replacements: NativeError[] = [];
  let loads = 0;
  let mostAtOnce = 0;
  const lifecycle = new EngineLifecycle(
    () => {
      loads++;
      return new Promise((resolve) => {
        mostAtOnce = Math.max(mostAtOnce, waiting.push(resolve));
      });
    },
    (state) => states.push(state),
    checks === undefined
      ? undefined
      : {
          check: (bytes) => {
            freed.push(bytes);
            return Promise.resolve(checks.shift() ?? { ok: true, value: undefined });
          },
          refused: (error) => refusals.push(error),
          replaced: (error) => replacements.push(error),
        },
  );
  const answerLoad = (result: LoadedResult): void => waiting.shift()?.(result);
  return {
    lifecycle,
    states,
    answerLoad,
    loads: () => loads,
    mostAtOnce: () => mostAtOnce,
    refusals,
    freed,
    replacements,
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the life of the engine', () => {
  it('says while text is generated, until the last one is over', async () => {
    const { lifecycle, answerLoad } = bench();
    const started = lifecycle.start();
    await turn();
    const engine = new FakeLoaded('a');
    answerLoad({ ok: true, value: engine });
    await started;
    const { signal } = new AbortController();
    const one = lifecycle.generate(REQUEST, signal, () => undefined);
    const other = lifecycle.generate(REQUEST, signal, () => undefined);
    expect(lifecycle.generating).toBe(true);
    expect(await one).toBe(engine.answer);
    await other;
    expect(lifecycle.generating).toBe(false);
  });

  it('loads, answers and stops', async () => {
    const { lifecycle, states, answerLoad } = bench();
    const engine = new FakeLoaded('a');
    expect(await lifecycle.complete(REQUEST, new AbortController().signal)).toMatchObject({
      error: { code: 'MODEL_CLOSED' },
    });
    const started = lifecycle.start();
    await turn();
    answerLoad({ ok: true, value: engine });
    await started;
    expect(lifecycle.info?.name).toBe('a');
    expect(lifecycle.speed.prefillTokensPerSecond).toBe(123);
    expect(lifecycle.fim).toBe(engine.info.fim);
    expect(await lifecycle.complete(REQUEST, new AbortController().signal)).toBe(engine.answer);
    expect(lifecycle.state).toBe('ready');
    await lifecycle.stop();
    expect(engine.disposed).toBe(1);
    expect(lifecycle.fim).toBeUndefined();
    expect(states).toEqual(['loading', 'ready', 'stopped']);
  });

  it('has whoever waits for a load wait for all of them, or until that is taken back', async () => {
    const { lifecycle, answerLoad } = bench();
    const { signal } = new AbortController();
    await lifecycle.settled(signal);
    const first = lifecycle.start();
    await turn();
    const settled = vi.fn();
    const waiting = lifecycle.settled(signal).then(settled);
    const second = lifecycle.start();
    await turn();
    const controller = new AbortController();
    const takenBack = lifecycle.settled(controller.signal);
    controller.abort();
    await takenBack;
    answerLoad({ ok: true, value: new FakeLoaded('first') });
    await first;
    await turn();
    expect(settled).not.toHaveBeenCalled();
    answerLoad({ ok: true, value: new FakeLoaded('second') });
    await Promise.all([second, waiting]);
    expect(lifecycle.state).toBe('ready');
    expect(settled).toHaveBeenCalledOnce();
  });

  it('keeps why loading failed, until the next start', async () => {
    const { lifecycle, states, answerLoad } = bench();
    const started = lifecycle.start();
    await turn();
    answerLoad(failure('MODEL_TRUNCATED'));
    await started;
    expect(lifecycle.state).toBe('failed');
    expect(lifecycle.error?.code).toBe('MODEL_TRUNCATED');
    const again = lifecycle.start();
    expect(lifecycle.error).toBeUndefined();
    await turn();
    answerLoad({ ok: true, value: new FakeLoaded('a') });
    await again;
    expect(states).toEqual(['loading', 'failed', 'loading', 'ready']);
  });

  it('goes on with the model that runs where the next one would not', async () => {
    const { lifecycle, states, answerLoad, loads, refusals, freed } = bench([failure('MODEL_TRUNCATED')]);
    const engine = new FakeLoaded('a');
    const started = lifecycle.start();
    await turn();
    answerLoad({ ok: true, value: engine });
    await started;
    await lifecycle.start();
    expect(refusals).toEqual([failure('MODEL_TRUNCATED').error]);
    expect(freed).toEqual([1_000]);
    expect(lifecycle.error?.code).toBe('MODEL_TRUNCATED');
    expect(lifecycle.info?.name).toBe('a');
    expect(engine.disposed).toBe(0);
    expect(loads()).toBe(1);
    expect(await lifecycle.complete(REQUEST, new AbortController().signal)).toBe(engine.answer);

    const next = lifecycle.start();
    expect(lifecycle.error).toBeUndefined();
    await turn();
    answerLoad({ ok: true, value: new FakeLoaded('b') });
    await next;
    expect(engine.disposed).toBe(1);
    expect(lifecycle.info?.name).toBe('b');
    expect(refusals).toHaveLength(1);
    expect(states).toEqual(['loading', 'ready', 'loading', 'ready']);
  });

  it('forgets an engine that broke while the next model was looked at', async () => {
    let pass: () => void = () => undefined;
    const looked = new Promise<NativeResult<unknown>>((resolve) => {
      pass = () => resolve({ ok: true, value: undefined });
    });
    const { lifecycle, answerLoad } = bench([looked]);
    const started = lifecycle.start();
    await turn();
    const engine = new FakeLoaded('a');
    answerLoad({ ok: true, value: engine });
    await started;
    const next = lifecycle.start();
    engine.answer = failure('DEVICE_FAILED');
    await lifecycle.complete(REQUEST, new AbortController().signal);
    pass();
    await turn();
    answerLoad({ ok: true, value: new FakeLoaded('b') });
    await next;
    expect(lifecycle.state).toBe('ready');
    expect(lifecycle.error).toBeUndefined();
  });

  it('says why another model was loaded than the one that was asked for', async () => {
    const { lifecycle, states, answerLoad, replacements } = bench([]);
    const started = lifecycle.start();
    await turn();
    const { error } = failure('MODEL_CRASHED');
    answerLoad({ ok: true, value: new FakeLoaded('last good'), refused: error });
    await started;
    expect(lifecycle.info?.name).toBe('last good');
    expect(lifecycle.error).toBe(error);
    expect(replacements).toEqual([error]);
    expect(states).toEqual(['loading', 'ready']);
  });

  it('loads what cannot be checked where no model runs', async () => {
    const { lifecycle, answerLoad, refusals } = bench([failure('MODEL_TRUNCATED')]);
    const started = lifecycle.start();
    await turn();
    answerLoad(failure('MODEL_TRUNCATED'));
    await started;
    expect(lifecycle.state).toBe('failed');
    expect(refusals).toHaveLength(0);
  });

  it('frees a model that was overtaken by a restart', async () => {
    const { lifecycle, answerLoad } = bench();
    const first = new FakeLoaded('first');
    const second = new FakeLoaded('second');
    const starts = [lifecycle.start()];
    await turn();
    starts.push(lifecycle.start());
    await turn();
    answerLoad({ ok: true, value: first });
    await turn();
    answerLoad({ ok: true, value: second });
    await Promise.all(starts);
    expect(first.disposed).toBe(1);
    expect(second.disposed).toBe(0);
    expect(lifecycle.info?.name).toBe('second');
  });

  it('frees a model that finished loading after a stop', async () => {
    const { lifecycle, states, answerLoad } = bench();
    const engine = new FakeLoaded('late');
    const started = lifecycle.start();
    await turn();
    await lifecycle.stop();
    answerLoad({ ok: true, value: engine });
    await started;
    expect(engine.disposed).toBe(1);
    expect(states).toEqual(['loading', 'stopped']);
  });

  it('loads one model at a time, and none that was overtaken before its turn', async () => {
    const { lifecycle, states, answerLoad, loads, mostAtOnce } = bench();
    const starts = [lifecycle.start()];
    await turn();
    await lifecycle.stop();
    starts.push(lifecycle.start(), lifecycle.start());
    await turn();
    expect(loads()).toBe(1);
    let free: () => void = () => undefined;
    const late = new FakeLoaded('late');
    late.disposing = new Promise((resolve) => (free = resolve));
    answerLoad({ ok: true, value: late });
    await turn();
    expect({ disposed: late.disposed, loads: loads() }).toEqual({ disposed: 1, loads: 1 });
    free();
    await vi.waitUntil(() => loads() === 2);
    answerLoad({ ok: true, value: new FakeLoaded('last') });
    await Promise.all(starts);
    expect(lifecycle.info?.name).toBe('last');
    expect({ loads: loads(), mostAtOnce: mostAtOnce() }).toEqual({ loads: 2, mostAtOnce: 1 });
    expect(states).toEqual(['loading', 'stopped', 'loading', 'loading', 'ready']);
  });

  it.each(['a restart', 'a stop'] as const)(
    'loads nothing before %s has freed the last model',
    async (by) => {
      const { lifecycle, answerLoad, loads } = bench();
      const started = lifecycle.start();
      await turn();
      const engine = new FakeLoaded('a');
      let free: () => void = () => undefined;
      engine.disposing = new Promise((resolve) => (free = resolve));
      answerLoad({ ok: true, value: engine });
      await started;
      const before = by === 'a stop' ? lifecycle.stop() : lifecycle.start();
      const next = lifecycle.start();
      const settled = vi.fn();
      void next.then(settled);
      await turn();
      expect({ disposed: engine.disposed, loads: loads() }).toEqual({ disposed: 1, loads: 1 });
      expect(settled).not.toHaveBeenCalled();
      free();
      await vi.waitUntil(() => loads() === 2);
      answerLoad({ ok: true, value: new FakeLoaded('b') });
      await Promise.all([before, next]);
      expect({ name: lifecycle.info?.name, loads: loads() }).toEqual({ name: 'b', loads: 2 });
    },
  );

  it.each([
    ['SESSION_CLOSED', 'failed'],
    ['MODEL_CLOSED', 'failed'],
    ['DEVICE_FAILED', 'failed'],
    ['DEVICE_UNAVAILABLE', 'failed'],
    ['INTERNAL', 'failed'],
    ['INVALID_ARGUMENT', 'ready'],
    ['OUT_OF_MEMORY', 'ready'],
  ] as const)('after %s from the loaded model is %s', async (code, state) => {
    const { lifecycle, answerLoad } = bench();
    const engine = new FakeLoaded('a');
    engine.answer = failure(code);
    const started = lifecycle.start();
    await turn();
    answerLoad({ ok: true, value: engine });
    await started;
    await lifecycle.complete(REQUEST, new AbortController().signal);
    expect(lifecycle.state).toBe(state);
  });

  it('tokenizes and compiles grammars where a model is loaded', async () => {
    const { lifecycle, answerLoad } = bench();
    const source = { gbnf: 'root ::= "a"' };
    expect(await lifecycle.tokenize('a', true)).toMatchObject({ ok: false, error: { code: 'MODEL_CLOSED' } });
    expect(await lifecycle.compileGrammar(source)).toMatchObject({
      ok: false,
      error: { code: 'MODEL_CLOSED' },
    });
    const started = lifecycle.start();
    await turn();
    answerLoad({ ok: true, value: new FakeLoaded('a') });
    await started;
    expect(await lifecycle.compileGrammar(source)).toMatchObject({ error: { code: 'GRAMMAR_INVALID' } });
    expect(await lifecycle.tokenize('a', true)).toMatchObject({ ok: true });
  });
});

describe('an engine that stands still', () => {
  const STANDSTILL: Standstill = {
    turns: 3,
    phase: 'decode',
    promptTokens: 40,
    generatedTokens: 7,
    seconds: 30,
  };

  async function standing(): Promise<ReturnType<typeof bench> & { engine: FakeLoaded }> {
    const on = bench();
    const engine = new FakeLoaded('a');
    const started = on.lifecycle.start();
    await turn();
    on.answerLoad({ ok: true, value: engine });
    await started;
    engine.watchdog.standsStill = true;
    engine.watchdog.events?.stoodStill(STANDSTILL);
    return { ...on, engine };
  }

  it('has failed, with what it was at', async () => {
    const { lifecycle, states } = await standing();
    expect(states).toEqual(['loading', 'ready', 'failed']);
    expect(lifecycle.error?.code).toBe('ENGINE_STANDS_STILL');
    expect(lifecycle.error?.message).toContain('writing a text');
  });

  it('is ready once it moves again', async () => {
    const { lifecycle, states, engine } = await standing();
    engine.watchdog.standsStill = false;
    engine.watchdog.events?.movesAgain();
    expect(states.slice(2)).toEqual(['failed', 'ready']);
    expect(lifecycle.error).toBeUndefined();
  });

  it('is not waited for either where that is found while it is given up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const { lifecycle, states, answerLoad, loads } = bench();
      const started = lifecycle.start();
      await turn();
      const engine = new FakeLoaded('a');
      engine.disposing = new Promise(() => undefined);
      answerLoad({ ok: true, value: engine });
      await started;
      const starts = [lifecycle.start(), lifecycle.start()];
      await vi.waitUntil(() => engine.disposed === 1);
      engine.watchdog.standsStill = true;
      engine.watchdog.events?.stoodStill(STANDSTILL);
      await vi.advanceTimersByTimeAsync(60_000);
      await vi.waitUntil(() => loads() === 2);
      answerLoad({ ok: true, value: new FakeLoaded('b') });
      await Promise.all(starts);
      expect(states.at(-1)).toBe('ready');
      expect(lifecycle.info?.name).toBe('b');
    } finally {
      vi.useRealTimers();
    }
  });

  it('is not waited for where another is loaded, and has nothing more to say then', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const { lifecycle, states, answerLoad, engine, loads } = await standing();
      engine.disposing = new Promise(() => undefined);
      const restarted = lifecycle.start();
      await vi.waitUntil(() => engine.disposed === 1);
      await vi.advanceTimersByTimeAsync(60_000);
      await vi.waitUntil(() => loads() === 2);
      answerLoad({ ok: true, value: new FakeLoaded('b') });
      await restarted;
      engine.watchdog.events?.movesAgain();
      engine.watchdog.events?.stoodStill(STANDSTILL);
      expect(states.slice(2)).toEqual(['failed', 'loading', 'ready']);
      expect({ name: lifecycle.info?.name, error: lifecycle.error }).toEqual({ name: 'b', error: undefined });
    } finally {
      vi.useRealTimers();
    }
  });
});
