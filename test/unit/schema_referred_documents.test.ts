import { describe, expect, it } from 'vitest';
import { referredDocuments } from '../../core/schema/referred_documents';

async function documents(
  schema: unknown,
  uri: string | undefined,
  known: Readonly<Record<string, unknown>>,
): Promise<{ found: Record<string, unknown>; refersBack: boolean; asked: string[] }> {
  const asked: string[] = [];
  const { documents: given, refersBack } = await referredDocuments(schema, uri, (each) => {
    asked.push(each);
    const text = known[each];
    return Promise.resolve(text === undefined || typeof text === 'string' ? text : JSON.stringify(text));
  });
  const texts = given.texts.map((text) => JSON.parse(text) as unknown);
  return { found: Object.fromEntries(given.uris.map((each, i) => [each, texts[i]])), refersBack, asked };
}

const ref = (to: string): object => ({ $ref: to });

describe('the documents a schema refers to', () => {
  it('are those its references lead to, and theirs', async () => {
    const schema = { items: ref('b.json#/x'), allOf: [ref('#/y'), ref('http://h/c'), ref('none.json')] };
    const known = {
      'file:///w/b.json': { x: ref('./d/e.json') },
      'file:///w/d/e.json': ref('../b.json'),
      'http://h/c': { $id: 'http://h/i/', a: ref('f') },
      'http://h/i/f': true,
      'file:///w/other.json': {},
    };
    const { found, refersBack, asked } = await documents(schema, 'file:///w/a.json', known);
    expect(Object.keys(found).sort()).toEqual([
      'file:///w/b.json',
      'file:///w/d/e.json',
      'http://h/c',
      'http://h/i/f',
    ]);
    expect(refersBack).toBe(false);
    expect(asked).toContain('file:///w/none.json');
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('may refer back to the schema', async () => {
    const back = async (schema: object, known: object = {}): Promise<boolean> =>
      (await documents(schema, 'file:///w/a.json', { ...known })).refersBack;
    expect(await back(ref('#/x'))).toBe(false);
    expect(await back(ref('a.json#/x'))).toBe(true);
    expect(await back({ $id: 'http://h/a', ...ref('http://h/a#/x') })).toBe(true);
    expect(await back(ref('b.json'), { 'file:///w/b.json': ref('a.json') })).toBe(true);
  });

  it('lie beside the schema under the name it goes by', async () => {
    const schema = {
      $id: 'https://h/s/a.json',
      items: [ref('b.json'), ref('c'), ref('d.json'), ref('/e.json')],
    };
    const known = {
      'file:///w/b.json': { $id: 'https://www.h/s/b' },
      'file:///w/c.json': {},
      'file:///w/d.json': { $id: 'https://other/d.json' },
      'file:///w/e.json': {},
    };
    const www = { ...known, 'file:///w/b.json': { $id: 'http://www.h/s/b', items: ref('https://h/s/c') } };
    const { found } = await documents(schema, 'file:///w/a.json', www);
    expect(Object.keys(found)).toEqual(['https://h/s/b.json', 'https://h/s/c']);
    expect((await documents(schema, undefined, www)).found).toEqual({});
  });

  it('may have comments, and may be broken', async () => {
    const known = { 'file:///w/b.json': '{ /* b */ "type": "null", }' };
    const { found } = await documents(ref('b.json'), 'file:///w/a.json', known);
    expect(found).toEqual({ 'file:///w/b.json': { type: 'null' } });
    const broken = await referredDocuments(ref('b'), 'file:///a', () => Promise.resolve('{'));
    expect(broken.documents).toEqual({ uris: ['file:///b'], texts: ['{'] });
  });

  it('are bounded', async () => {
    const endless = await referredDocuments(ref('0'), 'file:///w/a', (uri) =>
      Promise.resolve(JSON.stringify(ref(String(Number(uri.slice('file:///w/'.length)) + 1)))),
    );
    expect(endless.documents.uris).toHaveLength(200);
  });
});
