import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gguf } from '@huggingface/gguf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../bench/random';
import { BENCH_MODELS, type BenchModel } from '../../../bench/shapes';
import { BlockPool, halfBits, halfValue, randomFloats } from '../../../bench/synthetic/random_blocks';
import {
  ensureFile,
  madePath,
  modelTensors,
  randomModelPath,
  writeModelFile,
} from '../../../bench/synthetic/model_file';
import { tensorBytes } from '../../../bench/synthetic/gguf_layout';
import { byteLetters, makeVocabulary } from '../../../bench/synthetic/vocabulary';

/** Small enough to write in a blink, with everything the real shapes have. */
const TINY: BenchModel = {
  name: 'tiny-q4_0',
  shape: {
    architecture: 'qwen2',
    layers: 2,
    width: 64,
    hidden: 96,
    heads: 4,
    kvHeads: 2,
    headSize: 16,
    vocabulary: 1_000,
    contextLength: 512,
    ropeBase: 1e6,
    normEpsilon: 1e-6,
    qkvBiases: true,
    preTokenizer: 'qwen2',
    beginToken: 990,
    endToken: 992,
  },
  weights: 'q4_0',
  embedding: 'q8_0',
  real: false,
};

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-bench-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(name: string, model: BenchModel = TINY): string {
  const path = join(folder, name);
  writeModelFile(path, model);
  return path;
}

