/** A model that has no room is refused before it is loaded, whether another one runs or not; and what has ended leaves nothing. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine';
import { ADDON, addon, codeOf, DEVICE, MODEL, valueOf } from './embedded_model';

const OPTIONS = { path: MODEL, threads: 1, device: DEVICE } as const;
const MEBIBYTE = 1_048_576;

/** Loads and closes a model again and again; prints what of this process's memory is in no file, MiB: before, and behind each. */
const LOADS_AGAIN = `
const { readFileSync } = require('node:fs');
const [path] = process.argv.slice(2);
const addon = require(process.argv[1]);
const held = () => Number(/RssAnon:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
(async () => {
  const behind = [held()];
  for (let time = 0; time < 6; time++) {
    const model = (await addon.loadModel({ path, threads: 2, device: 'cpu' })).value;
    await model.tokenize('x = 1', false);
    await model.close();
    gc();
    behind.push(held());
  }
  console.log(JSON.stringify(behind));
})();
`;
/** What Node.js itself takes meanwhile is half of it. */
const MOST_LEFT_MIB = 14;

describe('a model without room', () => {
  it('is refused with the context that would fit', async () => {
    // The weights take some 100 MB, and 4,096 tokens as much again.
    const small = { ...OPTIONS, context: 8_192, availableMemory: 250 * MEBIBYTE };
    const loaded = await addon.loadModel(small);
    expect(codeOf(loaded)).toBe('MODEL_EXCEEDS_MEMORY');
    const checked = await addon.checkModel(small);
    expect(checked).toEqual(loaded);
    const context = checked.ok ? undefined : /at most (\d+) tokens/.exec(checked.error.message)?.[1];
    expect(Number(context)).toBeGreaterThan(0);
    expect((await addon.checkModel({ ...small, context: Number(context) })).ok).toBe(true);
    expect(codeOf(await addon.checkModel({ ...small, context: Number(context) + 256 }))).toBe(
      'MODEL_EXCEEDS_MEMORY',
    );
    expect((await addon.checkModel({ ...small, freed: 200 * MEBIBYTE })).ok).toBe(true);
  });

  it('is one of which no context fits', async () => {
    const refused = await addon.checkModel({ ...OPTIONS, availableMemory: 50 * MEBIBYTE });
    expect(codeOf(refused)).toBe('MODEL_EXCEEDS_MEMORY');
    expect(refused.ok ? '' : refused.error.message).toContain('choose a smaller model');
  });

  it('says what it takes when it is loaded', async () => {
    const engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL, device: DEVICE }));
    expect(engine.info.heldBytes).toBeGreaterThan(80 * MEBIBYTE);
    expect(engine.info.heldBytes).toBeLessThan(200 * MEBIBYTE);
    await engine.dispose();
  });
});

// Elsewhere allocators give back what is freed by themselves.
describe.runIf(process.platform === 'linux')('a model that was closed', () => {
  it('leaves no memory to the allocator, which keeps it for each thread that ended', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--expose-gc',
      '-e',
      LOADS_AGAIN,
      ADDON,
      MODEL,
    ]);
    const [before = 0, ...behind] = JSON.parse(stdout) as number[];
    expect(behind).toHaveLength(6);
    expect(Math.min(...behind.slice(-3)) - before).toBeLessThan(MOST_LEFT_MIB);
  });
});
