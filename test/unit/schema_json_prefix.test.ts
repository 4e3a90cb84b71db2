import { describe, expect, it } from 'vitest';
import { canonicalNumber, canonicalString } from '../../core/schema/canonical';
import { type JsonPrefix, readPrefix, type Unread } from '../../core/schema/json_prefix';
import { readJson } from '../../core/schema/json_reader';
import { SeededRandom } from '../../bench/random';

/** Reads at the `|` of `text`. */
function at(text: string, unit = '  '): JsonPrefix | Unread {
  const offset = text.indexOf('|');
  return readPrefix({ before: text.slice(0, offset), after: text.slice(offset + 1), unit });
}

function read(text: string): JsonPrefix {
  const prefix = at(text);
  if (typeof prefix === 'string') throw new Error(`${JSON.stringify(text)}: ${prefix}`);
  // What the model reads and what it writes first is the text before the cursor.
  const { prompt, requiredPrefix } = prefix.healed;
  expect(prompt + requiredPrefix).toBe(text.slice(0, text.indexOf('|')));
  return prefix;
}

/** What the grammar reads, then what the model is made to write. */
const split = (text: string): readonly [string, string] => {
  const { text: prefix, healed } = read(text);
  return [prefix, healed.requiredPrefix];
};

describe('canonical JSON', () => {
  it('escapes what must be, in one way', () => {
    expect(canonicalString('a"b\\c/d\n\t\u0001é😀')).toBe('"a\\"b\\\\c/d\\n\\t\\u0001é😀"');
    expect(canonicalString('x\ud83d')).toBe('"x\ufffd"');
  });

  it('writes numbers out', () => {
    const spellings = [
      ...['0', '-0', '0.0', '1.50', '10', '1e3', '1.25e1', '125e-2', '1E-3', '-2.0e+1', '0.1e1', '12300e-2'],
    ];
    expect(spellings.map(canonicalNumber)).toEqual([
      ...['0', '0', '0', '1.5', '10', '1000', '12.5', '1.25', '0.001', '-20', '1', '123'],
    ]);
    expect(canonicalNumber('1e999')).toBe('1e999');
  });
});

