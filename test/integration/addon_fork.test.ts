/** Forks: sessions that share what was computed, and nothing that happens afterwards. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine';
import type { NativeCompletion, NativeModel, NativeSession } from '../../core/engine/native_types';
import {
  ADDON,
  codeOf,
  decoding,
  loadModel,
  LONG,
  MODEL,
  openSession,
  request,
  sourceText,
  valueOf,
} from './embedded_model';

let model: NativeModel;
beforeAll(async () => {
  model = await loadModel();
});
afterAll(() => model.close());

/** More than one page of the KV cache, and part of another. */
const SHARED = `${sourceText(25)}value_25 = `;
/** Where two sessions go on from it: each of these writes to the page that both hold in part. */
const BRANCHES = ['compute(25, ', 'other_7 + ', '"text', 'SHARED['] as const;

async function complete(session: NativeSession, prompt: string): Promise<NativeCompletion> {
  return valueOf(await session.complete(request(prompt, { maxTokens: 12 })));
}

async function forkOf(session: NativeSession): Promise<NativeSession> {
  return valueOf(await session.fork());
}

/** What `prompt` gives in a session that has seen nothing. */
async function alone(prompt: string): Promise<Pick<NativeCompletion, 'text' | 'ids' | 'confidence'>> {
  const fresh = await openSession(model);
  const { text, ids, confidence, timings } = await complete(fresh, prompt);
  expect(timings.reusedTokens).toBe(0);
  await fresh.close();
  return { text, ids, confidence };
}

/** Every token but the last, which is always evaluated. */
function expectAllReused({ timings }: NativeCompletion): void {
  expect(timings.promptTokens).toBeGreaterThan(256);
  expect(timings.reusedTokens).toBe(timings.promptTokens - 1);
}

describe('a fork', () => {
  it('completes what its origin does, from the same tokens', async () => {
    const origin = await openSession(model);
    const first = await complete(origin, SHARED);
    const fork = await forkOf(origin);
    for (const session of [fork, origin, fork]) {
      const again = await complete(session, SHARED);
      expect({ text: again.text, ids: again.ids }).toEqual({ text: first.text, ids: first.ids });
      expectAllReused(again);
    }
    // What was generated is shared as well.
    const next = await complete(await forkOf(origin), SHARED + first.text);
    expect(next.timings.reusedTokens).toBeGreaterThanOrEqual(first.timings.promptTokens);
    await Promise.all([origin.close(), fork.close()]);
  });

  it('of a session that has seen nothing is one that has seen nothing', async () => {
    const origin = await openSession(model);
    const fork = await forkOf(origin);
    expect(await complete(fork, SHARED)).toMatchObject(await alone(SHARED));
    expect((await complete(origin, SHARED)).timings.reusedTokens).toBe(0);
    await Promise.all([origin.close(), fork.close()]);
  });

  it('goes its own way, and so does its origin', async () => {
    const expected = new Map<string, Awaited<ReturnType<typeof alone>>>();
    for (const branch of BRANCHES) expected.set(branch, await alone(SHARED + branch));
    expect(new Set([...expected.values()].map(({ text }) => text)).size).toBeGreaterThan(1);

    const origin = await openSession(model);
    await complete(origin, SHARED);
    const fork = await forkOf(origin);
    const sessions = [origin, fork, await forkOf(fork)];
    for (let round = 0; round < BRANCHES.length; round++) {
      for (const [i, session] of sessions.entries()) {
        const branch = BRANCHES[(round + i) % BRANCHES.length] ?? '';
        const completion = await complete(session, SHARED + branch);
        expect(completion).toMatchObject(expected.get(branch) ?? {});
        expect(completion.timings.reusedTokens).toBeGreaterThan(256);
      }
    }
    // Each still holds what it was the last to complete.
    for (const [i, session] of sessions.entries()) {
      const last = BRANCHES[(BRANCHES.length - 1 + i) % BRANCHES.length] ?? '';
      expectAllReused(await complete(session, SHARED + last));
    }
    await Promise.all(sessions.map((session) => session.close()));
  });

  it('outlives its origin, and its origin outlives it', async () => {
    const origin = await openSession(model);
    const { text } = await complete(origin, SHARED);
    const [one, two] = await Promise.all([forkOf(origin), forkOf(origin)]);
    await one.close();
    const kept = await complete(origin, SHARED);
    await origin.close();
    // Takes the pages that were given back, if any were.
    const other = await openSession(model);
    await complete(other, sourceText(60));
    const last = await complete(two, SHARED);
    expect([kept.text, last.text]).toEqual([text, text]);
    expectAllReused(kept);
    expectAllReused(last);
    expect(codeOf(await origin.complete(request('x')))).toBe('SESSION_CLOSED');
    await Promise.all([two.close(), other.close()]);
  });

  it('outlives every reference to its origin and the model', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const asked = (async () => {
      const dropped = await openSession(await loadModel(), 512);
      void dropped.complete(request(SHARED));
      return { forking: dropped.fork() };
    })();
    const { forking } = await asked;
    collect();
    const fork = valueOf(await forking);
    collect();
    expectAllReused(await complete(fork, SHARED));
  });

  it('is made in its turn: after the requests before it, before those behind', async () => {
    const origin = await openSession(model);
    const order: string[] = [];
    const note = (what: string) => (): void => void order.push(what);
    const { id, answer } = await decoding(origin, SHARED);
    const first = answer.then(note('running'));
    const second = origin.complete(request(`${SHARED}1`)).then(note('queued'));
    const forking = origin.fork();
    const third = forking.then(note('fork'));
    const fourth = origin.complete(request('other()')).then(note('behind'));
    origin.cancel(id);
    await Promise.all([first, second, third, fourth]);
    expect(order).toEqual(['running', 'queued', 'fork', 'behind']);
    const fork = valueOf(await forking);
    expectAllReused(await complete(fork, `${SHARED}1`));
    await Promise.all([origin.close(), fork.close()]);
  });

  it('has requests of its own: ids, cancels and closing concern one session', async () => {
    const origin = await openSession(model);
    const fork = await forkOf(origin);
    const { id, answer } = await decoding(fork);
    const same = origin.complete(request('x = ', { id }));
    origin.cancel(id);
    // At once: the fork's still runs.
    expect(valueOf(await same)).toMatchObject({ stop: 'cancelled', timings: { cancelPhase: 'queued' } });
    fork.cancel(id);
    expect(valueOf(await answer)).toMatchObject({ stop: 'cancelled', timings: { cancelPhase: 'decode' } });
    const running = fork.complete(request('x = '));
    const closed = origin.close();
    expect(valueOf(await running).stop).not.toBe('cancelled');
    await closed;
    await fork.close();
  });

  it('of a closed session is an error, and closing does not take back one that was asked for', async () => {
    const origin = await openSession(model);
    const { text } = await complete(origin, SHARED);
    const forking = origin.fork();
    const closed = origin.close();
    const refused = await origin.fork();
    expect(refused).toMatchObject({ ok: false, error: { code: 'SESSION_CLOSED' } });
    if (!refused.ok) expect(refused.error.message).toMatch(/\.$/);
    const fork = valueOf(await forking);
    await closed;
    const completion = await complete(fork, SHARED);
    expect(completion.text).toBe(text);
    expectAllReused(completion);
    await fork.close();
    expect(codeOf(await fork.fork())).toBe('SESSION_CLOSED');
  });
});

