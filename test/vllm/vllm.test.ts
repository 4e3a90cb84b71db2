/**
 * A real vLLM as the remote engine, with a tiny model of ours that writes what is known. It runs where somebody has one:
 * `EMBERLINE_VLLM=…/bin/python npx vitest run --project vllm`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine';
import type { RemoteEngine } from '../../core/remote/remote_engine';
import { ADDON, valueOf } from '../integration/embedded_model';
import { both, made, NEVER, type RemoteChoices, remoteEngine } from '../llama_server/both_engines';
import { MODEL_LENGTH, writeLettersFolder, WRITTEN } from '../models/letters_folder';
import { startVllmServer, type VllmServer } from '../remote/vllm_server';

const NAME = 'letters';
const KEY = 'k3y-that-nobody-may-read';
const LIMIT_MS = 60_000;

let folder: string;
let local: Engine;
let server: VllmServer;
beforeAll(async () => {
  const python = process.env['EMBERLINE_VLLM'];
  if (python === undefined) throw new Error('EMBERLINE_VLLM names no Python that has vLLM.');
  folder = mkdtempSync(join(tmpdir(), 'emberline-vllm-'));
  writeLettersFolder(folder);
  local = valueOf(await Engine.load({ addonPath: ADDON, modelPath: folder, device: 'cpu' }));
  server = await startVllmServer({ python, model: folder, name: NAME, key: KEY, length: MODEL_LENGTH });
});
afterAll(async () => {
  await local.dispose();
  rmSync(folder, { recursive: true });
  // Last, as it may not have started.
  await server.stop();
});

const engines: RemoteEngine[] = [];
afterEach(() => {
  for (const engine of engines.splice(0)) engine.dispose();
});

function engineFor(choices: RemoteChoices = {}): RemoteEngine {
  const engine = remoteEngine(server, { key: KEY, ...choices });
  engines.push(engine);
  return engine;
}

const PLACE = { path: 'a.py', languageId: 'python', before: 'x = 1\nlet', after: '\n' };

it('is known for what it is: its protocol, its model and how long a text it reads', async () => {
  expect(valueOf(await engineFor().connect())).toMatchObject({
    protocol: 'openai',
    model: NAME,
    context: MODEL_LENGTH,
    fim: undefined,
  });
});

describe('says what this machine says of the same weights', () => {
  it.each(['x', 'let b', 'a = "é"\nlet bin'])('behind %j: a line', async (prompt) => {
    const theirs = made(await engineFor().complete({ prompt, maxTokens: 40 }, NEVER));
    const ours = made(await local.complete({ prompt, maxTokens: 40 }, NEVER));
    expect([theirs.text, theirs.stop]).toEqual([ours.text, 'line_end']);
    expect(theirs.confidence).toBeCloseTo(ours.confidence, 3);
    expect(theirs.timings.promptTokens).toBe(ours.timings.promptTokens);
  });

  it('piece by piece, over the line’s end', async () => {
    const pieces: string[] = [];
    const answer = await engineFor().generate({ prompt: 'x', maxTokens: 40 }, NEVER, (piece) =>
      pieces.push(piece),
    );
    expect([made(answer).text, made(answer).stop]).toEqual([WRITTEN, 'end_token']);
    expect(pieces.join('')).toBe(WRITTEN);
    expect(pieces.length).toBeGreaterThan(3);
  });

  it('no more than was asked for', async () => {
    const { text, stop } = made(await engineFor().complete({ prompt: 'x', maxTokens: 4 }, NEVER));
    expect([text, stop]).toEqual([WRITTEN.slice(0, 4), 'max_tokens']);
  });

  it('with a word that is cut in two, which comes again', async () => {
    const request = { prompt: 'x = 1\n', requiredPrefix: 'let', maxTokens: 40 };
    const { text } = made(await engineFor().complete(request, NEVER));
    expect(text).toBe(WRITTEN.slice(3, -1));
  });
});

it('computes nothing any more once an edit has closed the connection', async () => {
  const controller = new AbortController();
  const answer = await engineFor().generate({ prompt: 'x', maxTokens: 400 }, controller.signal, () =>
    controller.abort(),
  );
  expect(made(answer).stop).toBe('cancelled');
  await expect.poll(() => server.running(), { timeout: 30_000 }).toBe(0);
});

describe('is stepped in for by this machine', () => {
  it.each([
    ['a wrong key', { key: 'another-key-of-somebody' }, 'REMOTE_KEY'],
    ['a model that it does not have', { model: 'Qwen2.5-Coder-7B' }, 'REMOTE_MODEL'],
  ] as const)('where it has %s', async (_, choices, code) => {
    const { ask, backOff } = both(local, engineFor(choices), LIMIT_MS);
    const { answer, remote } = await ask(PLACE);
    expect(remote).toBe(false);
    expect(made(answer).text).toBe(WRITTEN.slice(3, -1));
    expect(backOff.reason?.code).toBe(code);
    expect(backOff.reason?.message).not.toContain('key-of-somebody');
  });

  it('and is not, where all is well', async () => {
    const { ask } = both(local, engineFor(), LIMIT_MS);
    const { answer, remote } = await ask(PLACE);
    expect([remote, made(answer).text]).toEqual([true, WRITTEN.slice(3, -1)]);
  });
});

it('has a prompt that is longer than its context cut', async () => {
  const engine = engineFor();
  const long = 'value = 1\n'.repeat(100);
  const answer = await engine.complete({ prompt: long, maxTokens: 40 }, NEVER);
  expect(answer).toMatchObject({ ok: false, error: { code: 'CONTEXT_OVERFLOW' } });
  const { ask } = both(local, engine, LIMIT_MS);
  const reply = await ask({ ...PLACE, before: long + PLACE.before });
  expect([reply.remote, made(reply.answer).text]).toEqual([true, WRITTEN.slice(3, -1)]);
});
