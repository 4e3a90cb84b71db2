/** Grammars through the addon: compiled without a model, followed by requests, held for as long as they are needed. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeGrammar, NativeGrammarSource } from '../../core/engine/native_grammar';
import type { NativeCompletionRequest, NativeModel, NativeSession } from '../../core/engine/native_types';
import type { NativeError } from '../../core/engine/native_result';
import { ADDON, addon, codeOf, loadModel, LONG, openSession, request, valueOf } from './embedded_model';

const PERSON = JSON.stringify({
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 12, pattern: '^[A-Z]' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    kind: { enum: ['human', 'robot'] },
  },
  required: ['name', 'age', 'kind'],
  additionalProperties: false,
});
const COMPACT = { kind: 'compact' } as const;
const INDENTED = { kind: 'indented', unit: '\t', newline: '\r\n' } as const;

let model: NativeModel;
let session: NativeSession;
beforeAll(async () => {
  model = await loadModel();
  session = await openSession(model, 512);
});
afterAll(() => model.close());

async function compile(source: NativeGrammarSource): Promise<NativeGrammar> {
  return valueOf(await addon.compileGrammar(source));
}

function following(
  grammar: NativeGrammar,
  changes: Partial<NativeCompletionRequest> & { readonly prefix?: string } = {},
): NativeCompletionRequest {
  const { prefix = '', ...others } = changes;
  return request('A person as JSON: ', {
    maxTokens: 80,
    singleLine: false,
    banBlankStart: false,
    grammar: { grammar, prefix },
    ...others,
  });
}

describe('a grammar', () => {
  it('is compiled without a model, and says what is wrong with it', async () => {
    const compiled = await compile({ gbnf: 'root ::= "a"' });
    expect(compiled.compileMs).toBeGreaterThan(0);
    expect(compiled.empty).toBe(false);
    const nothing = JSON.stringify({ type: 'string', minLength: 2, maxLength: 1 });
    expect((await compile({ schema: nothing, layout: COMPACT })).empty).toBe(true);
    const code = async (source: NativeGrammarSource): Promise<string> =>
      codeOf(await addon.compileGrammar(source));
    expect(await code({ gbnf: 'root ::= x' })).toBe('GRAMMAR_INVALID');
    expect(await code({ gbnf: `root ::= ${'('.repeat(1_000)}"a"${')'.repeat(1_000)}` })).toBe(
      'GRAMMAR_TOO_LARGE',
    );
    expect(await code({ schema: '{', layout: COMPACT })).toBe('GRAMMAR_INVALID');
    const backward = JSON.stringify({ type: 'string', pattern: '(a)\\1' });
    expect(await code({ schema: backward, layout: COMPACT })).toBe('GRAMMAR_UNSUPPORTED');
  });

  it('follows references to documents that come with the schema', async () => {
    const schema = JSON.stringify({ items: { $ref: 'item.json#/a' } });
    const documents = { uris: ['file:///w/item.json'], texts: ['{"a":{"type":"null"}}'] };
    const list = await compile({ schema, layout: COMPACT, uri: 'file:///w/list.json', documents });
    expect(valueOf(await list.check('[null]'))).toBe('accept');
    expect(valueOf(await list.check('[1]'))).toBe('reject');
    const { error } = (await addon.compileGrammar({ schema, layout: COMPACT })) as { error?: NativeError };
    expect(error).toMatchObject({ code: 'GRAMMAR_UNSUPPORTED' });
    expect(error?.message).toContain('/items/$ref: refers to item.json');
    const uneven = { uris: [], texts: ['1'] };
    expect(codeOf(await addon.compileGrammar({ schema, layout: COMPACT, documents: uneven }))).toBe(
      'INVALID_ARGUMENT',
    );
  });

  it('checks texts', async () => {
    const words = await compile({ gbnf: 'root ::= [a-zé]+ ("\\n" | "😀")' });
    expect(valueOf(await words.check('été😀'))).toBe('accept');
    expect(valueOf(await words.check('été'))).toBe('reject');
    for (const layout of [COMPACT, INDENTED, { kind: 'free' } as const]) {
      const person = await compile({ schema: PERSON, layout });
      expect(valueOf(await person.check('{"kind": "robot",\n "age": 3e0, "name": "R"}'))).toBe('accept');
      expect(valueOf(await person.check('{"kind":"robot","age":-3,"name":"R"}'))).toBe('reject');
      expect(codeOf(await person.check('{'))).toBe('INVALID_ARGUMENT');
    }
  });

  it('measures its masks', async () => {
    const person = await compile({ schema: PERSON, layout: COMPACT });
    const text = '{"kind":"robot","age":3,"name":"R"}';
    const ids = valueOf(await model.tokenize(text, false));
    const times = valueOf(await model.maskTimes(person, text));
    expect(times).toHaveLength(ids.length + 1);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
  });

  it('is done with once it is closed', async () => {
    const words = await compile({ gbnf: 'root ::= "a"' });
    const pending = words.check('a');
    const running = session.complete(following(words));
    words.close();
    expect(valueOf(await pending)).toBe('accept');
    expect(valueOf(await running).text).toBe('a');
    expect(codeOf(await words.check('a'))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await session.complete(following(words)))).toBe('INVALID_ARGUMENT');
    words.close();
  });
});

describe('a request with a grammar', () => {
  it.each([0, 1])('gives what conforms, temperature %d', async (temperature) => {
    for (const layout of [COMPACT, INDENTED]) {
      const person = await compile({ schema: PERSON, layout });
      const { sampling } = request('');
      const call = following(person, { sampling: { ...sampling, temperature, seed: 11 } });
      const { text, stop, grammarEnded } = valueOf(await session.complete(call));
      expect({ stop, grammarEnded }).toEqual({ stop: 'grammar', grammarEnded: true });
      const made = JSON.parse(text) as Record<string, unknown>;
      expect(Object.keys(made).sort()).toEqual(['age', 'kind', 'name']);
      expect(valueOf(await person.check(text))).toBe('accept');
      if (layout === INDENTED) expect(text).toBe(JSON.stringify(made, null, '\t').replaceAll('\n', '\r\n'));
    }
  });

  it('gives the same ids with drafts', async () => {
    const person = await compile({ schema: PERSON, layout: INDENTED });
    const plain = valueOf(await session.complete(following(person)));
    const { drafting } = request('');
    const drafted = valueOf(
      await session.complete(
        following(person, {
          drafting: { ...drafting, lookup: true, adaptive: false },
          references: [plain.text],
        }),
      ),
    );
    expect(drafted.ids).toEqual(plain.ids);
    expect(drafted.drafting.accepted).toBeGreaterThan(0);
  });

  it('goes on behind what is written', async () => {
    const person = await compile({ schema: PERSON, layout: COMPACT });
    const written = '{"age":7,"kind":';
    const call = following(person, { prefix: written, requiredPrefix: '"ro' });
    const { text } = valueOf(await session.complete({ ...call, prompt: written }));
    expect(JSON.parse(`${written}"ro${text}`)).toMatchObject({ age: 7, kind: 'robot' });
    const code = async (prefix: string): Promise<string> =>
      codeOf(await session.complete(following(person, { prefix })));
    expect(await code('{"age":7,"age"')).toBe('GRAMMAR_REJECTS_PREFIX');
    expect(await code('{"colour"')).toBe('GRAMMAR_REJECTS_PREFIX');
  });

  it('says when the text was cut', async () => {
    const person = await compile({ schema: PERSON, layout: COMPACT });
    const cut = valueOf(await session.complete(following(person, { maxTokens: 3 })));
    expect(cut).toMatchObject({ stop: 'max_tokens', grammarEnded: false });
    const free = valueOf(await session.complete(request('x')));
    expect(free.grammarEnded).toBe(false);
  });

  it('can be cancelled', async () => {
    const letters = await compile({ gbnf: 'root ::= [a-z ]{100000}' });
    const call = following(letters, LONG);
    const answer = session.complete(call, () => session.cancel(call.id));
    expect(valueOf(await answer)).toMatchObject({ stop: 'cancelled', grammarEnded: false });
  });

  it('leaves other sessions alone', async () => {
    const person = await compile({ schema: PERSON, layout: COMPACT });
    const other = valueOf(await session.fork());
    const free = (): NativeCompletionRequest => request('def add(a, b):\n    return', { maxTokens: 6 });
    const alone = valueOf(await other.complete(free()));
    const [constrained, beside] = await Promise.all([
      session.complete(following(person)),
      other.complete(free()),
    ]);
    expect(valueOf(constrained).stop).toBe('grammar');
    expect(valueOf(beside).ids).toEqual(alone.ids);
    await other.close();
  });
});

describe('the memory of grammars', () => {
  it('goes with their objects', async () => {
    // Allocators keep some memory for later, more or less of it as luck has it: what grows is compared with what
    // grows where every grammar is held.
    const source = `
      const [addonPath, hold] = process.argv.slice(1);
      const addon = require(addonPath);
      const schema = JSON.stringify({ enum: Array.from({ length: 12000 }, (_, i) => 'value ' + i * 7919) });
      const held = [];
      (async () => {
        const round = async () => {
          for (let i = 0; i < 25; i++) {
            const compiled = await addon.compileGrammar({ schema, layout: { kind: 'compact' } });
            if (!compiled.ok) process.exit(1);
            if (hold === 'hold') held.push(compiled);
          }
          for (let i = 0; i < 4; i++) { global.gc(); await new Promise(setImmediate); }
          return process.memoryUsage().rss / 2 ** 20;
        };
        await round();
        const before = await round();
        for (let i = 0; i < 4; i++) await round();
        console.log(Math.round((await round()) - before));
      })();`;
    const grown = async (hold: 'hold' | 'drop') => {
      const { stdout } = await promisify(execFile)(process.execPath, [
        '--expose-gc',
        '-e',
        source,
        ADDON,
        hold,
      ]);
      return Number(stdout);
    };
    const held = await grown('hold');
    expect(held).toBeGreaterThan(50);
    expect(await grown('drop')).toBeLessThan(held / 2);
  });
});
