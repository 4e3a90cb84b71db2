/** As what keys and values are kept: what a model says of it, computes with it, and takes in memory. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadAddon } from '../../core/engine/binding';
import { disagreement } from '../../bench/agreement';
import { Engine } from '../../core/engine/engine';
import { KV_CACHES, type KvCache } from '../../core/engine/kv_cache';
import type { NativeModelOptions } from '../../core/engine/native_types';
import { ADDON, codeOf, MODEL, valueOf } from './embedded_model';

const PROMPT = 'def add(a, b):\n    return';

describe('the KV cache', () => {
  const engines = new Map<KvCache, Engine>();

  beforeAll(async () => {
    for (const kvCache of KV_CACHES) {
      const options = { addonPath: ADDON, modelPath: MODEL, device: 'cpu', kvCache } as const;
      engines.set(kvCache, valueOf(await Engine.load(options)));
    }
  });
  afterAll(async () => {
    for (const engine of engines.values()) await engine.dispose();
  });

  it('is what was asked for', () => {
    for (const [kvCache, { info }] of engines) {
      expect(info).toMatchObject({ kvCache, kvCacheReason: '' });
    }
  });

  it('changes logits by no more than another rounding does', async () => {
    const [half, quantised] = await Promise.all(
      KV_CACHES.map(async (kvCache) => {
        const engine = engines.get(kvCache);
        if (engine === undefined) throw new Error('not loaded');
        return valueOf(await engine.logits(valueOf(await engine.tokenize(PROMPT, false))));
      }),
    );
    if (half === undefined || quantised === undefined) throw new Error('no logits');
    expect(quantised).not.toEqual(half);
    // As far as two engines may be apart that round the same model in different places. How little it is worth in the end,
    // native/engine/perplexity_test.cpp measures.
    expect(disagreement(quantised, half)).toBeUndefined();
  });

  it('is of a type that there is', async () => {
    const options = { addonPath: ADDON, modelPath: MODEL, device: 'cpu' } as const;
    expect(codeOf(await Engine.load({ ...options, kvCache: 'q4_0' as KvCache }))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await Engine.load({ ...options, kvCache: 8 as unknown as KvCache }))).toBe(
      'INVALID_ARGUMENT',
    );
  });

  it('counts in whether there is room for a model', async () => {
    const addon = valueOf(loadAddon(ADDON));
    // 100 MB of weights, and 189 or 100 MB of keys and values.
    const options: NativeModelOptions = {
      path: MODEL,
      threads: 1,
      device: 'cpu',
      context: 8_192,
      availableMemory: 250_000_000,
    };
    const refused = await addon.checkModel({ ...options, kvCache: 'f16' });
    expect(codeOf(refused)).toBe('MODEL_EXCEEDS_MEMORY');
    expect((await addon.checkModel({ ...options, kvCache: 'q8_0' })).ok).toBe(true);
  });
});
