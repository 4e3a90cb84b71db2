import { describe, expect, it } from 'vitest';
import { type SchemaAssociation, schemaPlace } from '../../core/schema/schema_place';
import { SchemaStore } from '../../core/schema/schema_store';
import { BUNDLED_SCHEMAS } from '../../core/schema/bundled';

const chosen = (
  fileMatch: readonly string[],
  url: string | undefined,
  schema?: unknown,
): SchemaAssociation => ({
  fileMatch,
  url,
  chosen: true,
  ...(schema === undefined ? {} : { schema }),
});
const contributed = (fileMatch: readonly string[], url: string): SchemaAssociation => ({
  fileMatch,
  url,
  chosen: false,
});

function place(fullPath: string, associations: readonly SchemaAssociation[] = [], schema?: string): unknown {
  const found = schemaPlace({ uri: `file://${fullPath}`, fullPath, schema }, associations);
  if (found === undefined) return undefined;
  return found.kind === 'here' ? found.name : found.kind === 'file' ? found.uri : `not here: ${found.url}`;
}

describe('the schema of a document', () => {
  it('is the one it names, then the one chosen, then one that comes along, then one of an extension', () => {
    const own = chosen(['package.json'], 'file:///schemas/own.json');
    const other = contributed(['package.json'], 'file:///extension/package.json');
    expect(place('/w/package.json', [own, other], './mine.json')).toBe('file:///w/mine.json');
    expect(place('/w/package.json', [own, other])).toBe('file:///schemas/own.json');
    expect(place('/w/package.json', [other])).toBe('package.json');
    expect(place('/w/package.json')).toBe('package.json');
    const far = contributed(['other.json'], 'https://example.com/other.json');
    const near = contributed(['other.json'], 'file:///extension/other.json');
    expect(place('/w/other.json', [far, near])).toBe('file:///extension/other.json');
    expect(place('/w/other.json', [far])).toBeUndefined();
    expect(place('/w/other.json')).toBeUndefined();
  });

  it('is found by the name of the file', () => {
    for (const path of ['/tsconfig.json', '/a/tsconfig.build.json', '/a/jsconfig.json']) {
      expect(place(path), path).toBe('tsconfig.json');
    }
    expect(place('/a/b/.vscode/settings.json')).toBe('settings.json');
    expect(place('/a/settings.json')).toBeUndefined();
    const rules = chosen(['*.rc.json', '!no.rc.json', '/conf/*.json'], 'file:///s.json');
    expect(place('/a/b/x.rc.json', [rules])).toBe('file:///s.json');
    expect(place('/a/b/no.rc.json', [rules])).toBeUndefined();
    expect(place('/a/conf/x.json', [rules])).toBe('file:///s.json');
    expect(place('/a/confx/x.json', [rules])).toBeUndefined();
  });

  it('is never fetched', () => {
    const far = 'https://example.com/schema.json';
    expect(place('/w/a.json', [], far)).toBe(`not here: ${far}`);
    expect(place('/w/a.json', [], '//server/share/schema.json')).toBe(
      'not here: file://server/share/schema.json',
    );
    expect(place('/w/a.json', [chosen(['a.json'], far)])).toBe(`not here: ${far}`);
    // What an extension says of a file that it does not have is no reason to have none.
    expect(place('/w/package.json', [contributed(['package.json'], far)])).toBe('package.json');
    expect(place('/w/package.json', [contributed(['package.json'], 'vscode://schemas/x')])).toBe(
      'package.json',
    );
  });

  it('is known by its address where it is here', () => {
    expect(place('/w/a.json', [], 'https://json.schemastore.org/package.json')).toBe('package.json');
    expect(place('/w/a.json', [], 'http://www.schemastore.org/tsconfig')).toBe('tsconfig.json');
    expect(place('/w/a.json', [contributed(['a.json'], 'https://json.schemastore.org/tsconfig')])).toBe(
      'tsconfig.json',
    );
    const given = chosen([], 'https://example.com/x', { type: 'object' });
    expect(place('/w/a.json', [given], 'https://example.com/x#')).toBe('https://example.com/x');
  });
});

describe('the store of schemas', () => {
  it('reads a file once, until it changes', async () => {
    const texts = ['{ "type": "object", /* jsonc */ }', '{}'];
    let reads = 0;
    const store = new SchemaStore(() => Promise.resolve(texts[reads++]));
    const file = { kind: 'file', uri: 'file:///a.json' } as const;
    const [first, again] = [await store.load(file), await store.load(file)];
    expect(first).toMatchObject({ name: 'file:///a.json', schema: { type: 'object' } });
    expect(again).toBe(first);
    store.forget();
    expect(await store.load(file)).toMatchObject({ name: 'file:///a.json', schema: {} });
    expect(reads).toBe(2);
  });

  it('says why there is none', async () => {
    const texts = new Map([
      ['file:///broken', '{ "a": '],
      ['file:///large', ' '.repeat(3_000_000)],
    ]);
    const store = new SchemaStore((uri) => Promise.resolve(texts.get(uri)));
    const use = async (uri: string): Promise<unknown> => store.load({ kind: 'file', uri });
    expect(await use('file:///none')).toMatchObject({ use: 'unreadable_schema' });
    expect(await use('file:///broken')).toMatchObject({ use: 'unreadable_schema' });
    expect(await use('file:///large')).toMatchObject({ use: 'too_large' });
    expect(await store.load({ kind: 'elsewhere', url: 'https://a/b' })).toEqual({
      use: 'not_local',
      detail: 'https://a/b',
    });
  });
});

describe('the schemas that come along', () => {
  it('are JSON Schemas that take what is common, and unknown keys', async () => {
    const { Ajv } = await import('ajv');
    const samples: Readonly<Record<string, unknown>> = {
      'package.json': {
        name: 'a',
        version: '1.0.0',
        scripts: { test: 'x' },
        author: { name: 'A' },
        jest: {},
      },
      'tsconfig.json': {
        compilerOptions: { target: 'es2023', lib: ['es2023'], paths: { a: ['b'] } },
        include: ['a'],
      },
      'settings.json': { 'editor.tabSize': 2, '[python]': { 'editor.tabSize': 4 }, 'other.thing': 1 },
    };
    for (const { name, schema } of BUNDLED_SCHEMAS) {
      const accepts = new Ajv({ strict: false }).compile(schema as object);
      expect(accepts(samples[name]), name).toBe(true);
      expect(accepts({ ...(samples[name] as object), ...WRONG[name] }), name).toBe(false);
    }
  });
});

const WRONG: Readonly<Record<string, object>> = {
  'package.json': { private: 'yes' },
  'tsconfig.json': { compilerOptions: { target: 'es1' } },
  'settings.json': { 'editor.wordWrap': 'sometimes' },
};
