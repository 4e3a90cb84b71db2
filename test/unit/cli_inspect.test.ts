import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectedSpeed, speedLine } from '../../core/models/expected_speed';
import { multiplyAddsAToken } from '../../core/models/prefill_cost';
import { whyNot } from '../../cli/remedy';
import type { NativeInspection } from '../../core/engine/native_inspection';

const tensor = (name: string, ...shape: number[]): NativeInspection['tensors'][number] => ({
  name,
  type: 'Q4_0',
  shape,
  bytes: 1,
});
const entry = (key: string, value: string): NativeInspection['metadata'][number] => ({
  key,
  type: 'string',
  value,
});

const OUTLINE = {
  weightBytes: 8e6,
  tokenBytes: 1e6,
  kvCache: {
    f16: [{ bytesAPosition: 0, mostPositions: 8_192 }],
    q8_0: [{ bytesAPosition: 0, mostPositions: 8_192 }],
  },
  contextLength: 2_048,
  fim: {},
};
const INSPECTION: NativeInspection = {
  version: 3,
  fileBytes: 1,
  metadata: [entry('general.architecture', '"llama"')],
  tensors: [
    tensor('token_embd.weight', 10, 1_000),
    tensor('blk.0.attn_q.weight', 10, 20),
    tensor('blk.1.ffn_down.weight', 30, 10),
    tensor('blk.1.attn_norm.weight', 10),
    tensor('output.weight', 10, 1_000),
  ],
  unsupported: '',
  unsupportedCode: 'INTERNAL',
  outline: OUTLINE,
};

describe('what a token of a prompt costs', () => {
  it('are the matrices of the layers', () => {
    expect(multiplyAddsAToken(INSPECTION)).toBe(200 + 300);
  });

  it('are of experts those that it is routed to', () => {
    const metadata = [
      ...INSPECTION.metadata,
      entry('qwen3moe.expert_count', '8'),
      entry('qwen3moe.expert_used_count', '2'),
    ];
    const tensors = [tensor('blk.0.attn_q.weight', 10, 20), tensor('blk.0.ffn_up_exps.weight', 10, 5, 8)];
    expect(multiplyAddsAToken({ metadata, tensors })).toBe(200 + 100);
  });
});

describe('the speed that is expected', () => {
  const readBandwidth = (): Promise<{ ok: true; value: number }> => Promise.resolve({ ok: true, value: 1e9 });
  const of = (rate?: number): ReturnType<typeof expectedSpeed> =>
    expectedSpeed({ readBandwidth }, INSPECTION, { kvCache: 'f16', prefillRate: rate });

  it('is that of multiplying, where that takes longer than reading the weights for each slice', async () => {
    const slow = await of(512_000);
    expect(slow?.tokensASecond).toBeCloseTo(600, 6);
    expect(slow?.firstTokenMs).toBeCloseTo(500, 6);
    // Eight slices of 8 MB at 0.6 GB/s.
    expect((await of(1e12))?.firstTokenMs).toBeCloseTo(1_000 * ((8 * 8e6) / 0.6e9), 6);
  });

  it('is a line with what is known', async () => {
    expect(speedLine({ tokensASecond: 123, firstTokenMs: 1_234 })).toBe(
      'speed: about 120 tokens/s, and 1.2 s to the first after a prompt of 512, expected here, on the processor',
    );
    expect(speedLine({ tokensASecond: 4.56, firstTokenMs: 456 })).toContain('about 4.6 tokens/s, and 460 ms');
    const unknown = await of();
    expect(unknown && speedLine(unknown)).toBe('speed: about 600 tokens/s expected here, on the processor');
  });

  it('is none of a model that does not run', async () => {
    expect(
      await expectedSpeed({ readBandwidth }, { ...INSPECTION, outline: undefined }, { kvCache: 'f16' }),
    ).toBeUndefined();
  });
});

describe('why a file does not run', () => {
  const refused = (
    architecture: string,
    code: NativeInspection['unsupportedCode'],
    unsupported: string,
  ): string =>
    whyNot({
      ...INSPECTION,
      metadata: [entry('general.architecture', `"${architecture}"`)],
      unsupported,
      unsupportedCode: code,
    });

  it('is one sentence that names what to choose', () => {
    const said = refused(
      'mamba',
      'MODEL_ARCHITECTURE_UNSUPPORTED',
      "The model's architecture 'mamba' is not one Emberline runs (llama, qwen2); choose another model.",
    );
    expect(said).toBe(
      "The model's architecture 'mamba' is not one Emberline runs (llama, qwen2); choose a GGUF file of Qwen2.5-Coder, Qwen3 or StarCoder 2, quantised as Q4_K_M or Q8_0.",
    );
  });

  it('never recommends what was refused', () => {
    const said = refused(
      'qwen2',
      'MODEL_TOKENIZER_UNSUPPORTED',
      'The model splits text in a way the engine does not know; choose a model of the Qwen, Llama families.',
    );
    expect(said).toMatch(/not know; choose a GGUF file of Qwen3, StarCoder 2 or Granite 3, quantised as/);
    expect(said).not.toContain('Qwen2');
  });

  it('recommends architectures that the engine runs', () => {
    const source = readFileSync(new URL('../../native/model/architecture.cpp', import.meta.url), 'utf8');
    const remedy = readFileSync(new URL('../../cli/remedy.ts', import.meta.url), 'utf8');
    const named = [...remedy.matchAll(/architecture: '([a-z0-9]+)'/g)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(3);
    for (const name of named) expect(source).toContain(`.name = "${name}"`);
  });

  it('is what the engine says where another file of the same model will do', () => {
    const said = 'The tensor a has the type IQ2_XS; choose a file quantised as Q4_K_M.';
    expect(refused('llama', 'MODEL_TENSOR_TYPE_UNSUPPORTED', said)).toBe(said);
    expect(whyNot(INSPECTION)).toBe('');
  });
});
