/** No model brings the editor down twice. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NativeModelInfo } from '../../core/engine/native_types';
import type { NativeError, NativeResult } from '../../core/engine/native_result';
import { LoadRecord } from '../../core/models/load_record';
import type { LoadedEngine } from '../../extension/engine_lifecycle';
import { GuardedModels } from '../../extension/models/guarded_models';
import { type EngineSettings, readEngine } from '../../extension/settings';

const failure = (code: NativeError['code']): NativeResult<never> => ({
  ok: false,
  error: { code, message: `${code} happened.` },
});
const FINE = { ok: true, value: undefined } as const;

let folder = '';
let loads: string[];
let trials: string[];
let verdict: NativeResult<unknown>;
let loaded: (path: string) => NativeResult<LoadedEngine>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-guarded-'));
  loads = [];
  trials = [];
  verdict = FINE;
  loaded = (path) => ({
    ok: true,
    value: { info: { name: path === '' ? 'embedded' : path } as NativeModelInfo } as LoadedEngine,
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As the extension has it after a start, with all processes before gone. */
function start(): GuardedModels {
  return new GuardedModels({
    load: ({ modelPath }) => {
      loads.push(modelPath);
      return Promise.resolve(loaded(modelPath));
    },
    check: () => Promise.resolve(FINE),
    tryModel: ({ modelPath }) => {
      trials.push(modelPath);
      return Promise.resolve(verdict);
    },
    record: new LoadRecord(join(folder, 'loads'), () => false),
  });
}

function settings(name: string): EngineSettings {
  const modelPath = name === '' ? '' : join(folder, name);
  if (name !== '') writeFileSync(modelPath, name);
  return { ...readEngine(() => undefined), modelPath };
}

describe('a model', () => {
  it('is tried once, and loaded without being tried from then on', async () => {
    const model = settings('a.gguf');
    const models = start();
    expect(await models.check(model, 0)).toEqual(FINE);
    expect(await models.load(model)).toMatchObject({ ok: true });
    expect(await start().load(model)).toMatchObject({ ok: true });
    expect(await start().check(model, 0)).toEqual(FINE);
    expect(trials).toEqual([model.modelPath]);
    expect(loads).toHaveLength(2);
  });

  it('that passed is not tried again when it takes the place of the one that runs', async () => {
    const [running, model] = [settings('running.gguf'), settings('a.gguf')];
    await start().load(running);
    trials = [];
    const models = start();
    expect(await models.check(model, 0)).toEqual(FINE);
    expect(await models.check(model, 0)).toEqual(FINE);
    await models.load(model);
    expect(trials).toEqual([model.modelPath]);
  });

  it('that passed, and is another file by now, is tried again', async () => {
    const model = settings('a.gguf');
    const models = start();
    await models.check(model, 0);
    writeFileSync(model.modelPath, 'another model');
    verdict = failure('MODEL_CRASHED');
    expect(await models.check(model, 0)).toMatchObject({ error: { code: 'MODEL_CRASHED' } });
    expect(await models.load(model)).toMatchObject({ refused: { code: 'MODEL_CRASHED' } });
    expect(trials).toHaveLength(3);
  });

  it('that passed, and brought a process down since, is tried again', async () => {
    const model = settings('a.gguf');
    const models = start();
    await models.check(model, 0);
    loaded = () => {
      throw new Error('the process ends here');
    };
    await expect(start().load(model)).rejects.toThrow();
    expect(await models.check(model, 0)).toEqual(FINE);
    expect(trials).toHaveLength(3);
  });

  it('that a settings file names is tried before the first load as well', async () => {
    const model = settings('a.gguf');
    await start().load(model);
    expect(trials).toEqual([model.modelPath]);
    verdict = failure('MODEL_CORRUPT');
    expect(await start().load(settings('b.gguf'))).toMatchObject({ error: { code: 'MODEL_CORRUPT' } });
    expect(loads).toEqual([model.modelPath]);
  });

  it('that breaks down in its trial is refused; at a start the last good one is loaded', async () => {
    const [good, bad] = [settings('good.gguf'), settings('bad.gguf')];
    await start().load(good);
    verdict = failure('MODEL_CRASHED');
    const models = start();
    expect(await models.check(bad, 0)).toMatchObject({ error: { code: 'MODEL_CRASHED' } });
    const result = await models.load(bad);
    expect(result.refused?.message).toBe(`MODEL_CRASHED happened. Until then ${good.modelPath} completes.`);
    expect(loads).toEqual([good.modelPath, good.modelPath]);
  });

  it('that brought a process down is left out until it is tried again, for the last good one', async () => {
    const [good, bad] = [settings('good.gguf'), settings('bad.gguf')];
    await start().load(good);
    loaded = () => {
      throw new Error('the process ends here');
    };
    await expect(start().load(bad)).rejects.toThrow();
    loaded = (path) => ({ ok: true, value: { info: { name: path } as NativeModelInfo } as LoadedEngine });
    loads = [];
    const models = start();
    const result = await models.load(bad);
    expect(result).toMatchObject({ ok: true, refused: { code: 'MODEL_CRASHED' } });
    expect(result.refused?.message).toMatch(/bad\.gguf was loaded.*Until then .*good\.gguf completes\.$/);
    expect(loads).toEqual([good.modelPath]);
    // At every start.
    expect(await start().load(bad)).toMatchObject({ refused: { code: 'MODEL_CRASHED' } });
    expect(await models.check(bad, 0)).toEqual(FINE);
    expect(await models.load(bad)).not.toHaveProperty('refused');
    expect(await start().load(bad)).not.toHaveProperty('refused');
  });

  it('that brought a process down gives way to the embedded one where no other ran, or that one ran last', async () => {
    const bad = settings('bad.gguf');
    await start().load(settings('good.gguf'));
    await start().load(settings(''));
    verdict = failure('MODEL_CRASHED');
    loads = [];
    expect(await start().load(bad)).toMatchObject({ refused: { code: 'MODEL_CRASHED' } });
    expect(loads).toEqual(['']);
  });

  it.each(['MODEL_EXCEEDS_MEMORY', 'TRIAL_NOT_STARTED'] as const)(
    'is loaded untried where its trial says nothing of it: %s',
    async (code) => {
      verdict = failure(code);
      const model = settings('a.gguf');
      const models = start();
      expect(await models.check(model, 0)).toEqual(FINE);
      expect(await models.load(model)).not.toHaveProperty('refused');
      expect(loads).toEqual([model.modelPath]);
    },
  );

  it('that comes with the package is not tried', async () => {
    await start().check(settings(''), 0);
    await start().load(settings(''));
    expect(trials).toEqual([]);
  });
});
