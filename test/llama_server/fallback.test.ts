/**
 * How soon this machine answers for a real server that fails: from when the failure is known, and what the engine here itself takes of that with what it has
 * read (the same question once more). As in an editor, the cursor rested a few keys before, where this machine has read ahead. Nobody judges the times here.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '../../core/engine/engine';
import { ROOT } from '../integration/embedded_model';
import {
  type Around,
  type Both,
  both,
  endedAfterEach,
  localEngine,
  made,
  measured,
  NEVER,
  questionAt,
  type RemoteChoices,
} from './both_engines';

const ROUNDS = 20;
/** The extension's own. */
const LIMIT_MS = 800;
/** Keys since the cursor rested. */
const TYPED = 12;
/** A busy machine may take it. */
const PATIENT_MS = 1_800_000;
const KEY = 'k3y-that-nobody-may-read';

let local: Engine;
beforeAll(async () => {
  // Several that wait for each other would time what else runs on the machine.
  local = await localEngine(1);
});
afterAll(() => local.dispose());

const { servers, engines, start, engineFor } = endedAfterEach();

const PATH = 'core/remote/client.ts';
const TEXT = readFileSync(join(ROOT, PATH), 'utf8');

/** In the middle of lines, all over a file, each in a document of its own. */
const PLACES = Array.from({ length: ROUNDS }, (_, round) => {
  const from = Math.floor((TEXT.length * (round + 2)) / (ROUNDS + 4));
  const end = TEXT.slice(from).search(/\w{4}[.(]/);
  return from + end + 5;
});

function at(round: number, offset: number): Around {
  const [before, after] = [TEXT.slice(0, offset), TEXT.slice(offset)];
  return { path: `${round}/${PATH}`, languageId: 'typescript', before, after };
}

/** Types to a place, and asks there. @param fails What makes the server fail once it is asked. */
async function round(
  name: string,
  index: number,
  { ask, alone, readAhead, backOff }: Both,
  fails: () => void = () => undefined,
): Promise<void> {
  const offset = PLACES[index] ?? 0;
  const place = at(index, offset);
  await readAhead(at(index, offset - TYPED));
  let known: number | undefined;
  const failed = backOff.failed.bind(backOff);
  backOff.failed = (error) => {
    known ??= performance.now();
    failed(error);
  };
  const began = performance.now();
  const asked = ask(place);
  fails();
  const { answer, remote } = await asked;
  const shown = performance.now();
  expect(remote).toBe(false);
  expect(made(answer).stop).not.toBe('cancelled');
  expect(backOff.reason).toBeDefined();
  if (known === undefined) throw new Error('no failure was known');
  const again = performance.now();
  await alone.ask(questionAt(place, NEVER));
  const own = performance.now() - again;
  const from = shown - Math.max(known, began);
  measured(`${name}: from the failure to the line of this machine`, from);
  measured(`${name}: what the engine here takes of that`, own);
  measured(`${name}: beyond that`, Math.max(0, from - own));
  measured(`${name}: from the key to the line`, shown - began);
}

const rounds = [...PLACES.keys()];

it(
  'where nobody listens any more',
  async () => {
    const server = await start();
    const pairs = rounds.map(() => both(local, engineFor(server), LIMIT_MS));
    for (const engine of engines) expect((await engine.connect()).ok).toBe(true);
    await server.stop();
    servers.pop();
    for (const [index, pair] of pairs.entries()) await round('nobody listens any more', index, pair);
  },
  PATIENT_MS,
);

it(
  'where nobody ever listened',
  async () => {
    const server = await start();
    await server.stop();
    servers.pop();
    for (const index of rounds)
      await round('nobody listens', index, both(local, engineFor(server), LIMIT_MS));
  },
  PATIENT_MS,
);

it(
  'where it is killed in the middle of a request',
  async () => {
    for (const index of rounds) {
      const server = await start();
      const engine = engineFor(server);
      expect((await engine.connect()).ok).toBe(true);
      server.signal('SIGSTOP');
      await round('killed', index, both(local, engine, LIMIT_MS), () => server.signal('SIGKILL'));
      await server.stop();
      servers.pop();
    }
  },
  PATIENT_MS,
);

it(
  'where it is late',
  async () => {
    const server = await start();
    const pairs = rounds.map(() => both(local, engineFor(server), LIMIT_MS));
    for (const engine of engines) expect((await engine.connect()).ok).toBe(true);
    server.signal('SIGSTOP');
    for (const [index, pair] of pairs.entries()) await round('late', index, pair);
  },
  PATIENT_MS,
);

it.each<[string, RemoteChoices]>([
  ['a wrong key', { key: 'another-key-of-somebody' }],
  ['a wrong model', { key: KEY, model: 'Qwen2.5-Coder-7B' }],
])(
  'where it has %s',
  async (name, choices) => {
    const server = await start({ key: KEY });
    for (const index of rounds) await round(name, index, both(local, engineFor(server, choices), LIMIT_MS));
  },
  PATIENT_MS,
);
