/** The packed copy that a load leaves behind, and that the next load maps. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Engine } from '../../core/engine/engine';
import { ADDON, MODEL, valueOf } from './embedded_model';

describe('a packed copy of the weights', () => {
  let storage = '';

  beforeEach(() => {
    storage = mkdtempSync(join(tmpdir(), 'emberline-packed-'));
  });
  afterEach(() => {
    rmSync(storage, { recursive: true });
  });

  async function load(packedFolder: string): Promise<Engine> {
    // A GPU reads the model's file as it is.
    const options = { addonPath: ADDON, modelPath: MODEL, device: 'cpu', packedFolder } as const;
    return valueOf(await Engine.load(options));
  }
  async function complete(engine: Engine): Promise<string> {
    return valueOf(await engine.complete({ prompt: 'def add(a, b):\n    return', maxTokens: 8 })).text;
  }

  it('is left by the first load and mapped by the second, with the same text', async () => {
    const folder = join(storage, 'made', 'by the load');
    const first = await load(folder);
    expect(first.info.packedCopy).toBe(false);
    const text = await complete(first);
    await vi.waitUntil(
      () => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.packed')),
      {
        timeout: 60_000,
      },
    );
    await first.dispose();
    const second = await load(folder);
    expect(second.info.packedCopy).toBe(true);
    // Its pages can be read again: closing it gives nothing back that was not there.
    if (process.platform !== 'win32') expect(second.info.heldBytes).toBeLessThan(first.info.heldBytes / 2);
    expect(await complete(second)).toBe(text);
    await second.dispose();
    expect(readdirSync(folder)).toHaveLength(1);
  });

  it('is done without where the folder cannot be made', async () => {
    const file = join(storage, 'file');
    writeFileSync(file, '');
    const engine = await load(join(file, 'packed'));
    expect(engine.info.packedCopy).toBe(false);
    expect(await complete(engine)).not.toBe('');
    await engine.dispose();
  });
});
