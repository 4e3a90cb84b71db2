/** A model with a draft model: here the embedded one drafts for itself, and is right. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine, type EngineOptions } from '../../core/engine/engine';
import { ADDON, codeOf, DEVICE, MODEL, valueOf } from './embedded_model';

const OPTIONS: EngineOptions = { addonPath: ADDON, modelPath: MODEL, device: DEVICE };
const CALL = { prompt: 'def add(a, b):\n    return', maxTokens: 24, singleLine: false } as const;
const DRAFTING = { model: true, adaptive: false, most: 4 } as const;

describe('a draft model', () => {
  let engine: Engine;

  beforeAll(async () => {
    engine = valueOf(await Engine.load({ ...OPTIONS, draftPath: MODEL }));
  });
  afterAll(async () => {
    await engine.dispose();
  });

  it('is named by the model, and leaves the text as it is', async () => {
    expect(engine.info.draft).toBe(engine.info.name);
    const plain = valueOf(await engine.complete(CALL));
    const drafted = valueOf(await engine.complete({ ...CALL, drafting: DRAFTING }));
    expect(drafted.text).toBe(plain.text);
    expect(drafted.ids).toEqual(plain.ids);
    expect(plain.drafting.drafted).toBe(0);
    expect(drafted.drafting.accepted).toBeGreaterThan(0);
  });

  it('drafts nothing where a request does not ask for it', async () => {
    const lookup = valueOf(await engine.complete({ ...CALL, drafting: { lookup: true } }));
    const none = valueOf(await engine.complete(CALL));
    expect(lookup.ids).toEqual(none.ids);
    expect(none.drafting.batches).toBe(0);
  });
});

describe('a draft model that cannot be loaded', () => {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-draft-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('is an error of the load that names it', async () => {
    const missing = await Engine.load({ ...OPTIONS, draftPath: join(folder, 'none.gguf') });
    expect(codeOf(missing)).toBe('FILE_NOT_FOUND');
    const damaged = join(folder, 'damaged.gguf');
    writeFileSync(damaged, 'GGUF');
    const refused = await Engine.load({ ...OPTIONS, draftPath: damaged });
    expect(refused).toMatchObject({ ok: false, error: { code: 'MODEL_TRUNCATED' } });
    if (!refused.ok) expect(refused.error.message).toMatch(/^The draft model could not be loaded: /);
  });

  it('has to have a path', async () => {
    expect(codeOf(await Engine.load({ ...OPTIONS, draftPath: '' }))).toBe('INVALID_ARGUMENT');
  });
});
