/** Models that other programs left on this machine, in made-up homes. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesUnder, WalkBudget } from '../../core/models/bounded_walk';
import { findLocalModels } from '../../core/models/local_models';
import { isModelName, modelNameOf } from '../../core/models/model_names';
import { type FoundModel, type Machine, modelPlaces } from '../../core/models/model_places';

let home = '';
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'emberline-home-')));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function file(name: string, content = 'x'): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

function link(name: string, target: string): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  return path;
}

/** Those in the home: a service of the machine that runs the test may have others. */
async function found(env: Machine['env'] = {}, own?: string): Promise<readonly FoundModel[]> {
  const models = await findLocalModels({ platform: 'linux', home, env }, own);
  return models.filter(({ path }) => path.startsWith(home));
}

const foldersOf = (machine: Machine, source: string): string[] =>
  modelPlaces(machine)
    .filter((place) => place.source === source)
    .map(({ folder }) => folder);

describe('places', () => {
  it('are the usual ones of each system', () => {
    const linux: Machine = { platform: 'linux', home: '/home/a', env: {} };
    expect(foldersOf(linux, 'ollama')[0]).toBe('/home/a/.ollama/models');
    expect(foldersOf(linux, 'lm_studio')).toEqual([
      '/home/a/.lmstudio/models',
      '/home/a/.cache/lm-studio/models',
    ]);
    expect(foldersOf(linux, 'llama_cpp')).toEqual(['/home/a/.cache/llama.cpp']);
    expect(foldersOf(linux, 'hugging_face')).toEqual(['/home/a/.cache/huggingface/hub']);
    const mac: Machine = { platform: 'darwin', home: '/Users/a', env: {} };
    expect(foldersOf(mac, 'llama_cpp')).toEqual(['/Users/a/Library/Caches/llama.cpp']);
    expect(foldersOf(mac, 'ollama')).toEqual(['/Users/a/.ollama/models']);
    const windows: Machine = {
      platform: 'win32',
      home: 'C:\\Users\\a',
      env: { LOCALAPPDATA: 'D:\\Local' },
    };
    expect(foldersOf(windows, 'llama_cpp')).toEqual(['D:\\Local\\llama.cpp']);
    expect(foldersOf(windows, 'hugging_face')).toEqual(['C:\\Users\\a\\.cache\\huggingface\\hub']);
  });

  it('are moved by variables of the environment, which come first', () => {
    const env = {
      OLLAMA_MODELS: '/big/ollama',
      HF_HOME: '~/hf',
      HF_HUB_CACHE: '/big/hub/',
      LLAMA_CACHE: '/big/llama',
      XDG_CACHE_HOME: '/big/cache',
    };
    const machine: Machine = { platform: 'linux', home: '/home/a', env };
    expect(foldersOf(machine, 'ollama')[0]).toBe('/big/ollama');
    expect(foldersOf(machine, 'llama_cpp')).toEqual(['/big/llama', '/big/cache/llama.cpp']);
    expect(foldersOf(machine, 'hugging_face').slice(0, 3)).toEqual([
      '/big/hub/',
      '/home/a/hf/hub',
      '/big/cache/huggingface/hub',
    ]);
  });

  it('are none where a variable is empty or names no absolute path', () => {
    const env = { OLLAMA_MODELS: ' ', HF_HOME: 'relative' };
    const places = modelPlaces({ platform: 'darwin', home: '/Users/a', env });
    expect(places.every(({ folder }) => folder.startsWith('/Users/a/'))).toBe(true);
  });
});

describe('names', () => {
  it.each(['a.gguf', 'A.GGUF', 'big-00001-of-00003.gguf'])('%s is a model', (name) => {
    expect(isModelName(name)).toBe(true);
  });
  it.each([
    'a.bin',
    'big-00002-of-00003.gguf',
    'mmproj-model-f16.gguf',
    'gemma.mmproj-q8_0.gguf',
    'a.gguf.part',
  ])('%s is none', (name) => {
    expect(isModelName(name)).toBe(false);
  });
  it('are told without shard and ending', () => {
    expect(modelNameOf('big-Q4_K_M-00001-of-00003.gguf')).toBe('big-Q4_K_M');
  });
});

describe('a walk', () => {
  const all = (): boolean => true;

  it('goes as deep as it may, through links, and in no circle', async () => {
    file('tree/a.gguf');
    file('tree/one/b.gguf');
    file('tree/one/two/c.gguf');
    file('outside/d.gguf');
    link('tree/one/back', join(home, 'tree'));
    link('tree/out', join(home, 'outside'));
    link('tree/dangling.gguf', join(home, 'nothing'));
    const names = async (depth: number): Promise<string[]> =>
      (await filesUnder(join(home, 'tree'), depth, new WalkBudget(1_000), all)).map(({ name }) => name);
    expect(await names(0)).toEqual(['a.gguf']);
    expect((await names(1)).toSorted()).toEqual(['a.gguf', 'b.gguf', 'd.gguf']);
    expect((await names(9)).toSorted()).toEqual(['a.gguf', 'b.gguf', 'c.gguf', 'd.gguf']);
  });

  it('ends with its budget, which several walks share', async () => {
    for (let i = 0; i < 50; i++) file(`many/${i}.gguf`);
    file('other/a.gguf');
    const budget = new WalkBudget(10);
    expect(await filesUnder(join(home, 'many'), 3, budget, all)).toHaveLength(10);
    expect(budget.spent).toBe(true);
    expect(await filesUnder(join(home, 'other'), 3, budget, all)).toEqual([]);
  });

  it('finds nothing where nothing is', async () => {
    expect(await filesUnder(join(home, 'none'), 3, new WalkBudget(10), all)).toEqual([]);
  });
});

