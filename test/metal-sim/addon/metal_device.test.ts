/** The addon with the simulated GPU, through the engine that the extension and the terminal use. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valueOf } from '../../../cli/failure';
import { embeddedModelPath } from '../../../core/engine/binding';
import { Engine } from '../../../core/engine/engine';
import type { EngineRequest } from '../../../core/engine/engine_request';
import type { DeviceChoice, NativeCompletion } from '../../../core/engine/native_types';
import { ROOT, SIMULATED_ADDON } from '../../../scripts/paths.mjs';
import { ANY_LINE, ENDLESS, GREEDY_LINE, writeBigramModel } from '../../models/bigram_model';

const LINE: EngineRequest = { prompt: 'price =', requiredPrefix: ' ', maxTokens: 40 };

let folder = '';
let model = '';
let cpu: Engine;
let gpu: Engine;
const engines: Engine[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-gpu-'));
  model = join(folder, 'bigram.gguf');
  await writeBigramModel(model, embeddedModelPath(ROOT));
  cpu = await load('cpu');
  gpu = await load('metal');
});
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.dispose()));
  rmSync(folder, { recursive: true });
});

async function load(device: DeviceChoice): Promise<Engine> {
  const options = { addonPath: SIMULATED_ADDON, modelPath: model, device, threads: 2 };
  const engine = valueOf(await Engine.load(options));
  engines.push(engine);
  return engine;
}

async function complete(engine: Engine, call: EngineRequest): Promise<NativeCompletion> {
  return valueOf(await engine.complete(call));
}

describe('the addon with a simulated GPU', () => {
  it('takes the GPU where it may choose', async () => {
    const chosen = await load('auto');
    expect(chosen.info.device).toMatch(/^metal, Apple /);
    expect(chosen.info.deviceReason).toBe('');
  });

  it('gives the ids of the CPU', async () => {
    const expected = await complete(cpu, LINE);
    expect(expected.text).toBe(GREEDY_LINE);
    const { ids, text, stop } = await complete(gpu, LINE);
    expect({ ids, text, stop }).toEqual({ ids: expected.ids, text: GREEDY_LINE, stop: 'line_end' });
  });

  it('draws by the seed', async () => {
    const draw = async (seed: number): Promise<string> => {
      const { text } = await complete(gpu, { ...LINE, sampling: { temperature: 0.2, seed } });
      expect(text).toMatch(ANY_LINE);
      return text;
    };
    const texts = [await draw(1), await draw(2), await draw(3), await draw(1)];
    expect(texts[3]).toBe(texts[0]);
    expect(new Set(texts).size).toBeGreaterThan(1);
  });

  it.each([0, 0.2])('stops in the middle of a chain at temperature %d', async (temperature) => {
    const cancellation = new AbortController();
    const call = { prompt: ENDLESS, maxTokens: 256, singleLine: false, sampling: { temperature } };
    let pieces = 0;
    const answer = await gpu.complete(call, cancellation.signal, () => {
      pieces += 1;
      if (pieces === 2) cancellation.abort();
    });
    const { stop, text, ids, timings } = valueOf(answer);
    expect({ stop, phase: timings.cancelPhase }).toEqual({ stop: 'cancelled', phase: 'decode' });
    expect(text).toMatch(/^ first second/);
    expect(ids.length).toBeLessThan(256);
    expect((await complete(gpu, LINE)).text).toBe(GREEDY_LINE);
  });
});