describe('a synthetic model file', () => {
  it('is read by another GGUF parser as it was meant', async () => {
    const path = written('parsed.gguf');
    const { metadata, tensorInfos, tensorDataOffset } = await gguf(path, { allowLocalFile: true });
    const entries: Record<string, unknown> = { ...metadata };
    expect(entries['general.architecture']).toBe('qwen2');
    expect(entries['qwen2.block_count']).toBe(2);
    expect(entries['qwen2.attention.head_count_kv']).toBe(2);
    expect(entries['tokenizer.ggml.tokens']).toHaveLength(1_000);
    expect(entries['tokenizer.ggml.eos_token_id']).toBe(992);
    expect(tensorInfos.map(({ name }) => name)).toEqual(modelTensors(TINY).map(({ name }) => name));
    expect(tensorInfos.map(({ shape }) => shape.map(Number))).toEqual(
      modelTensors(TINY).map(({ extents }) => extents),
    );
    const last = tensorInfos.at(-1);
    const lastBytes = tensorBytes(modelTensors(TINY).at(-1) ?? { name: '', type: 'f32', extents: [0] });
    const end = Number(tensorDataOffset) + Number(last?.offset) + lastBytes;
    const padded = Math.ceil(end / 32) * 32;
    expect(readFileSync(path)).toHaveLength(padded);
    expect(Number(tensorDataOffset) % 32).toBe(0);
  });

  it('has the same bytes each time, and others under another name', () => {
    const bytes = readFileSync(written('a.gguf'));
    expect(readFileSync(written('b.gguf')).equals(bytes)).toBe(true);
    expect(readFileSync(written('c.gguf', { ...TINY, name: 'other-q4_0' })).equals(bytes)).toBe(false);
  });

  it('holds what it is given in the place of what is random', async () => {
    const path = join(folder, 'given.gguf');
    const vocabulary = makeVocabulary(1_000, new Map([[5, '<|given|>']]));
    const norm = Buffer.alloc(64 * 4, 7);
    const output = Buffer.alloc(64 * 1_000 * 4, 9);
    writeModelFile(path, TINY, {
      vocabulary,
      tensors: [
        { name: 'output.weight', type: 'f32', extents: [64, 1_000], data: output },
        { name: 'output_norm.weight', type: 'f32', extents: [64], data: norm },
      ],
    });
    const { metadata, tensorInfos, tensorDataOffset } = await gguf(path, { allowLocalFile: true });
    const entries: Record<string, unknown> = { ...metadata };
    expect(entries['tokenizer.ggml.tokens']).toEqual(vocabulary.tokens);
    expect(tensorInfos.map(({ name }) => name)).toEqual([
      ...modelTensors(TINY).map(({ name }) => name),
      'output.weight',
    ]);
    const bytes = readFileSync(path);
    for (const [name, data] of [
      ['output.weight', output],
      ['output_norm.weight', norm],
    ] as const) {
      const offset = tensorInfos.find((tensor) => tensor.name === name)?.offset;
      const start = Number(tensorDataOffset) + Number(offset);
      expect(bytes.subarray(start, start + data.length).equals(data), name).toBe(true);
    }
  });

  it('is written once, and what a killed process left of another goes', async () => {
    const path = join(folder, 'deeper', 'once.gguf');
    const killed = spawnSync(process.execPath, ['--version']).pid;
    const left = `${path}.${killed}-1.new`;
    mkdirSync(dirname(path));
    writeFileSync(left, 'GGUF');
    utimesSync(left, 1, 1);
    let writes = 0;
    for (let call = 0; call < 2; call++)
      await ensureFile(
        path,
        () => writes++,
        (unfinished) => writeModelFile(unfinished, TINY),
      );
    expect(writes).toBe(1);
    expect(readdirSync(dirname(path))).toEqual(['once.gguf']);
  });

  it('lies elsewhere when it is made of something else', () => {
    const shape = { ...TINY.shape, hidden: 128 };
    const models: BenchModel[] = [TINY, { ...TINY }, { ...TINY, shape }, { ...TINY, finer: 'q8_0' }];
    const [path, same, ...others] = models.map((model) => randomModelPath(folder, model));
    expect(path).toBe(same);
    expect(path).toMatch(/tiny-q4_0-[0-9a-f]{12}\.gguf$/);
    expect(new Set([path, ...others]).size).toBe(3);
    const parts: (string | Buffer)[][] = [['a'], [Buffer.from('a')], ['b'], ['a', '1']];
    expect(new Set(parts.map((some) => madePath(folder, 'made', ...some))).size).toBe(3);
  });

  it('is made by the recipe that is counted', () => {
    const shape = { ...TINY.shape, width: 256, hidden: 256 };
    const coarse = { ...TINY, name: 'tiny-q3_k', shape, weights: 'q3_k', embedding: 'q6_k' } as const;
    const checksums = [TINY, coarse].map((model) =>
      createHash('sha256')
        .update(readFileSync(written(model.name, model)))
        .digest('hex')
        .slice(0, 12),
    );
    // With other ones, RECIPE has to be counted up, or files that were made before are measured for new ones.
    expect(checksums).toEqual(['c3cb6ca95f46', '272298617ed4']);
  });

  it('has the tensors of its shape', () => {
    const tensors = modelTensors(TINY);
    expect(tensors.filter(({ name }) => name.endsWith('.bias'))).toHaveLength(6);
    expect(tensors.some(({ name }) => name === 'output.weight')).toBe(false);
    expect(tensors[0]).toMatchObject({ name: 'token_embd.weight', type: 'q8_0', extents: [64, 1_000] });
    const unbiased: BenchModel = { ...TINY, shape: { ...TINY.shape, qkvBiases: false } };
    expect(modelTensors(unbiased)).toHaveLength(2 + 2 * 9);
  });

  it('has no super-blocks where a row is no whole number of them', () => {
    const shape = { ...TINY.shape, hidden: 256, layers: 3 };
    const tensors = modelTensors({ ...TINY, shape, weights: 'iq4_xs', embedding: 'q6_k', finer: 'q6_k' });
    const typeOf = (name: string): unknown => tensors.find((tensor) => tensor.name === name)?.type;
    expect(typeOf('token_embd.weight')).toBe('q8_0');
    expect(typeOf('blk.0.ffn_gate.weight')).toBe('iq4_nl');
    expect(typeOf('blk.2.ffn_down.weight')).toBe('q6_k');
  });
});

describe('the vocabulary', () => {
  it('has a token for every byte, each once', () => {
    expect(new Set(byteLetters()).size).toBe(256);
    expect(byteLetters()[0x20]).toBe('Ġ');
    expect(byteLetters()[0x41]).toBe('A');
  });

  it.each([49_152, 151_936])('of %i tokens has no token twice and every merge makes one', (size) => {
    const controls = new Map([[7, '<|end|>']]);
    const { tokens, types, merges } = makeVocabulary(size, controls);
    expect(tokens).toHaveLength(size);
    expect(new Set(tokens).size).toBe(size);
    expect(types.filter((type) => type === 3)).toHaveLength(1);
    expect(tokens[7]).toBe('<|end|>');
    const known = new Set(tokens);
    const makesToken = (merge: string): boolean => {
      const [left = '', right = ''] = merge.split(' ');
      return known.has(left) && known.has(right) && known.has(left + right);
    };
    expect(merges.filter((merge) => !makesToken(merge))).toEqual([]);
  });

  it('says when it cannot be made', () => {
    expect(() => makeVocabulary(10_000_000, new Map())).toThrow(RangeError);
  });
});

