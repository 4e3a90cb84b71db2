import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { grammarSource, schemaSource } from '../../cli/grammar_options';
import { schemaFolder } from '../../cli/schema_folder';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emberline-schemas-'));
  await mkdir(join(folder, 'more'));
  // A folder whatever it is called.
  await mkdir(join(folder, 'folder.json'));
  const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await write('copy.json', '{"$id":"https://www.h/base","title":"copy"}');
  await write('base.json', '\uFEFF{"$id":"https://json.h/base.json","title":"base"}');
  await write(join('more', 'old.json'), '{"id":"http://h/old#"}');
  await write('broken.json', '{');
  await write('list.json', '[1]');
  await write('main.json', '{"$ref":"more/old.json","items":{"$ref":"https://h/base.json"}}');
});

afterAll(() => rm(folder, { recursive: true }));

describe('the schemas of a folder', () => {
  it('go by what they call themselves', async () => {
    const find = schemaFolder(folder);
    expect(await find('https://h/base')).toBe('{"$id":"https://json.h/base.json","title":"base"}');
    expect(await find('https://h/old')).toBe('{"id":"http://h/old#"}');
    expect(await find('https://h/none')).toBeUndefined();
    await expect(schemaFolder(join(folder, 'none'))('x')).rejects.toThrow('is no folder');
  });

  it('are given to the engine with the schemas that refer to them', async () => {
    const schema = join(folder, 'main.json');
    const uri = pathToFileURL(schema).href;
    const beside = new URL('more/old.json', uri).href;
    expect(await grammarSource({ schema })).toMatchObject({ uri, documents: { uris: [beside] } });
    expect(await grammarSource({ schema, schemas: folder })).toMatchObject({
      uri,
      documents: { uris: [beside, 'https://h/base.json'] },
    });
    const source = await schemaSource('{', undefined, { kind: 'compact' }, undefined);
    expect(source).toEqual({ schema: '{', layout: { kind: 'compact' }, documents: { uris: [], texts: [] } });
  });
});
