/** What the log and the status bar say of the device that computes, and of one that does not. */
import { describe, expect, it } from 'vitest';
import type { NativeModelInfo } from '../../core/engine/native_types';
import { modelDetail, modelLines } from '../../extension/model_summary';

const ON_CPU = {
  name: 'Small',
  parameters: 134_515_008,
  quantization: 'Q4_1',
  device: 'cpu, avx2, 2 threads',
  deviceReason: '',
  kvCache: 'f16',
  kvCacheReason: '',
  draft: '',
  packedCopy: true,
  loadMs: 31.4,
} as NativeModelInfo;
const REASON = 'The GPU failed the test of its kernels: attention over heads of 64.';

describe('a model that runs', () => {
  it('is named with its device', () => {
    expect(modelLines(ON_CPU)).toEqual([
      'model ready in 31 ms: Small, 135M parameters, Q4_1, cpu, avx2, 2 threads, packed copy',
    ]);
    expect(modelDetail(ON_CPU).join('\n')).toBe('Small on cpu, avx2, 2 threads');
  });

  it('says why it does without a GPU', () => {
    const fallen = { ...ON_CPU, deviceReason: REASON };
    expect(modelLines(fallen)[1]).toBe(`the GPU is not used: ${REASON}`);
    expect(modelDetail(fallen).join('\n')).toBe(`Small on cpu, avx2, 2 threads\nWithout the GPU: ${REASON}`);
  });

  it('says as what keys and values are kept, where that was asked for', () => {
    expect(modelLines({ ...ON_CPU, kvCache: 'q8_0' })[1]).toBe('keys and values are kept as q8_0');
    const kvCacheReason = 'The device metal keeps keys and values as f16 alone.';
    expect(modelLines({ ...ON_CPU, kvCacheReason })[1]).toBe(
      `keys and values are not kept as asked: ${kvCacheReason}`,
    );
  });

  it('names the model that drafts for it', () => {
    const drafted = { ...ON_CPU, draft: 'Smaller' };
    expect(modelLines(drafted)[1]).toBe('drafts by Smaller');
    expect(modelDetail(drafted).join('\n')).toBe('Small on cpu, avx2, 2 threads\nDrafts by Smaller');
  });
});
