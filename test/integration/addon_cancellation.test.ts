/** Cancelling and closing: at once, always with a value, and without losing what was computed. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeModel, NativeSession } from '../../core/engine/native_types';
import {
  codeOf,
  decoding,
  loadModel,
  LONG,
  openSession,
  request,
  sourceText,
  valueOf,
} from './embedded_model';

let model: NativeModel;
let session: NativeSession;
beforeAll(async () => {
  model = await loadModel();
  session = await openSession(model);
});
afterAll(() => model.close());

describe('cancelling', () => {
  it('ends a request that decodes, and keeps the text so far', async () => {
    const { id, answer } = await decoding(session);
    session.cancel(id);
    session.cancel(id);
    const { stop, text, ids, timings } = valueOf(await answer);
    expect(stop).toBe('cancelled');
    expect(timings.cancelPhase).toBe('decode');
    expect(timings.cancelMs).toBeGreaterThan(0);
    expect(text).not.toBe('');
    expect(ids.length).toBeLessThan(LONG.maxTokens);
  });

  it('ends a request that reads its prompt, and keeps what was read', async () => {
    // When the engine begins to read cannot be seen from outside: wait a little longer each time until it had.
    for (let wait = 20; ; wait *= 2) {
      const prompt = `# ${wait}\n${sourceText(40)}`;
      const long = request(prompt, { maxTokens: 1 });
      const answer = session.complete(long);
      await delay(wait);
      session.cancel(long.id);
      const { stop, timings } = valueOf(await answer);
      expect(stop).toBe('cancelled');
      if (timings.cancelPhase === 'queued') continue;
      expect(timings.cancelPhase).toBe('prefill');
      const again = valueOf(await session.complete(request(prompt, { maxTokens: 1 }))).timings;
      if (again.reusedTokens === 0) continue; // cancelled before the first slice was done
      expect(again.reusedTokens).toBeLessThan(again.promptTokens);
      return;
    }
  });

  it('settles a queued request without waiting for the one before it', async () => {
    const { id, answer } = await decoding(session);
    const queued = request('y = ');
    const second = session.complete(queued);
    const third = session.complete(request('z = '));
    session.cancel(queued.id);
    const { stop, text, timings } = valueOf(await second);
    expect({ stop, text, phase: timings.cancelPhase }).toEqual({
      stop: 'cancelled',
      text: '',
      phase: 'queued',
    });
    // The first still runs: it is ended only now.
    session.cancel(id);
    expect(valueOf(await answer)).toMatchObject({ stop: 'cancelled', timings: { cancelPhase: 'decode' } });
    expect(valueOf(await third).stop).not.toBe('cancelled');
  });

  it('ignores ids it does not know, and those of another session', async () => {
    const other = await openSession(model, 256);
    const { id, answer } = await decoding(session);
    session.cancel(id + 1_000);
    other.cancel(id);
    const race = await Promise.race([
      answer,
      model.tokenize('', false).then(() => 'later'),
      delay(100, 'running'),
    ]);
    expect(race).toBe('running');
    session.cancel(id);
    expect(valueOf(await answer).stop).toBe('cancelled');
    session.cancel(id);
    await other.close();
  });

  it('leaves the next completion as it would have been', async () => {
    const prompt = 'def add(a, b):\n    return';
    const clean = valueOf(await session.complete(request(prompt)));
    for (const wait of [0, 5, 30, 60]) {
      const interrupted = request(`${prompt} a +`, LONG);
      const answer = session.complete(interrupted);
      await delay(wait);
      session.cancel(interrupted.id);
      await answer;
      const after = valueOf(await session.complete(request(prompt)));
      expect({ text: after.text, ids: after.ids }).toEqual({ text: clean.text, ids: clean.ids });
    }
  });

  it('frees the id', async () => {
    const { id, answer } = await decoding(session);
    expect(codeOf(await session.complete(request('x', { id })))).toBe('INVALID_ARGUMENT');
    session.cancel(id);
    await answer;
    expect(codeOf(await session.complete(request('x', { id })))).toBe('OK');
  });
});

describe('closing', () => {
  it('a session cancels its requests, and those of others go on', async () => {
    const closing = await openSession(model, 2_048);
    const { answer } = await decoding(closing);
    const queued = closing.complete(request('x = '));
    const elsewhere = session.complete(request('y = '));
    const closed = closing.close();
    expect(codeOf(await closing.complete(request('x = ')))).toBe('SESSION_CLOSED');
    expect(valueOf(await answer).stop).toBe('cancelled');
    expect(valueOf(await queued)).toMatchObject({ stop: 'cancelled', timings: { cancelPhase: 'queued' } });
    expect(valueOf(await elsewhere).stop).not.toBe('cancelled');
    await closed;
    await closing.close();
    closing.cancel(1);
  });

  it('a model settles everything there is', async () => {
    const doomed = await loadModel();
    const one = await openSession(doomed);
    const two = await openSession(doomed, 256);
    const { answer } = await decoding(one);
    const pending = [
      two.complete(request('x = ')),
      doomed.tokenize('x', false),
      doomed.detokenize(new Uint32Array([1])),
      doomed.logits(new Uint32Array([1])),
      doomed.createSession({ context: 64 }),
    ];
    const closed = Promise.all([doomed.close(), one.close(), doomed.close()]);
    expect(valueOf(await answer).stop).toBe('cancelled');
    for (const each of pending) expect(codeOf(await each)).toBe('MODEL_CLOSED');
    await closed;
    expect(codeOf(await doomed.tokenize('x', false))).toBe('MODEL_CLOSED');
    expect(codeOf(await doomed.createSession({ context: 64 }))).toBe('MODEL_CLOSED');
    expect(codeOf(await two.complete(request('x')))).toBe('MODEL_CLOSED');
    expect(doomed.info().layers).toBe(30);
    await doomed.close();
    await two.close();
  });
});