describe('random tensors', () => {
  it('write halves as IEEE 754 does', () => {
    const known: [number, number][] = [
      [1, 0x3c00],
      [-2, 0xc000],
      [65_504, 0x7bff],
      [0.1, 0x2e66],
      [2 ** -14, 0x0400],
      [2 ** -24, 0x0001],
      [1.999_99, 0x4000],
    ];
    for (const [value, bits] of known) expect(halfBits(value)).toBe(bits);
  });

  it('have the size they should', () => {
    const rms = 0.05;
    const elements = dequantizedQ8(new BlockPool(new SeededRandom(1), 'q8_0', rms).take(2_000));
    // Scales vary by a fifth: the mean square is 1 + 0.4^2/12 of the nominal one; 64000 elements leave 1 % of chance.
    expect(rootMeanSquare(elements) / rms).toBeGreaterThan(0.97);
    expect(rootMeanSquare(elements) / rms).toBeLessThan(1.05);
    const fourBits = dequantizedIQ4XS(new BlockPool(new SeededRandom(4), 'iq4_xs', rms).take(250));
    expect(rootMeanSquare(fourBits) / rms).toBeGreaterThan(0.97);
    expect(rootMeanSquare(fourBits) / rms).toBeLessThan(1.05);
    const mean = fourBits.reduce((sum, value) => sum + value, 0) / fourBits.length;
    expect(Math.abs(mean / rms)).toBeLessThan(0.02);
    const floats = new Float32Array(randomFloats(new SeededRandom(2), 64_000, rms).buffer);
    expect(rootMeanSquare(Array.from(floats)) / rms).toBeGreaterThan(0.98);
    expect(rootMeanSquare(Array.from(floats)) / rms).toBeLessThan(1.02);
  });
});

it('the rows of a random matrix all differ', () => {
  const rows = 2_000;
  const blocks = new BlockPool(new SeededRandom(3), 'q8_0', 0.02).take(18 * rows);
  const distinct = new Set(
    Array.from({ length: rows }, (_, row) => blocks.toString('latin1', row * 18 * 34, (row + 1) * 18 * 34)),
  );
  expect(distinct.size).toBe(rows);
});

it('every model of the bench has its own name', () => {
  expect(new Set(BENCH_MODELS.map(({ name }) => name)).size).toBe(BENCH_MODELS.length);
});

/** As llama.cpp documents the format: 8 parts of 32, whose scales of 6 bits lie in two places; 16 values that are not evenly spaced. */
function dequantizedIQ4XS(blocks: Buffer): number[] {
  const codes = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113];
  const values: number[] = [];
  for (let start = 0; start < blocks.length; start += 136) {
    const scale = halfValue(blocks.readUInt16LE(start));
    for (let part = 0; part < 8; part++) {
      const low = (blocks.readUInt8(start + 4 + (part >> 1)) >> (4 * (part % 2))) & 15;
      const high = (blocks.readUInt16LE(start + 2) >> (2 * part)) & 3;
      const partScale = scale * (low + 16 * high - 32);
      for (let at = 0; at < 32; at++) {
        const byte = blocks.readUInt8(start + 8 + 16 * part + (at % 16));
        values.push(partScale * (codes[at < 16 ? byte & 15 : byte >> 4] ?? Number.NaN));
      }
    }
  }
  return values;
}

function dequantizedQ8(blocks: Buffer): number[] {
  const values: number[] = [];
  for (let start = 0; start < blocks.length; start += 34) {
    const bits = blocks.readUInt16LE(start);
    const scale = (1 + (bits & 0x3ff) / 1_024) * 2 ** (((bits >> 10) & 0x1f) - 15);
    for (let element = 0; element < 32; element++) values.push(scale * blocks.readInt8(start + 2 + element));
  }
  return values;
}

function rootMeanSquare(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
}
