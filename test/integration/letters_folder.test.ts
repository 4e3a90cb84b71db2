/** The model that servers are tried with writes what it is meant to. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine';
import { writeLettersFolder, WRITTEN } from '../models/letters_folder';
import { ADDON, valueOf } from './embedded_model';

let folder: string;
let engine: Engine;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-letters-'));
  writeLettersFolder(folder);
  engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: folder, device: 'cpu' }));
});
afterAll(async () => {
  await engine.dispose();
  rmSync(folder, { recursive: true });
});

const NEVER = new AbortController().signal;

it.each([
  ['x', WRITTEN],
  ['let b', 'in=a+f;\n'],
])('behind %s', async (prompt, expected) => {
  const several = valueOf(await engine.generate({ prompt, maxTokens: 40 }, NEVER, () => undefined));
  expect([several.text, several.stop]).toEqual([expected, 'end_token']);
  const line = valueOf(await engine.complete({ prompt, maxTokens: 40 }, NEVER));
  expect([line.text, line.stop]).toEqual([expected.trimEnd(), 'line_end']);
  expect(line.confidence).toBeGreaterThan(0.9);
});
