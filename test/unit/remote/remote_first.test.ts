/** The engine on this machine steps in for one elsewhere: at the limit, at a failure, and wherever text may not leave. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Calibration } from '../../../core/completion/calibration';
import { OneEngine, type Question, type Reply } from '../../../core/completion/asking';
import { snapshotOfText } from '../../../core/completion/document';
import type { EngineState, GenerationEngine } from '../../../core/completion/engine_port';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { PromptWriter } from '../../../core/completion/prompt_writer';
import type { EngineAnswer, EngineRequest } from '../../../core/engine/engine_request';
import type { NativeError, NativeResult } from '../../../core/engine/native_result';
import { type NativeFim, NO_COMPLETION } from '../../../core/engine/native_types';
import { BackOff } from '../../../core/remote/back_off';
import { late, statusError, unreachable } from '../../../core/remote/errors';
import { family, fimOf } from '../../../core/remote/families';
import { noTimes, type Remote, RemoteFirst, type RemoteTimes } from '../../../core/remote/remote_first';
import type { RemoteServer } from '../../../core/remote/server';
import { asOneToken } from '../made_up_tokens';

const LIMIT_MS = 1_000;

/** Answers after some time, or never; remembers what it was asked. */
class SlowEngine implements GenerationEngine {
  state: EngineState = 'ready';
  fim: NativeFim | undefined;
  readonly speed = { prefillTokensPerSecond: undefined };
  readonly host = 'example:1';
  readonly requests: EngineRequest[] = [];
  cancelled = 0;
  afterMs: number;
  error: NativeError | undefined;
  /** Pieces of a text come at once; what ends it, later. */
  pieces: readonly string[] = [];
  connected: NativeResult<RemoteServer> = { ok: true, value: {} as RemoteServer };
  private readonly name: string;

  constructor(name: string, afterMs: number) {
    this.name = name;
    this.afterMs = afterMs;
  }

  connect(): Promise<NativeResult<RemoteServer>> {
    return Promise.resolve(this.connected);
  }

