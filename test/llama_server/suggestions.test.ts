/** A real llama-server says what the engine of this machine says, of the same weights, whichever way it is asked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../core/engine/engine';
import type { RemoteEngine } from '../../core/remote/remote_engine';
import {
  localEngine,
  made,
  NEVER,
  type RemoteChoices,
  remoteEngine,
  requestAt,
  startServer,
} from './both_engines';
import { MANY_LINES, PLACES } from './places';
import type { LlamaServer } from '../remote/llama_server';

let server: LlamaServer;
let local: Engine;
const engines: RemoteEngine[] = [];
beforeAll(async () => {
  server = await startServer();
  local = await localEngine();
});
afterAll(async () => {
  for (const engine of engines) engine.dispose();
  await local.dispose();
  await server.stop();
});

async function connected(choices: RemoteChoices): Promise<RemoteEngine> {
  const engine = remoteEngine(server, choices);
  engines.push(engine);
  const found = await engine.connect();
  if (!found.ok) throw new Error(found.error.message);
  return engine;
}

it('is known for what it is, and its model for how it was taught', async () => {
  const { server: found } = await connected({});
  expect(found).toMatchObject({ protocol: 'llama-server', context: 4_096, laysOut: false });
  expect(found?.fim?.layout).toBe('suffix_prefix_contiguous');
});

describe.each([
  ['/completion', 'llama-server'],
  ['/v1/completions', 'openai'],
] as const)('asked by %s', (path, protocol) => {
  let engine: RemoteEngine;
  beforeAll(async () => {
    engine = await connected({ protocol });
  });

  it.each(PLACES)('completes the line of $path as this machine does', async (place) => {
    const request = requestAt(place, engine.fim);
    expect(engine.postFor(request)?.path).toBe(path);
    const theirs = made(await engine.complete(request, NEVER));
    const ours = made(await local.complete(requestAt(place, local.fim), NEVER));
    expect(theirs.text).toBe(ours.text);
    expect(theirs.text).not.toBe('');
    // OpenAI's protocol says of both ends the same.
    expect(protocol === 'openai' ? 'line_end' : theirs.stop).toBe(
      protocol === 'openai' ? theirs.stop : ours.stop,
    );
    // Rounded in two ways, within a tenth of each other.
    expect(theirs.confidence).toBeGreaterThan(ours.confidence * 0.9);
    expect(theirs.confidence).toBeLessThan(ours.confidence * 1.1);
    expect(theirs.endProbability).toBeCloseTo(ours.endProbability, 1);
    expect(theirs.timings.promptTokens).toBe(ours.timings.promptTokens);
  });

  it('heals a word that is cut in two', async () => {
    const [place] = PLACES;
    if (place === undefined) throw new Error('no place');
    const before = place.before.replace(/self\.height =$/, 'self.hei');
    const cut = before.slice(0, before.lastIndexOf('\n'));
    const request = {
      ...requestAt({ ...place, before: cut }, engine.fim),
      requiredPrefix: before.slice(cut.length),
    };
    const { text } = made(await engine.complete(request, NEVER));
    // Without a grammar the answer may begin anew at the cursor, whose word no token spells.
    if (protocol === 'llama-server') expect(text).toBe('ght = height');
    else expect(text).not.toBe('');
  });

  it('reads again what has changed alone', async () => {
    const [place] = PLACES;
    if (place === undefined) throw new Error('no place');
    await engine.complete(requestAt(place, engine.fim), NEVER);
    const typed = { ...place, before: `${place.before} h` };
    const { timings } = made(await engine.complete(requestAt(typed, engine.fim), NEVER));
    expect(timings.reusedTokens).toBeGreaterThan(timings.promptTokens / 2);
  });

  it('goes on over lines, piece by piece', async () => {
    const pieces: string[] = [];
    const request = { ...requestAt(MANY_LINES, engine.fim), maxTokens: 60 };
    const { text, stop } = made(await engine.generate(request, NEVER, (piece) => pieces.push(piece)));
    expect(text.split('\n').length).toBeGreaterThan(3);
    const here = made(
      await local.generate({ ...requestAt(MANY_LINES, local.fim), maxTokens: 20 }, NEVER, () => undefined),
    );
    expect(text.slice(0, 12)).toBe(here.text.slice(0, 12));
    expect(pieces.join('')).toBe(text);
    expect(pieces.length).toBeGreaterThan(10);
    expect(['max_tokens', 'end_token']).toContain(stop);
  });
});

describe('asked by /infill', () => {
  it('lays out the parts itself, with other files in front', async () => {
    const engine = await connected({ fim: 'server' });
    expect(engine.server?.laysOut).toBe(true);
    for (const place of PLACES) {
      const request = requestAt(place, engine.fim);
      expect(engine.postFor(request)?.path).toBe('/infill');
      const { text, timings } = made(await engine.complete(request, NEVER));
      expect(text).not.toContain('\n');
      // Its own marks, and the name of the file that it puts in front.
      const plain = made(await engine.complete({ prompt: place.before, maxTokens: 1 }, NEVER));
      expect(timings.promptTokens).toBeGreaterThan(plain.timings.promptTokens + 3);
    }
  });

  it('is told apart from a mark that a document spells', async () => {
    const engine = await connected({ fim: 'server' });
    const place = { path: 'a.py', languageId: 'python', after: '\nx = 1\n' };
    const tokens = async (before: string): Promise<number> =>
      made(await engine.complete(requestAt({ ...place, before }, engine.fim), NEVER)).timings.promptTokens;
    // Letters, not one token.
    expect(await tokens('a = "<file_sep>')).toBeGreaterThan((await tokens('a = "')) + 3);
  });
});
