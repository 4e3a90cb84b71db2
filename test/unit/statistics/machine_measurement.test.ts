import { describe, expect, it } from 'vitest';
import type { EngineAnswer, EngineRequest } from '../../../core/engine/engine_request';
import type { NativeInspection } from '../../../core/engine/native_inspection';
import { type NativeAddon, NO_TIMINGS, type NativeCompletion } from '../../../core/engine/native_types';
import { type MeasuredModel, measureMachine } from '../../../core/models/machine_measurement';

const OUTLINE = {
  weightBytes: 64_000_000,
  tokenBytes: 60_000_000,
  kvCache: { f16: [{ bytesAPosition: 1_000, mostPositions: 4_096 }], q8_0: [] },
};
const GIGABYTES = 10e9;

interface Fake {
  readonly addon: Pick<NativeAddon, 'inspect' | 'readBandwidth'>;
  readonly model: MeasuredModel;
  readonly requests: EngineRequest[];
  readonly read: number[];
  disposed: number;
}

function fake(device: string, context: number, completion: Partial<NativeCompletion> = {}): Fake {
  const made: Fake = {
    requests: [],
    read: [],
    disposed: 0,
    addon: {
      inspect: () =>
        Promise.resolve({ ok: true, value: { outline: OUTLINE } as unknown as NativeInspection }),
      readBandwidth: (bytes) => {
        made.read.push(bytes);
        return Promise.resolve({ ok: true, value: GIGABYTES });
      },
    },
    model: {
      info: { name: 'toy', device, kvCache: 'f16', vocabulary: 3_000 },
      modelPath: 'toy.gguf',
      embedded: false,
      context,
      fork: () =>
        Promise.resolve({
          ok: true,
          value: {
            complete: (request): Promise<EngineAnswer> => {
              made.requests.push(request);
              const promptTokens = request.prompt.length;
              const timings = { ...NO_TIMINGS, promptTokens, generatedTokens: 64, queueMs: 5 };
              const times = { prefillMs: 256, totalMs: 5 + 256 + 640 };
              const value = { stop: 'max_tokens', timings: { ...timings, ...times }, ...completion };
              return Promise.resolve({ ok: true, value: value as NativeCompletion });
            },
            dispose: () => {
              made.disposed++;
              return Promise.resolve();
            },
          },
        }),
    },
  };
  return made;
}

const { signal } = new AbortController();

describe('the measurement of a machine', () => {
  it('has rates, and the limits that the memory sets', async () => {
    const { addon, model, requests, read } = fake('cpu, avx2, 2 threads', 4_480);
    const measured = await measureMachine(addon, model, signal);
    if (!measured.ok) expect.fail(measured.error.message);
    expect(measured.value).toMatchObject({
      model: 'toy',
      bytesASecond: GIGABYTES,
      decodeRate: 100,
      prefillRate: 2_000,
      decodeLimit: GIGABYTES / (60_000_000 + 512 * 1_000),
      prefillLimit: (64 * GIGABYTES) / 64_000_000,
    });
    expect(read).toEqual([60_000_000 + 512 * 1_000]);
    // No prompt begins like another one, which the KV cache would have; all are ids of the vocabulary.
    expect(new Set(requests.map(({ prompt }) => prompt[0])).size).toBe(requests.length);
    for (const { prompt } of requests) expect(Math.max(...(prompt as number[]))).toBeLessThan(3_000);
  });

  it('fits a small context', async () => {
    const { addon, model, requests } = fake('cpu', 512);
    expect((await measureMachine(addon, model, signal)).ok).toBe(true);
    for (const { prompt, maxTokens } of requests) expect(prompt.length + maxTokens).toBeLessThan(512);
  });

  it('knows no limit of a GPU', async () => {
    const { addon, model, read } = fake('Metal, Apple M1', 4_480);
    const measured = await measureMachine(addon, model, signal);
    expect(measured).toMatchObject({ ok: true, value: { decodeLimit: undefined, bytesASecond: undefined } });
    expect(read).toEqual([]);
  });

  it('makes way for who types, and frees its session', async () => {
    const made = fake('cpu', 4_480, { stop: 'cancelled' });
    expect(await measureMachine(made.addon, made.model, signal)).toMatchObject({
      error: { code: 'CANCELLED' },
    });
    expect(made.disposed).toBe(1);
    expect(made.requests).toHaveLength(1);
  });

  it('gives no figure of texts that end too soon', async () => {
    const timings = { ...NO_TIMINGS, promptTokens: 512, generatedTokens: 3, prefillMs: 100, totalMs: 120 };
    const { addon, model } = fake('cpu', 4_480, { timings });
    expect(await measureMachine(addon, model, signal)).toMatchObject({ error: { code: 'INVALID_ARGUMENT' } });
  });
});