describe("Ollama's models", () => {
  const DIGEST = 'a'.repeat(64);
  const layers = (digest: string): object => ({
    layers: [
      { mediaType: 'application/vnd.ollama.image.template', digest: `sha256:${'b'.repeat(64)}` },
      { mediaType: 'application/vnd.ollama.image.model', digest, size: 3 },
    ],
  });

  it('are the blobs that manifests name', async () => {
    const blob = file(`.ollama/models/blobs/sha256-${DIGEST}`, 'abc');
    file(
      '.ollama/models/manifests/registry.ollama.ai/library/qwen2.5-coder/1.5b',
      JSON.stringify(layers(`sha256:${DIGEST}`)),
    );
    expect(await found()).toEqual([{ name: 'qwen2.5-coder:1.5b', path: blob, source: 'ollama', bytes: 3 }]);
  });

  it('are named with user and registry where these are not the usual ones', async () => {
    file(`elsewhere/blobs/sha256-${DIGEST}`);
    file('elsewhere/manifests/hf.co/some/model-GGUF/Q8_0', JSON.stringify(layers(`sha256:${DIGEST}`)));
    const [model] = await found({ OLLAMA_MODELS: join(home, 'elsewhere') });
    expect(model?.name).toBe('hf.co/some/model-GGUF:Q8_0');
  });

  it('are found by links to manifests, and by lists of them', async () => {
    const models = '.ollama/models';
    file(`${models}/blobs/sha256-${DIGEST}`, 'abc');
    const child = file(
      `${models}/blobs/sha256-${'c'.repeat(64)}`,
      JSON.stringify(layers(`sha256:${DIGEST}`)),
    );
    const list = file(
      `${models}/blobs/sha256-${'d'.repeat(64)}`,
      JSON.stringify({ manifests: [{ runner: 'mlx' }, { digest: `sha256:${'c'.repeat(64)}` }] }),
    );
    expect(child).not.toBe(list);
    link(`${models}/manifests-v2/ollama.com/library/m/latest`, list);
    expect((await found()).map(({ name }) => name)).toEqual(['m:latest']);
  });

  it.each([
    ['is no JSON', '{'],
    ['is no object', '[3]'],
    ['has no layers', '{}'],
    ['names no blob that is there', JSON.stringify(layers(`sha256:${'e'.repeat(64)}`))],
    ['names a path in the place of a digest', JSON.stringify(layers('sha256:../../../secret'))],
  ])('are none where a manifest %s', async (_, manifest) => {
    file('.ollama/models/secret');
    file('.ollama/models/manifests/registry.ollama.ai/library/m/latest', manifest);
    expect(await found()).toEqual([]);
  });
});

describe('models in files', () => {
  it('of LM Studio and llama.cpp are found by name, shards by the first', async () => {
    const large = file('.lmstudio/models/org/Big-GGUF/big-00001-of-00002.gguf', 'abc');
    file('.lmstudio/models/org/Big-GGUF/big-00002-of-00002.gguf', 'abc');
    file('.lmstudio/models/org/Big-GGUF/mmproj-big.gguf');
    file('.lmstudio/models/org/Big-GGUF/README.md');
    const small = file('.cache/llama.cpp/org_small.gguf');
    file('.cache/llama.cpp/org_other.gguf.downloadInProgress');
    expect(await found()).toEqual([
      { name: 'big', path: large, source: 'lm_studio', bytes: 6 },
      { name: 'org_small', path: small, source: 'llama_cpp', bytes: 1 },
    ]);
  });

  it('of LM Studio are found where it says that its folder and its models are', async () => {
    file('.lmstudio-home-pointer', `${join(home, 'studio')}\n`);
    file('studio/settings.json', JSON.stringify({ downloadsFolder: join(home, 'disk') }));
    file('studio/models/a/a/a.gguf');
    file('disk/b/b/b.gguf');
    expect((await found()).map(({ name }) => name).toSorted()).toEqual(['a', 'b']);
  });

  it('of Hugging Face are found by the names of snapshots, each once', async () => {
    const hub = '.cache/huggingface/hub/models--org--m';
    const blob = file(`${hub}/blobs/${'a'.repeat(64)}`, 'abcd');
    const model = link(`${hub}/snapshots/r1/m-q8_0.gguf`, blob);
    link(`${hub}/snapshots/r2/m-q8_0.gguf`, blob);
    const [only, ...others] = await found();
    expect(others).toEqual([]);
    expect(only).toMatchObject({ name: 'm-q8_0', source: 'hugging_face', bytes: 4 });
    expect([model, model.replace('r1', 'r2')]).toContain(only?.path);
  });

  it('of Hugging Face are folders, too, where they hold SafeTensors', async () => {
    const hub = '.cache/huggingface/hub';
    file(`${hub}/models--org--m/snapshots/r1/config.json`, '{}');
    const weights = file(`${hub}/models--org--m/snapshots/r1/model.safetensors`, 'abc');
    file(`${hub}/models--org--other/snapshots/r1/config.json`, '{}');
    expect(await found()).toEqual([
      { name: 'org/m', path: dirname(weights), source: 'hugging_face', bytes: 3 },
    ]);
  });

  it('of Emberline come first', async () => {
    const own = file('own/repository/m.gguf');
    file('.cache/llama.cpp/n.gguf');
    const models = await found({}, join(home, 'own'));
    expect(models.map(({ source }) => source)).toEqual(['emberline', 'llama_cpp']);
    expect(models[0]?.path).toBe(own);
  });
});
