import { describe, expect, it } from 'vitest';
import type { NativeInspection } from '../../core/engine/native_inspection';
import type { NativeModelCheck } from '../../core/engine/native_types';
import {
  appraise,
  type Appraisal,
  type AppraisalAddon,
  compareAppraisals,
  measuringOnce,
} from '../../core/models/appraisal';
import { mixOf, quantizationOf } from '../../core/models/quantization';
import { sizeText } from '../../core/models/size_text';
import { kindText, useText } from '../../extension/models/choice_text';

const INSPECTION: NativeInspection = {
  version: 3,
  fileBytes: 1_646_573_056,
  metadata: [
    { key: 'general.architecture', type: 'string', value: '"qwen2"' },
    { key: 'general.size_label', type: 'string', value: '"1.5B"' },
    { key: 'general.file_type', type: 'u32', value: '7' },
  ],
  tensors: [
    { name: 'a', type: 'Q8_0', shape: [1], bytes: 99 },
    { name: 'b', type: 'F32', shape: [1], bytes: 1 },
  ],
  unsupported: '',
  unsupportedCode: 'INTERNAL',
  outline: {
    weightBytes: 1_600_000_000,
    tokenBytes: 1_500_000_000,
    kvCache: {
      f16: [{ bytesAPosition: 28_672, mostPositions: 32_768 }],
      q8_0: [{ bytesAPosition: 15_232, mostPositions: 32_768 }],
    },
    contextLength: 32_768,
    fim: { prefix: 1, suffix: 2, middle: 3 },
  },
};

const OPTIONS: NativeModelCheck & { context: number } = {
  path: '/m.gguf',
  context: 4_480,
  threads: 0,
  device: 'auto',
  freed: 7,
};

function addonWith(changes: Partial<AppraisalAddon> = {}): AppraisalAddon {
  return {
    inspect: () => Promise.resolve({ ok: true, value: INSPECTION }),
    checkModel: () => Promise.resolve({ ok: true, value: undefined }),
    readBandwidth: () => Promise.resolve({ ok: true, value: 50e9 }),
    ...changes,
  };
}

describe('what is said of a model', () => {
  it('is what its header has, and what it takes here', async () => {
    const asked: NativeModelCheck[] = [];
    const appraisal = await appraise(
      addonWith({
        checkModel: (options) => {
          asked.push(options);
          return Promise.resolve({ ok: true, value: undefined });
        },
      }),
      OPTIONS,
    );
    expect(asked).toEqual([OPTIONS]);
    expect(appraisal).toMatchObject({ family: 'qwen2', size: '1.5B', quantization: 'Q8_0', fim: true });
    expect(appraisal.memory).toBe(1_600_000_000 + 4_608 * 28_672);
    expect(appraisal.speed).toBeCloseTo((0.6 * 50e9) / (1_500_000_000 + 512 * 28_672), 6);
    expect(kindText(appraisal)).toBe('qwen2 1.5B · Q8_0 · 1.65 GB');
    expect(useText(appraisal)).toBe(
      'takes 1.73 GB with 4480 tokens · about 20 tokens/s · fills in the middle',
    );
  });

  it('is why it does not run, has no room, or is no model', async () => {
    const unsupported = addonWith({
      inspect: () =>
        Promise.resolve({
          ok: true,
          value: { ...INSPECTION, outline: undefined, unsupported: 'IQ2 is not.' },
        }),
    });
    expect(await appraise(unsupported, OPTIONS)).toMatchObject({ obstacle: 'IQ2 is not.', family: 'qwen2' });
    const error = { code: 'MODEL_EXCEEDS_MEMORY', message: 'It has no room.' } as const;
    const large = addonWith({ checkModel: () => Promise.resolve({ ok: false, error }) });
    const appraisal = await appraise(large, OPTIONS);
    expect(useText(appraisal)).toBe('It has no room.');
    const text = addonWith({ inspect: () => Promise.resolve({ ok: false, error }) });
    expect(await appraise(text, OPTIONS)).toMatchObject({ obstacle: 'It has no room.', bytes: 0 });
  });

  it('puts what can be used first, then what fills in the middle, then the larger', () => {
    const like = (name: string, changes: Partial<Appraisal>): Appraisal & { name: string } => ({
      name,
      family: '',
      size: '',
      quantization: '',
      bytes: 1,
      memory: 1,
      context: 1,
      speed: 1,
      fim: true,
      obstacle: '',
      ...changes,
    });
    const models = [
      like('no room', { bytes: 9, obstacle: 'No.' }),
      like('chat', { bytes: 8, fim: false }),
      like('small', { bytes: 1 }),
      like('large', { bytes: 2 }),
    ];
    expect(models.sort(compareAppraisals).map(({ name }) => name)).toEqual([
      'large',
      'small',
      'chat',
      'no room',
    ]);
  });

  it('takes one measurement for models of about the same size', async () => {
    const measured: number[] = [];
    const { readBandwidth } = measuringOnce({
      readBandwidth: (bytes) => {
        measured.push(bytes);
        return Promise.resolve({ ok: true, value: bytes });
      },
    });
    for (const bytes of [2 ** 28, 2 ** 28, 100_000_000, 65_536]) await readBandwidth(bytes);
    expect(measured).toEqual([2 ** 28, 2 ** 27, 2 ** 16]);
  });
});

describe('a quantisation', () => {
  it('is what the file calls it, else the type of most bytes', () => {
    expect(quantizationOf(INSPECTION)).toBe('Q8_0');
    expect(quantizationOf({ ...INSPECTION, metadata: [] })).toBe('Q8_0');
    const mixed = [{ key: 'general.file_type', type: 'u32', value: '15' }];
    expect(quantizationOf({ ...INSPECTION, metadata: mixed })).toBe('Q4_K_M');
    expect(quantizationOf({ metadata: [], tensors: [] })).toBe('unknown');
    expect(mixOf(INSPECTION.tensors)).toBe('Q8_0 99 %, F32 1 %');
  });
});

describe('a size', () => {
  it.each([
    [0, '0 kB'],
    [23_000, '23.0 kB'],
    [999_499, '999 kB'],
    [999_500, '1.00 MB'],
    [105_800_000, '106 MB'],
    [999_999_999, '1.00 GB'],
    [4_680_000_000, '4.68 GB'],
    [1_100_000_000_000, '1.10 TB'],
  ])('of %i bytes has three digits', (bytes, text) => expect(sizeText(bytes)).toBe(text));
});
