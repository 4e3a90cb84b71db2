/** Which file drafts for a model that none was named for. */
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { draftCandidates, familyOf, findDraft } from '../../core/models/draft_search';
import type { NativeModelOptions } from '../../core/engine/native_types';
import type { NativeResult } from '../../core/engine/native_result';

const MILLION = 1_000_000;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-drafts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A file that takes no room on the disk. */
function file(name: string, bytes: number): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  truncateSync(path, bytes);
  return path;
}

describe('the family of a model file', () => {
  it.each([
    ['qwen2.5-coder-7b-instruct-q4_k_m.gguf', 'qwen2.5-coder-instruct'],
    ['Qwen2.5-Coder-0.5B-Instruct.Q8_0.gguf', 'qwen2.5-coder-instruct'],
    ['Qwen3-Coder-30B-A3B-Instruct-UD-Q4_K_XL-00001-of-00002.gguf', 'qwen3-coder-instruct'],
    ['starcoder2-3b.IQ4_XS.gguf', 'starcoder2'],
    ['gemma-3-270m-f16.gguf', 'gemma-3'],
    ['mellum-4b-base.BF16.gguf', 'mellum-base'],
  ])('of %s is %s', (name, family) => {
    expect(familyOf(name)).toBe(family);
  });

  it('is none of other files', () => {
    expect(familyOf('qwen2.5-coder-7b.safetensors')).toBeUndefined();
  });
});

describe('candidates for a draft', () => {
  it('are smaller files of the family in the folder, the smallest first', async () => {
    const model = file('qwen-7b-q4_k_m.gguf', 4_000 * MILLION);
    const half = file('qwen-0.5b-q8_0.gguf', 500 * MILLION);
    const more = file('qwen-1.5b-q4_0.gguf', 900 * MILLION);
    file('qwen-3b-q4_0.gguf', 1_001 * MILLION);
    file('llama-1b-q4_0.gguf', 500 * MILLION);
    expect(await draftCandidates(model)).toEqual([half, more]);
  });

  it('are in folders of the family beside its own, too', async () => {
    const model = file('Qwen-7B-GGUF/qwen-7b-q4_k_m.gguf', 4_000 * MILLION);
    const small = file('Qwen-0.5B-GGUF/qwen-0.5b-q4_k_m.gguf', 300 * MILLION);
    file('Llama-1B-GGUF/qwen-0.5b-q4_k_m.gguf', 300 * MILLION);
    expect(await draftCandidates(model)).toEqual([small]);
  });

  it('of shards are counted whole, by the first', async () => {
    const model = file('big-70b-q4_0-00001-of-00004.gguf', 1_000 * MILLION);
    for (const shard of [2, 3, 4]) file(`big-70b-q4_0-0000${shard}-of-00004.gguf`, 1_000 * MILLION);
    const small = file('big-8b-q4_0.gguf', 900 * MILLION);
    expect(await draftCandidates(model)).toEqual([small]);
  });

  it('are none for a model that is quick alone, that is missing, or in a folder of another kind', async () => {
    file('qwen-0.1b-q8_0.gguf', 10 * MILLION);
    expect(await draftCandidates(file('qwen-0.5b-q8_0.gguf', 500 * MILLION))).toEqual([]);
    expect(await draftCandidates(join(folder, 'qwen-9b.gguf'))).toEqual([]);
    expect(await draftCandidates(folder)).toEqual([]);
  });
});

describe('a draft that is found', () => {
  it('is the first that the model can be loaded with', async () => {
    const path = file('qwen-7b-q4_k_m.gguf', 4_000 * MILLION);
    const base = file('qwen-0.5b-q4_0.gguf', 300 * MILLION);
    const better = file('qwen-0.5b-q8_0.gguf', 500 * MILLION);
    const tried: (string | undefined)[] = [];
    const addon = {
      checkModel: ({ draftPath }: NativeModelOptions): Promise<NativeResult<undefined>> => {
        tried.push(draftPath);
        return Promise.resolve(
          draftPath === better
            ? { ok: true, value: undefined }
            : { ok: false, error: { code: 'DRAFT_TOKENIZER_DIFFERS', message: 'Another.' } },
        );
      },
    };
    expect(await findDraft(addon, { path, threads: 0, device: 'auto' })).toBe(better);
    expect(tried).toEqual([base, better]);
  });
});