  complete(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer> {
    return this.generate(request, signal, () => undefined);
  }

  generate(
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer> {
    this.requests.push(request);
    for (const piece of this.pieces) onText(piece);
    return new Promise((resolve) => {
      let isOver = false;
      const say = (): void => {
        if (isOver) return;
        isOver = true;
        if (signal.aborted) this.cancelled++;
        const { error } = this;
        if (error !== undefined && !signal.aborted) {
          resolve({ ok: false, error });
          return;
        }
        const stop = signal.aborted ? 'cancelled' : 'line_end';
        resolve({
          ok: true,
          value: { ...NO_COMPLETION, text: this.name, stop, ...asOneToken(this.name, 1) },
        });
      };
      if (signal.aborted) say();
      else if (Number.isFinite(this.afterMs)) setTimeout(say, this.afterMs);
      signal.addEventListener('abort', say, { once: true });
    });
  }
}

interface Bench {
  readonly far: SlowEngine;
  readonly near: SlowEngine;
  readonly backOff: BackOff;
  readonly times: RemoteTimes;
  /** Of the remote engine's model. */
  readonly calibration: Calibration;
  readonly first: RemoteFirst;
  readonly ask: (more?: Partial<Question<GenerationEngine>>) => Promise<Reply>;
  chosen: boolean;
  mayLeave: boolean;
}

const TEXT = 'def add(a, b):\n    return ';

function bench(farMs: number, nearMs: number): Bench {
  const far = new SlowEngine('far', farMs);
  const near = new SlowEngine('near', nearMs);
  const backOff = new BackOff(
    () => Date.now(),
    () => 0,
  );
  const times = noTimes();
  const calibration = new Calibration();
  const prompts = new PromptWriter(far);
  const remote: Remote = {
    engine: far,
    prompts,
    backOff,
    times,
    timeoutMs: LIMIT_MS,
    // Known once the server was asked for its model.
    get calibration() {
      return far.requests.length > 0 ? calibration : undefined;
    },
  };
  const one = { chosen: true, mayLeave: true };
  const first = new RemoteFirst({
    local: new OneEngine<GenerationEngine>(near, new PromptWriter(near)),
    remote: () => (made.chosen ? remote : undefined),
    mayLeave: () => made.mayLeave,
  });
  const document = snapshotOfText({
    uri: 'u',
    path: 'a.py',
    languageId: 'python',
    text: TEXT,
    offset: TEXT.length,
  });
  const made: Bench = {
    ...one,
    calibration,
    far,
    near,
    backOff,
    times,
    first,
    ask: (more = {}) =>
      first.ask({
        place: { document, options: DEFAULT_OPTIONS, clipboard: 'a secret that was copied' },
        signal: new AbortController().signal,
        send: (engine, request, signal, onText) => engine.generate(request, signal, onText),
        ...more,
      }),
  };
  return made;
}

/** Whose answer it is, and when it came, ms. */
async function whoAndWhen(reply: Promise<Reply>): Promise<readonly [string, number]> {
  const started = Date.now();
  const settled = reply.then(({ answer }): readonly [string, number] => [
    answer.ok ? answer.value.text : answer.error.code,
    Date.now() - started,
  ]);
  await vi.advanceTimersByTimeAsync(60_000);
  return settled;
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it("is as sure as the model that answered, and expects the remote one's until that is left alone", async () => {
  const { ask, backOff, first, calibration } = bench(10, 0);
  const answered = async (): Promise<Reply> => {
    const reply = ask();
    await vi.advanceTimersByTimeAsync(LIMIT_MS / 2);
    return reply;
  };
  expect((await answered()).calibration).toBe(calibration);
  expect(first.calibration).toBe(calibration);
  backOff.failed(unreachable('example:1', ''));
  expect(first.calibration).toBeUndefined();
  expect((await answered()).calibration).toBeUndefined();
});

describe('a suggestion', () => {
  it('is the remote one where that is in time, and this machine does nothing', async () => {
    const { ask, near } = bench(LIMIT_MS / 10, 50);
    expect(await whoAndWhen(ask())).toEqual(['far', LIMIT_MS / 10]);
    expect(near.requests).toEqual([]);
  });

  it.each([
    ['sooner', LIMIT_MS / 4, 0],
    ['later', LIMIT_MS / 4 + 20, 1],
  ])(
    'that comes %s than the remote engine usually answers has this machine work beside it: %i ms, %i times',
    async (_, farMs, asked) => {
      const { ask, near, times } = bench(farMs, 500);
      for (let count = 0; count < 20; count++) times.suggestions.add(LIMIT_MS / 4 + 10);
      expect(await whoAndWhen(ask())).toEqual(['far', farMs]);
      expect(near.requests).toHaveLength(asked);
      expect(near.cancelled).toBe(asked);
    },
  );

  it('costs this machine nothing while the remote engine is as quick as ever', async () => {
    const { ask, far, near } = bench(LIMIT_MS * 0.4, 50);
    for (let count = 0; count < 8; count++) await whoAndWhen(ask());
    far.afterMs--;
    const unknown = near.requests.length;
    for (let count = 0; count < 20; count++) await whoAndWhen(ask());
    expect(near.requests).toHaveLength(unknown);
  });

  it.each([
    ['is not known yet', (far: SlowEngine) => void (far.state = 'loading')],
    ['was late', (_: SlowEngine, backOff: BackOff) => backOff.failed(late('example:1', LIMIT_MS))],
  ])('is begun on both sides at once where the remote engine %s', async (_, make) => {
    const { ask, far, near, backOff } = bench(10, 50);
    make(far, backOff);
    const reply = ask();
    expect(near.requests).toHaveLength(1);
    expect((await whoAndWhen(reply))[0]).toBe('far');
    expect(near.cancelled).toBe(1);
  });

  it('is the remote one although this machine has begun', async () => {
    const { ask, near } = bench(LIMIT_MS - 1, 50);
    expect(await whoAndWhen(ask())).toEqual(['far', LIMIT_MS - 1]);
    expect(near.requests).toHaveLength(1);
  });

  it('is there in the moment in which the limit passes, from this machine, and the remote one is cancelled', async () => {
    const { ask, far, backOff } = bench(Infinity, 50);
    expect(await whoAndWhen(ask())).toEqual(['near', LIMIT_MS]);
    expect(far.cancelled).toBe(1);
    expect(backOff.reason?.code).toBe('REMOTE_LATE');
  });

  it('comes from this machine as soon as a failure is known', async () => {
    const { ask, far } = bench(10, 50);
    far.error = unreachable('example:1', 'nobody is there');
    expect(await whoAndWhen(ask())).toEqual(['near', 60]);
  });

  it('comes from this machine alone while the remote one is left alone, and from it again once it is back', async () => {
    const { ask, far, near, backOff } = bench(10, 50);
    far.error = statusError('example:1', 500);
    const failed = ask();
    await vi.advanceTimersByTimeAsync(100);
    await failed;
    expect(backOff.pausedMs).toBeGreaterThan(0);
    const alone = ask();
    await vi.advanceTimersByTimeAsync(50);
    expect((await alone).remote).toBe(false);
    expect(far.requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(5_000);
    far.error = undefined;
    expect((await whoAndWhen(ask()))[0]).toBe('far');
    expect(backOff.doubted).toBe(false);
    expect(near.requests).toHaveLength(3);
  });

  it('does not wait for a remote engine that is doubted, which shows meanwhile that it is back', async () => {
    const { ask, far, backOff } = bench(10, 50);
    far.error = statusError('example:1', 500);
    await whoAndWhen(ask());
    far.error = undefined;
    far.afterMs = 500;
    expect(await whoAndWhen(ask())).toEqual(['near', 50]);
    expect(backOff.doubted).toBe(false);
  });

  it('is waited for where this machine has no engine', async () => {
    const { ask, near } = bench(3 * LIMIT_MS, 50);
    near.state = 'loading';
    expect(await whoAndWhen(ask())).toEqual(['far', 3 * LIMIT_MS]);
    expect(near.requests).toEqual([]);
  });

  it('is cancelled on both sides by an edit', async () => {
    const { ask, far, near, backOff } = bench(Infinity, Infinity);
    const controller = new AbortController();
    const reply = ask({ signal: controller.signal });
    await vi.advanceTimersByTimeAsync(LIMIT_MS * 0.75);
    controller.abort();
    expect((await reply).answer).toMatchObject({ value: { stop: 'cancelled' } });
    expect([far.cancelled, near.cancelled]).toEqual([1, 1]);
    expect(backOff.reason).toBeUndefined();
  });

  it('is never asked of the remote engine where text may not leave, a grammar or tokens are in it, or none was chosen', async () => {
    const made = bench(10, 50);
    made.mayLeave = false;
    expect((await whoAndWhen(made.ask()))[0]).toBe('near');
    made.mayLeave = true;
    expect((await whoAndWhen(made.ask({ namesTokens: true })))[0]).toBe('near');
    made.chosen = false;
    expect((await whoAndWhen(made.ask()))[0]).toBe('near');
    expect(made.far.requests).toEqual([]);
  });

  it('has nothing of the clipboard in what is sent, though this machine reads it', async () => {
    const made = bench(10, 50);
    for (const engine of [made.far, made.near]) engine.fim = fimOf(family('qwen'));
    await whoAndWhen(made.ask());
    made.chosen = false;
    await whoAndWhen(made.ask());
    expect(JSON.stringify(made.far.requests)).not.toContain('secret');
    expect(JSON.stringify(made.far.requests)).toContain('def add');
    expect(JSON.stringify(made.near.requests)).toContain('secret');
  });
});

describe('a text that grows', () => {
  it('is the remote one for as long as it takes, once it has begun', async () => {
    const { ask, far, near } = bench(5 * LIMIT_MS, 50);
    far.pieces = ['a'];
    const pieces: string[] = [];
    expect(await whoAndWhen(ask({ onText: (piece) => pieces.push(piece) }))).toEqual(['far', 5 * LIMIT_MS]);
    expect(pieces).toEqual(['a']);
    expect(near.requests).toEqual([]);
  });

  it('is from this machine where the remote one has not begun at the limit', async () => {
    const { ask, near } = bench(Infinity, 50);
    near.pieces = ['b'];
    const pieces: string[] = [];
    expect(await whoAndWhen(ask({ onText: (piece) => pieces.push(piece) }))).toEqual(['near', LIMIT_MS]);
    expect(pieces).toEqual(['b']);
  });

  it('shows nothing of what this machine has begun before the remote engine failed, and all of it then', async () => {
    const { ask, far, near } = bench(LIMIT_MS / 2, LIMIT_MS);
    near.pieces = ['b'];
    far.error = unreachable('example:1', 'the connection broke');
    const pieces: string[] = [];
    const reply = ask({ onText: (piece) => pieces.push(piece) });
    await vi.advanceTimersByTimeAsync(LIMIT_MS / 2 - 1);
    expect([near.requests.length, pieces.length]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(1);
    expect(pieces).toEqual(['b']);
    expect((await whoAndWhen(reply))[0]).toBe('near');
  });

  it('is given up by this machine as soon as the remote one begins', async () => {
    const { ask, far, near } = bench(LIMIT_MS / 2, LIMIT_MS);
    far.state = 'loading';
    far.pieces = ['a'];
    near.pieces = ['b'];
    const pieces: string[] = [];
    expect((await whoAndWhen(ask({ onText: (piece) => pieces.push(piece) })))[0]).toBe('far');
    expect(near.cancelled).toBe(1);
    expect(pieces).toEqual(['a']);
  });

  it('is not begun anew behind what was written when the remote one fails', async () => {
    const { ask, far, near } = bench(100, 50);
    far.pieces = ['a'];
    far.error = statusError('example:1', 500);
    expect((await whoAndWhen(ask({ onText: () => undefined })))[0]).toBe('REMOTE_FAILED');
    expect(near.requests).toEqual([]);
  });
});

describe('a failure', () => {
  /** What happens, in its order; time stands still but for what is advanced. */
  function events({ far, near, backOff }: Bench): string[] {
    const seen: string[] = [];
    const watch = (engine: SlowEngine, name: string): void => {
      const generate = engine.generate.bind(engine);
      engine.generate = (...asked) => {
        seen.push(`${name} is asked`);
        return generate(...asked);
      };
    };
    watch(far, 'far');
    watch(near, 'near');
    const failed = backOff.failed.bind(backOff);
    backOff.failed = (error) => {
      seen.push('failure');
      failed(error);
    };
    return seen;
  }

  it.each([
    ['a suggestion', {}],
    ['a text', { onText: () => undefined }],
  ])('of the connection has this machine begin %s without a wait and without a retry', async (_, more) => {
    const made = bench(0, 50);
    made.far.connected = { ok: false, error: unreachable('example:1', 'nobody is there') };
    const seen = events(made);
    const reply = made.ask(more);
    // Not a tick of the clock.
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toEqual(['failure', 'near is asked']);
    expect((await whoAndWhen(reply))[1]).toBe(50);
    expect(seen).toHaveLength(2);
  });

  it.each([
    ['a suggestion', {}],
    ['a text', { onText: () => undefined }],
  ])('in the middle of it has this machine begin %s in the same tick', async (_, more) => {
    const made = bench(10, 50);
    made.far.error = statusError('example:1', 500);
    const seen = events(made);
    const reply = made.ask(more);
    await vi.advanceTimersByTimeAsync(10);
    expect(seen).toEqual(['far is asked', 'failure', 'near is asked']);
    expect((await whoAndWhen(reply))[0]).toBe('near');
    expect(seen).toHaveLength(3);
  });

  it('that is known has the next question asked of this machine first, and of nobody else until the pause is over', async () => {
    const made = bench(10, 50);
    made.far.error = statusError('example:1', 500);
    await whoAndWhenOf(made.ask());
    const seen = events(made);
    const reply = made.ask();
    expect(seen).toEqual(['near is asked']);
    await vi.advanceTimersByTimeAsync(50);
    expect((await reply).remote).toBe(false);
    expect(seen).toEqual(['near is asked']);
  });

  /** Without more time than it takes: the pause behind a failure is not over then. */
  async function whoAndWhenOf(reply: Promise<Reply>): Promise<void> {
    await vi.advanceTimersByTimeAsync(60);
    await reply;
  }
});