describe('the text before the cursor', () => {
  it('is canonical and compact, as far as it is complete', () => {
    expect(
      split('{\n  // who\n  "name" : "\\u0061\\/b",\n  "n": 1.50e1,\n  "list": [1, 2,\n],\n  "v": |'),
    ).toEqual(['{"name":"a/b","n":15,"list":[1,2],"v":', ' ']);
  });

  it('has the model spell again what it may have to join', () => {
    expect(split('{\n  "na|')).toEqual(['{\n  "', 'na']);
    expect(split('{\n  |')).toEqual(['{', '\n  ']);
    expect(split('{\n  "a": 1,\n  |')).toEqual(['{"a":1,', '\n  ']);
    expect(split('{\n  "a": "|')).toEqual(['{"a":', ' "']);
    expect(split('{\n  "a": tr|')).toEqual(['{"a":', ' tr']);
    expect(split('{\n  "a": 1.2|')).toEqual(['{"a": 1.', '2']);
    expect(split('{\n  "a": "one two|')).toEqual(['{"a": "one', ' two']);
  });

  it('leaves whitespace that the layout does not have to the prompt', () => {
    expect(split('{\n\n  |')).toEqual(['{\n  ', '']);
    expect(split('{\n  "a":  "|')).toEqual(['{"a": ', '"']);
    expect(split('{\n  "a": 1, // one\n\n  "b|')).toEqual(['{"a":1,\n  "', 'b']);
  });

  it('keeps an unfinished escape as it is', () => {
    expect(split('{\n  "a": "x\\|')).toEqual(['{"a": "x\\', '']);
    expect(split('{\n  "a": "x\\/y\\u00|')).toEqual(['{"a": "x/y\\u', '00']);
    expect(split('{\n  "a": "x\\\\|')).toEqual(['{"a": "x\\\\', '']);
  });

  it('has the layout of the document', () => {
    const layout = (text: string): unknown => read(text).layout;
    expect(layout('{\n  "a": |')).toEqual({ kind: 'indented', unit: '  ', newline: '\n' });
    expect(layout('{\n\t"a": {\n\t\t"b": 1,\n\t\t|')).toEqual({
      kind: 'indented',
      unit: '\t',
      newline: '\n',
    });
    expect(layout('{\n    "a": [\n        {\n            "b": |')).toMatchObject({ unit: '    ' });
    expect(layout('{"a":|')).toEqual({ kind: 'free' });
    expect(layout('{ "a": 1, |')).toEqual({ kind: 'free' });
    expect(layout('{\n  "a":"|')).toEqual({ kind: 'free' });
    expect(layout('{\n  "a": { "b": |')).toEqual({ kind: 'free' });
    expect(layout('{\n  "a": {\n   "b": |')).toEqual({ kind: 'free' });
    expect(layout('{\n  "a": 1\n  |')).toEqual({ kind: 'free' });
    expect(layout('{\n  "a": [1, |')).toMatchObject({ kind: 'indented' });
    expect(layout('{\n  "a": [1,|')).toMatchObject({ kind: 'indented' });
    expect(layout('{\n  "a": ["x|')).toMatchObject({ kind: 'indented' });
    expect(layout('{\n  "a": [\n    1,\n    |')).toMatchObject({ kind: 'indented' });
    expect(layout('{\n  "a": [ 1,  |')).toMatchObject({ kind: 'indented' });
    expect(layout('{\n  "a": [{ "b": |')).toEqual({ kind: 'free' });
    expect(layout('{\n  "a": [|')).toEqual({ kind: 'free' });
    expect(layout('{|')).toEqual({ kind: 'free' });
  });

  it('says whether an array that is open has lines of its own', () => {
    expect(split('{\n  "a": [\n    1,\n    |')).toEqual(['{"a":[\n1,', '\n    ']);
    expect(split('{\n  "a": [\n    {\n      "b": |')[0]).toBe('{"a":[\n{"b":');
    expect(split('{\n  "a": [1, |')).toEqual(['{"a":[1,', ' ']);
    expect(split('{\n  "a": [[1,\n2], |')).toEqual(['{"a":[[1,2],', ' ']);
  });

  it('reads over single mistakes', () => {
    expect(split('{\n  "a": 1\n  "b": "|')[0]).toBe('{"a":1,"b":');
    expect(split('{\n  "a" 1,,\n  "b": "|')[0]).toBe('{"a":1,"b":');
    expect(split('{\n  "a": [1, 2},\n  "b": "|')[0]).toBe('{"a":[1,2],"b":');
    expect(split('{\n  "a": {"x": 1,},\n  "b": "|')[0]).toBe('{"a":{"x":1},"b":');
  });

  it('takes the last of two members with one key', () => {
    expect(split('{\n  "a": 1,\n  "b": 2,\n  "a": 3,\n  "c|')[0]).toBe('{"b":2,"a":3,\n  "');
    expect(split('{\n  "a": 1,\n  "b": 2,\n  "a": |')[0]).toBe('{"b":2,"a":');
  });

  it('is not read where it is no JSON', () => {
    for (const text of ['{ name: |', '<a>|', '{"a": 1}}|', '{]}]}]}]}|', 'x = |', '{"a": b, "c": |']) {
      expect(at(text), text).toBe('unreadable');
    }
    expect(at(`${'['.repeat(5_000)}|`)).toBe('unreadable');
  });

  it('is left alone within comments', () => {
    expect(at('{\n  // a|')).toBe('in_comment');
    expect(at('{\n  /* a\n b|')).toBe('in_comment');
    expect(split('{\n  /* a */ |')).toEqual(['{', ' ']);
  });

  it('knows the keys that stand behind the cursor', () => {
    expect(read('{\n  "a": 1,\n  |\n  "b": [2, 3],\n  "c": {}\n}\n').textWithMembersBehind).toBe(
      '{"b":[2,3],"c":{},"a":1,',
    );
    expect(read('{\n  "|"\n  "b": 2\n}').textWithMembersBehind).toBe('{"b":2,');
    expect(read('{\n  "na|": "x",\n  "b": 2\n}').textWithMembersBehind).toBe('{"b":2,\n  "');
    expect(read('{\n  "x": {\n    |\n  },\n  "b": 2\n}').textWithMembersBehind).toBeUndefined();
    expect(read('{\n  "a": 1,\n  |').textWithMembersBehind).toBeUndefined();
  });

  it('says whether something has to follow', () => {
    for (const text of ['{\n  "a|', '{\n  "a"|', '{\n  "a": |', '{\n  "a": "b|']) {
      expect(read(text).goesOn, text).toBe(true);
    }
    for (const text of ['{\n  "a": 1|', '{\n  "a": "b"|', '{|', '{\n  "a": 1,|']) {
      expect(read(text).goesOn, text).toBe(false);
    }
  });

  it('names the schema of the document, not one of a part', () => {
    expect(read('{\n  "$schema": "./a.json",\n  "b": {\n    "c|').schema).toBe('./a.json');
    expect(read('{\n  "b": {\n    "$schema": "./a.json",\n    "c|').schema).toBeUndefined();
  });

  it('is what a strict reader reads, at any place of any document', () => {
    const random = new SeededRandom(7);
    const value = (depth: number): unknown => {
      switch (random.below(depth > 3 ? 4 : 6)) {
        case 0:
          return random.below(2_000) / 8 - 100;
        case 1:
          return ['', 'plain', 'q"uote', 'back\\slash', 'tab\tline\n', 'é😀'][random.below(6)];
        case 2:
          return random.below(2) === 0;
        case 3:
          return null;
        case 4:
          return Array.from({ length: random.below(4) }, () => value(depth + 1));
        default:
          return Object.fromEntries(
            Array.from({ length: random.below(4) }, (_, i) => [`k${i}`, value(depth + 1)]),
          );
      }
    };
    let cuts = 0;
    let reads = 0;
    for (let round = 0; round < 200; round++) {
      const document = value(0);
      const text = JSON.stringify(document, null, [0, 2, '\t'][random.below(3)]);
      const reading = readJson(`${text}\n`);
      expect(reading?.open[0]?.items.map((item) => JSON.parse(item) as unknown)).toEqual([document]);
      // Cut anywhere, what was read and what was not begin the document.
      const cut = random.below(text.length);
      const prefix = readPrefix({ before: text.slice(0, cut), after: '', unit: '  ' });
      if (typeof prefix === 'string') throw new Error(`${JSON.stringify(text.slice(0, cut))}: ${prefix}`);
      cuts += text.slice(0, cut).replace(/\s/g, '').length;
      reads += (prefix.text + prefix.healed.requiredPrefix).replace(/\s/g, '').length;
      const blank = (json: string): string => JSON.stringify(json.replace(/\s/g, ''));
      const compact = JSON.stringify(document).replace(/\s/g, '');
      expect(
        compact.startsWith((prefix.text + prefix.healed.requiredPrefix).replace(/\s/g, '')),
        blank(text.slice(0, cut)),
      ).toBe(true);
    }
    expect(reads / cuts).toBeGreaterThan(0.9);
  });
});
