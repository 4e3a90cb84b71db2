/** A model that has no room is refused before it is loaded, whether another one runs or not. */
import { describe, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine';
import { ADDON, addon, codeOf, DEVICE, MODEL, valueOf } from './embedded_model';

const OPTIONS = { path: MODEL, threads: 1, device: DEVICE } as const;
const MEBIBYTE = 1_048_576;

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
