/** Models made of the parts of another: what stays, what is added, what is changed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BenchModel, SHAPES } from '../../../bench/shapes';
import { tensorBytes } from '../../../bench/synthetic/gguf_layout';
import { type GgufParts, readGguf } from '../../../bench/synthetic/gguf_reader';
import { writeModelFile } from '../../../bench/synthetic/model_file';
import { halfBits, halfValue } from '../../../bench/synthetic/random_blocks';
import { ensureDeepModel, ensureNoisyModel } from '../../../bench/synthetic/speculative_pair';

const SMALL: BenchModel = {
  name: 'small',
  shape: {
    ...SHAPES['smollm2-135m'],
    layers: 2,
    width: 64,
    hidden: 96,
    heads: 2,
    kvHeads: 1,
    headSize: 32,
    vocabulary: 512,
  },
  weights: 'q4_1',
  embedding: 'q8_0',
  real: false,
};

const folder = mkdtempSync(join(tmpdir(), 'emberline-pair-'));
const source = join(folder, 'source.gguf');
const silent = (): void => undefined;
let parts: GgufParts;

beforeAll(() => {
  writeModelFile(source, SMALL);
  parts = readGguf(source);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function layersOf({ metadata }: GgufParts): number {
  const value = metadata['llama.block_count'];
  return value?.type === 'copied' ? value.value.readUInt32LE() : 0;
}

describe('a deep model', () => {
  it('keeps every tensor, and adds layers that lead to nothing until a token costs what was asked', async () => {
    const own = parts.tensors.reduce((sum, tensor) => sum + tensorBytes(tensor), 0);
    const path = join(folder, 'deep.gguf');
    await ensureDeepModel(path, source, 3 * own, silent);
    const deep = readGguf(path);
    const data = new Map(deep.tensors.map((tensor) => [tensor.name, tensor.data]));
    for (const tensor of parts.tensors) expect(data.get(tensor.name)).toEqual(tensor.data);

    const layers = layersOf(deep);
    const bytes = deep.tensors.reduce((sum, tensor) => sum + tensorBytes(tensor), 0);
    const layerBytes = (bytes - own) / (layers - 2);
    expect(bytes).toBeGreaterThanOrEqual(3 * own);
    expect(bytes).toBeLessThan(3 * own + layerBytes);
    expect(deep.tensors).toHaveLength(parts.tensors.length + 9 * (layers - 2));
    for (let layer = 2; layer < layers; layer++) {
      for (const name of ['attn_output', 'ffn_down']) {
        expect(data.get(`blk.${layer}.${name}.weight`)?.every((byte) => byte === 0)).toBe(true);
      }
      expect(data.get(`blk.${layer}.ffn_up.weight`)?.some((byte) => byte !== 0)).toBe(true);
    }
  });

  it('is the model itself where that costs enough', async () => {
    const path = join(folder, 'same.gguf');
    await ensureDeepModel(path, source, 1, silent);
    expect(readFileSync(path)).toEqual(readFileSync(source));
  });
});

describe('a noisy model', () => {
  it('is the model itself without noise', async () => {
    const path = join(folder, 'quiet.gguf');
    await ensureNoisyModel(path, source, 0, silent);
    expect(readFileSync(path)).toEqual(readFileSync(source));
  });

  it('has blocks of its layers scaled by as much as was asked, and nothing else changed', async () => {
    const path = join(folder, 'noisy.gguf');
    await ensureNoisyModel(path, source, 0.2, silent);
    const factors: number[] = [];
    for (const [index, tensor] of readGguf(path).tensors.entries()) {
      const before = parts.tensors[index]?.data ?? Buffer.alloc(0);
      if (!tensor.name.startsWith('blk.') || tensor.type !== 'q4_1') {
        expect(tensor.data).toEqual(before);
        continue;
      }
      for (let block = 0; block < before.length; block += 20) {
        expect(tensor.data.subarray(block + 4, block + 20)).toEqual(before.subarray(block + 4, block + 20));
        factors.push(halfValue(tensor.data.readUInt16LE(block)) / halfValue(before.readUInt16LE(block)));
      }
    }
    const deviation = Math.sqrt(factors.reduce((sum, f) => sum + (f - 1) ** 2, 0) / factors.length);
    // The deviation of a uniform number's square is 0.9 of its mean.
    expect(Math.abs(deviation / 0.2 - 1)).toBeLessThan((6 * 0.45) / Math.sqrt(factors.length));
  });
});

describe('the bits of a half', () => {
  it('are those of its value, for every finite one', () => {
    for (let bits = 0; bits < 0x7c00; bits++) {
      expect(halfBits(halfValue(bits))).toBe(bits);
      expect(halfValue(bits | 0x8000)).toBe(-halfValue(bits));
    }
  });
});