describe('closing a model with forks', () => {
  it('settles what there is in each', async () => {
    const doomed = await loadModel();
    const origin = await openSession(doomed);
    valueOf(await origin.complete(request(SHARED)));
    const fork = await forkOf(origin);
    const idle = await forkOf(fork);
    const { answer } = await decoding(fork, SHARED);
    const pending = [origin.complete(request('x = ')), idle.complete(request('y = ')), fork.fork()];
    const closed = doomed.close();
    expect(valueOf(await answer).stop).toBe('cancelled');
    for (const each of pending) expect(codeOf(await each)).toBe('MODEL_CLOSED');
    await closed;
    for (const session of [origin, fork, idle]) {
      expect(codeOf(await session.fork())).toBe('MODEL_CLOSED');
      expect(codeOf(await session.complete(request('x')))).toBe('MODEL_CLOSED');
      await session.close();
      expect(codeOf(await session.fork())).toBe('SESSION_CLOSED');
    }
  });
});

describe('an engine and its forks', () => {
  it('answer on their own until the engine is disposed of', async () => {
    const engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL, context: 2_048 }));
    const call = { prompt: SHARED, maxTokens: 12 };
    const { text } = valueOf(await engine.complete(call));
    const fork = valueOf(await engine.fork());
    const nested = valueOf(await fork.fork());
    // Requests of one engine cancel each other; those of its forks do not.
    const answers = await Promise.all([engine, fork, nested].map((each) => each.complete(call)));
    for (const answer of answers.map(valueOf)) {
      expect(answer.text).toBe(text);
      expectAllReused(answer);
    }
    await fork.dispose();
    expect(codeOf(await fork.complete(call))).toBe('SESSION_CLOSED');
    expect(valueOf(await nested.complete(call)).text).toBe(text);
    expect(valueOf(await engine.complete(call)).text).toBe(text);

    const disposed: Promise<void>[] = [];
    const long = { ...call, ...LONG };
    const running = nested.complete(long, undefined, () => void disposed.push(engine.dispose()));
    expect(valueOf(await running).stop).toBe('cancelled');
    expect(disposed).not.toHaveLength(0);
    await Promise.all(disposed);
    expect([engine.state, nested.state]).toEqual(['stopped', 'stopped']);
    expect(codeOf(await nested.complete(call))).toBe('MODEL_CLOSED');
    await nested.dispose();
  });
});
