/**
 * From one version to the next, and back. What an earlier version has written, as it wrote it, is taken along; what a later one has written and this
 * one does not understand is as good as none, and breaks nothing. The texts here are not to be changed when a format is: then this version is the earlier one.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CatalogueModel } from '../../core/models/catalogue';
import { type LoadedFiles, LoadRecord } from '../../core/models/load_record';
import { storedModels, storedPath } from '../../core/models/stored_models';
import { UsageTotals } from '../../core/statistics/usage';
import { UsageFile } from '../../core/statistics/usage_file';
import { RemoteKeys } from '../../extension/remote/remote_keys';
import {
  readCompletion,
  readDownloads,
  readEngine,
  readGenerate,
  readRemote,
  type Setting,
} from '../../extension/settings';

const ROOT = join(import.meta.dirname, '..', '..');
type Values = Readonly<Record<string, unknown>>;
const jsonOf = (...path: string[]): unknown => JSON.parse(readFileSync(join(ROOT, ...path), 'utf8'));

/** Every setting there has been, with a value that is not its default. One that gets another name stays here. */
const SETTINGS = jsonOf('test', 'fixtures', 'upgrades', 'settings.json') as Values;

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-upgrade-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('settings', () => {
  interface Offered {
    readonly default?: unknown;
    readonly enum?: unknown[];
    readonly minimum?: number;
    readonly maximum?: number;
  }
  const manifest = jsonOf('package.json') as {
    contributes: { configuration: { properties: Record<string, Offered> }[] };
  };
  const offered = Object.assign(
    {},
    ...manifest.contributes.configuration.map(({ properties }) => properties),
  ) as Record<string, Offered>;
  /** All that is made of settings, of which `values` are set. */
  const readAll = (values: Values): unknown[] => {
    const setting: Setting = (name) => values[`emberline.${name}`] ?? offered[`emberline.${name}`]?.default;
    return [readCompletion, readGenerate, readEngine, readRemote, readDownloads].map((read) => read(setting));
  };

  it('of an earlier version are offered still, and those of this one are remembered', () => {
    expect(Object.keys(offered).toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
  });

  it.each(Object.entries(SETTINGS))('of an earlier version still count: %s', (name, value) => {
    expect(readAll({ [name]: value })).not.toEqual(readAll({}));
  });

  it('beyond their bounds are as they would be there', () => {
    const bounded = Object.entries(offered).filter(
      ([, { minimum, maximum }]) => (minimum ?? maximum) !== undefined,
    );
    expect(bounded.length).toBeGreaterThan(5);
    for (const [name, { minimum, maximum }] of bounded) {
      for (const [bound, beyond] of [[minimum, -1] as const, [maximum, 1] as const]) {
        if (bound === undefined) continue;
        expect(readAll({ [name]: bound + beyond }), name).toEqual(readAll({ [name]: bound }));
      }
    }
  });

  it('of a later version are as good as none: words and kinds that are not known', () => {
    for (const name of Object.keys(offered)) {
      const values = [
        null,
        { of: 'another kind' },
        [[1]],
        ...(offered[name]?.enum === undefined ? [] : ['newer']),
      ];
      const isObject = ['emberline.languages', 'emberline.excludedFiles'].includes(name);
      for (const value of isObject ? [null, 3] : values)
        expect(readAll({ [name]: value }), `${name}: ${JSON.stringify(value)}`).toEqual(readAll({}));
    }
    expect(readAll({ 'emberline.completion.ofANewerVersion': true })).toEqual(readAll({}));
  });
});

describe('statistics', () => {
  const EARLIER =
    '{"version":1,"since":"2026-03-01T10:00:00.000Z","languages":[{"language":"python","shown":7,"whole":3,"line":1,"word":0,' +
    '"typedAlong":0,"typedOver":0,"dismissed":1,"left":2,"charactersSaved":120}]}';
  let path = '';
  beforeEach(() => {
    path = join(folder, 'statistics.json');
  });
  const one = (): UsageTotals => {
    const totals = new UsageTotals(new Date('2026-05-01T10:00:00.000Z'));
    totals.shown('python');
    return totals;
  };

  it('of an earlier version are gone on with', async () => {
    writeFileSync(path, EARLIER);
    const sum = await new UsageFile(path).add(one().snapshot());
    expect(sum?.since).toBe('2026-03-01T10:00:00.000Z');
    expect(sum?.languages).toMatchObject([{ language: 'python', shown: 8, charactersSaved: 120 }]);
  });

  it('of a later version are begun anew', async () => {
    writeFileSync(path, EARLIER.replace('"version":1', '"version":2').replace('"shown"', '"offered"'));
    const file = new UsageFile(path);
    expect(await file.read()).toBeUndefined();
    expect((await file.add(one().snapshot()))?.languages).toMatchObject([{ language: 'python', shown: 1 }]);
  });
});

describe('the record of loads', () => {
  let files: LoadedFiles;
  let loads = '';
  beforeEach(() => {
    const modelPath = join(folder, 'model.gguf');
    writeFileSync(modelPath, 'a model');
    files = { modelPath, draftPath: '' };
    loads = join(folder, 'loads');
    mkdirSync(loads);
  });
  const next = (): LoadRecord => new LoadRecord(loads, () => false);
  const stamp = (): string => {
    const { size, mtimeMs } = statSync(files.modelPath);
    return `${size} ${mtimeMs}`;
  };

  it('of an earlier version says which models ran, and which one brought a process down', async () => {
    writeFileSync(join(loads, 'known.json'), JSON.stringify({ models: [{ ...files, stamp: stamp() }] }));
    expect(await next().ran(files)).toBe(true);
    const mark = { ...files, stamp: stamp(), at: Date.now() };
    writeFileSync(join(loads, 'loading-4711-0badcafe.json'), JSON.stringify(mark));
    expect(await next().crashed(files)).toBe(true);
  });

  it('of a later version is as good as none: the model is tried again', async () => {
    const later = { version: 2, models: { [files.modelPath]: { digest: 'x' } } };
    writeFileSync(join(loads, 'known.json'), JSON.stringify(later));
    writeFileSync(
      join(loads, 'loading-4711-0badcafe.json'),
      JSON.stringify({ version: 2, of: files.modelPath }),
    );
    expect(await next().ran(files)).toBe(false);
    expect(await next().crashed(files)).toBe(false);
    await next().note(files);
    expect(await next().ran(files)).toBe(true);
  });
});

describe('models that were downloaded', () => {
  const model = { id: 'one', name: 'One', repository: 'owner/name', file: 'sub/m.gguf' } as CatalogueModel;
  const place = (): string => join(folder, 'owner--name', 'sub--m.gguf');
  beforeEach(() => mkdirSync(join(folder, 'owner--name')));

  it('by an earlier version are found where it put them', async () => {
    expect(storedPath(folder, model)).toBe(place());
    writeFileSync(place(), 'all of it');
    expect(await storedModels(folder, [model])).toMatchObject([{ path: place(), bytes: 9, of: undefined }]);
  });

  it('in part by an earlier version are gone on with', async () => {
    writeFileSync(`${place()}.part`, 'a part');
    writeFileSync(
      `${place()}.part.json`,
      '{"sha256":"00","bytes":100,"etag":"\\"x\\"","origin":"https://h"}',
    );
    expect(await storedModels(folder, [model])).toMatchObject([{ bytes: 6, of: 100 }]);
  });
});

it('a key that an earlier version has kept is found, for its endpoint alone', async () => {
  const kept = new Map([['emberline.remote.key https://models.example.com', 'k']]);
  const secrets = { get: (name: string) => Promise.resolve(kept.get(name)) };
  const keys = new RemoteKeys(secrets as unknown as ConstructorParameters<typeof RemoteKeys>[0]);
  expect(
    await keys.keyOf({ base: 'https://models.example.com', host: 'models.example.com', safe: true }),
  ).toBe('k');
  expect(
    await keys.keyOf({ base: 'https://other.example.com', host: 'other.example.com', safe: true }),
  ).toBeUndefined();
});
