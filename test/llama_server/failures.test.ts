/** A real llama-server that dies, hangs, or asks for something else: this machine answers, and nobody learns a key. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../core/engine/engine';
import { makeCertificate } from '../remote/certificate';
import {
  type Around,
  both,
  endedAfterEach,
  localEngine,
  made,
  measured,
  NEVER,
  requestAt,
} from './both_engines';
import { MANY_LINES, PLACES } from './places';

let local: Engine;
beforeAll(async () => {
  local = await localEngine();
  // What its first pass costs is nobody's wait for a server.
  await local.complete(requestAt(MANY_LINES, local.fim), NEVER);
});
afterAll(() => local.dispose());

const { servers, start, engineFor } = endedAfterEach();

const [PLACE, OTHER_PLACE] = PLACES as [Around, Around];
/** No answer takes so long here, ms. */
const PATIENT_MS = 120_000;

describe('a server that is killed', () => {
  it('in the middle of a text leaves what was written, and the next line comes from this machine', async () => {
    const server = await start();
    const { ask, backOff } = both(local, engineFor(server), PATIENT_MS);
    let seen = '';
    const { answer, remote } = await ask(MANY_LINES, NEVER, (piece) => {
      seen += piece;
      server.signal('SIGKILL');
    });
    expect(remote).toBe(true);
    expect(answer).toMatchObject({ ok: false, error: { code: 'REMOTE_FAILED' } });
    expect(seen).not.toBe('');
    expect(backOff.pausedMs).toBeGreaterThan(0);
    const began = performance.now();
    const next = await ask(PLACE);
    measured('a line while the server is left alone', performance.now() - began);
    expect(next.remote).toBe(false);
    expect(made(next.answer).text).not.toBe('');
  });

  it('before a suggestion has come is stepped in for at once', async () => {
    const server = await start();
    const engine = engineFor(server);
    const { ask, backOff } = both(local, engine, PATIENT_MS);
    expect((await ask(PLACE)).remote).toBe(true);
    // It hangs in the middle of the request, then it is gone.
    server.signal('SIGSTOP');
    const reply = ask(OTHER_PLACE);
    const began = performance.now();
    server.signal('SIGKILL');
    const { answer, remote } = await reply;
    measured('from the server’s death to the line of this machine', performance.now() - began);
    expect(remote).toBe(false);
    expect(made(answer).text).not.toBe('');
    expect(['REMOTE_UNREACHABLE', 'REMOTE_FAILED']).toContain(backOff.reason?.code);
  });
});

it('a server that hangs is late: the line of this machine is there when the limit passes, and the server is asked again later', async () => {
  const server = await start();
  const limitMs = 2_000;
  const { ask, backOff } = both(local, engineFor(server), limitMs);
  // What it takes to be known is over before it is timed.
  await ask(PLACE);
  server.signal('SIGSTOP');
  const began = performance.now();
  const { remote, answer } = await ask(OTHER_PLACE);
  measured('from the limit to the line of this machine', performance.now() - began - limitMs);
  expect(remote).toBe(false);
  expect(made(answer).text).not.toBe('');
  expect(backOff.reason?.code).toBe('REMOTE_LATE');
  server.signal('SIGCONT');
  // One that was late once is asked as before.
  await expect.poll(async () => (await ask(PLACE)).remote, { timeout: 120_000 }).toBe(true);
  expect(backOff.reason).toBeUndefined();
});

describe('a key', () => {
  const KEY = 'k3y-that-nobody-may-read';

  it.each([undefined, 'another-key-of-somebody'])(
    'that is wrong (%s) is said, and this machine answers',
    async (key) => {
      const server = await start({ key: KEY });
      const engine = engineFor(server, key === undefined ? {} : { key });
      const { ask, backOff } = both(local, engine, PATIENT_MS);
      const { remote, answer } = await ask(PLACE);
      expect(remote).toBe(false);
      expect(made(answer).text).not.toBe('');
      expect(backOff.reason?.code).toBe('REMOTE_KEY');
      expect(backOff.reason?.message).not.toContain('key-of-somebody');
      expect(server.log()).not.toContain('key-of-somebody');
    },
  );

  it('that is right is taken, and stands in no log of the server’s', async () => {
    const server = await start({ key: KEY });
    const { ask } = both(local, engineFor(server, { key: KEY }), PATIENT_MS);
    expect((await ask(PLACE)).remote).toBe(true);
    expect(server.log()).not.toContain(KEY);
  });
});

it.each(['llama-server', 'openai'] as const)(
  'a model that it does not have is refused with %s, though the server would answer with another',
  async (protocol) => {
    const server = await start();
    const found = await engineFor(server, { protocol, model: 'Qwen2.5-Coder-7B' }).connect();
    expect(found).toMatchObject({ ok: false, error: { code: 'REMOTE_MODEL' } });
  },
);

describe('over TLS', () => {
  it('it answers who trusts its authority, and nobody else', async () => {
    const tls = makeCertificate();
    const server = await start({ tls });
    expect(server.url).toMatch(/^https:/);
    const trusting = engineFor(server, { ca: tls.cert });
    const { ask } = both(local, trusting, PATIENT_MS);
    expect((await ask(PLACE)).remote).toBe(true);
    const found = await engineFor(server).connect();
    expect(found).toMatchObject({ ok: false, error: { code: 'REMOTE_UNREACHABLE' } });
  });
});

it('a port on which nobody listens is stepped in for at once', async () => {
  const server = await start();
  await server.stop();
  servers.pop();
  const { ask, backOff } = both(local, engineFor(server), PATIENT_MS);
  const began = performance.now();
  const { remote, answer } = await ask(PLACE);
  measured('a line while nobody listens', performance.now() - began);
  expect(remote).toBe(false);
  expect(made(answer).text).not.toBe('');
  expect(backOff.reason?.code).toBe('REMOTE_UNREACHABLE');
});

it('a prompt that is longer than its context is cut, or answered by this machine', async () => {
  const server = await start({ args: ['--ctx-size', '1024', '--parallel', '1'] });
  const engine = engineFor(server);
  expect((await engine.connect()).ok).toBe(true);
  expect(engine.context).toBe(1_024);
  const long = 'value = compute(value, other)\n'.repeat(250);
  const request = requestAt({ ...PLACE, before: long + PLACE.before }, engine.fim);
  const answer = await engine.complete(request, NEVER);
  expect(answer).toMatchObject({ ok: false, error: { code: 'CONTEXT_OVERFLOW' } });
  const { ask } = both(local, engine, PATIENT_MS);
  const reply = await ask({ ...PLACE, before: long + PLACE.before });
  expect(reply.remote).toBe(true);
  expect(made(reply.answer).text).not.toBe('');
});
