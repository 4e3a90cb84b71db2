/** Whatever is passed, every function of the addon returns: a value of the documented kind, or INVALID_ARGUMENT. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GREEDY, NO_DRAFTING } from '../../core/engine/engine_request';
import type { NativeGrammar } from '../../core/engine/native_grammar';
import type { NativeModel, NativeSession } from '../../core/engine/native_types';
import type { NativeResult } from '../../core/engine/native_result';
import { addon, codeOf, loadModel, MODEL, openSession, request, valueOf } from './embedded_model';

type AnyFunction = (this: unknown, ...values: unknown[]) => Promise<NativeResult<unknown>>;

let model: NativeModel;
let session: NativeSession;
let grammar: NativeGrammar;
beforeAll(async () => {
  model = await loadModel();
  grammar = valueOf(await addon.compileGrammar({ gbnf: 'root ::= [a-z]+' }));
  session = await openSession(model, 256);
});
afterAll(() => model.close());

const throws = (): never => {
  throw new Error('from a getter');
};
const HOSTILE: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a boolean', true],
  ['a symbol', Symbol('x')],
  ['a big integer', 10n],
  ['NaN', NaN],
  ['a function', () => 1],
  ['an array', []],
  ['a proxy that throws', new Proxy({}, { get: throws, has: throws, ownKeys: throws })],
  ['a revoked proxy', revoked()],
];

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const call = (fn: unknown, ...values: unknown[]): Promise<NativeResult<unknown>> =>
  (fn as AnyFunction)(...values);

/** `base` with `key` replaced by each value in turn; every call must be refused, in a sentence that names the key. */
async function refuses(
  run: (value: object) => Promise<NativeResult<unknown>>,
  base: object,
  key: string,
  values: readonly unknown[],
): Promise<void> {
  const getter = Object.defineProperty({ ...base }, key, { get: throws });
  const objects = [...values.map((value) => ({ ...base, [key]: value })), getter];
  for (const object of objects) {
    const result = await run(object);
    expect(codeOf(result)).toBe('INVALID_ARGUMENT');
    if (!result.ok) expect(result.error.message).toMatch(new RegExp(`'${key}'.*\\.$`));
  }
}

const NO_NUMBER = [undefined, null, '1', true, {}, [], NaN, Infinity, -Infinity, 10n];
const NO_INTEGER = [...NO_NUMBER, 1.5, 2 ** 53, -(2 ** 53), 1e300];
const NO_STRING = [undefined, null, 1, {}, [], Symbol('x'), new String('x')];
const NO_BOOLEAN = [undefined, null, 0, 'true', {}];

describe('hostile arguments', () => {
  it.each(HOSTILE)('%s in place of any argument', async (_, value) => {
    expect(codeOf(await call(addon.loadModel, value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(addon.checkModel, value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(addon.readBandwidth, value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(addon.inspect, value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(addon.compileGrammar, value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(grammar.check, value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(model.maskTimes, value, ''))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(model.maskTimes, grammar, value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(model.createSession, value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(model.tokenize, value, false))).toBe('INVALID_ARGUMENT');
    if (value !== true) expect(codeOf(await call(model.tokenize, 'x', value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(model.detokenize, value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(model.logits, value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(model.dispatches, value, false))).toBe('INVALID_ARGUMENT');
    if (value !== true) expect(codeOf(await call(model.dispatches, 1, value))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await call(session.complete, value))).toBe('INVALID_ARGUMENT');
    if (value !== undefined && typeof value !== 'function') {
      expect(codeOf(await call(session.complete, request('x'), value))).toBe('INVALID_ARGUMENT');
    }
    expect((session.cancel as (id: unknown) => unknown)(value)).toBeUndefined();
  });

  it('in each field of the options of a model', async () => {
    const run = (value: object): Promise<NativeResult<unknown>> => call(addon.loadModel, value);
    const base = { path: MODEL, threads: 0, device: 'auto' };
    await refuses(run, base, 'path', [...NO_STRING, '', 'a\0b', 'x'.repeat(40_000)]);
    await refuses(run, base, 'threads', [...NO_INTEGER, -1, 65]);
    await refuses(run, base, 'device', [...NO_STRING, '', 'gpu']);
    await refuses(run, base, 'isa', NO_STRING.slice(1));
    await refuses(run, base, 'draftOptional', NO_BOOLEAN.slice(1));
    for (const path of ['packedFolder', 'metalLibrary'])
      await refuses(run, base, path, [...NO_STRING.slice(1), '', 'a\0b', 'x'.repeat(40_000)]);
    for (const count of ['context', 'availableMemory'])
      await refuses(run, base, count, [...NO_INTEGER.slice(1), -1]);
    expect(codeOf(await run({ ...base, isa: 'pentium' }))).toBe('INVALID_ARGUMENT');
    const check = (value: object): Promise<NativeResult<unknown>> => call(addon.checkModel, value);
    await refuses(check, base, 'freed', [...NO_INTEGER.slice(1), -1]);
    await refuses(check, base, 'path', [...NO_STRING, '']);
  });

  it('in the options of a session', async () => {
    const run = (value: object): Promise<NativeResult<unknown>> => call(model.createSession, value);
    await refuses(run, { context: 64 }, 'context', [...NO_INTEGER, 15, 0, -1, 8_193]);
  });

  it('in each field of a request', async () => {
    const run = (value: object): Promise<NativeResult<unknown>> => call(session.complete, value);
    const base = request('x');
    await refuses(run, base, 'id', [...NO_INTEGER, -1]);
    const noPrompt = NO_STRING.filter((value) => !Array.isArray(value));
    const throwing = Object.defineProperty(['x'], 0, { get: throws });
    const noParts = [[undefined], [null], [{}], [['x']], [-1], [1.5], [2 ** 32], [Number.NaN], throwing];
    const half = 'x'.repeat(2 ** 19);
    const tooLong = ['x'.repeat(2 ** 20 + 1), [half, half, 'x'], Array.from({ length: 1_025 }, () => 1)];
    await refuses(run, base, 'prompt', [...noPrompt, ...noParts, ...tooLong]);
    for (const prompt of tooLong.slice(0, 2))
      expect(await run({ ...base, prompt })).toMatchObject({
        error: { message: "'prompt' may have at most 1048576 characters; shorten it." },
      });
    await refuses(run, base, 'requiredPrefix', NO_STRING);
    await refuses(run, base, 'parseSpecial', NO_BOOLEAN);
    await refuses(run, base, 'singleLine', NO_BOOLEAN);
    await refuses(run, base, 'banBlankStart', NO_BOOLEAN);
    await refuses(run, base, 'leastConfidence', [...NO_NUMBER, -0.1, 1.1]);
    await refuses(run, base, 'maxTokens', [...NO_INTEGER, 0, -1]);
    await refuses(run, base, 'sampling', [undefined, null, 1, 'x', () => 1]);
    const noIds = [undefined, null, 1, 'x', [1], {}, new Int32Array(1), new ArrayBuffer(4)];
    await refuses(run, base, 'lead', [...noIds, new Uint32Array(4_097)]);
    await refuses(run, base, 'barred', [...noIds, new Uint32Array(1_025)]);
    for (const key of ['lead', 'barred'])
      expect(codeOf(await run({ ...base, [key]: Uint32Array.of(49_152) }))).toBe('INVALID_ARGUMENT');
  });

  it('in each field of the sampling settings', async () => {
    const run = (sampling: object): Promise<NativeResult<unknown>> =>
      call(session.complete, { ...request('x'), sampling });
    await refuses(run, GREEDY, 'temperature', [...NO_NUMBER, 1e300]);
    await refuses(run, GREEDY, 'topP', NO_NUMBER);
    await refuses(run, GREEDY, 'minP', NO_NUMBER);
    await refuses(run, GREEDY, 'repeatPenalty', [...NO_NUMBER, 0, -1, 1e9]);
    await refuses(run, GREEDY, 'topK', [...NO_INTEGER, 2 ** 31]);
    await refuses(run, GREEDY, 'penaltyWindow', [...NO_INTEGER, -1]);
    await refuses(run, GREEDY, 'seed', [...NO_INTEGER, -1]);
  });

  it('in what is said of drafts', async () => {
    const run = (drafting: object): Promise<NativeResult<unknown>> =>
      call(session.complete, { ...request('x'), drafting });
    for (const flag of ['lookup', 'model', 'adaptive']) await refuses(run, NO_DRAFTING, flag, NO_BOOLEAN);
    await refuses(run, NO_DRAFTING, 'most', [...NO_INTEGER, 0, 16]);
    const whole = (value: object): Promise<NativeResult<unknown>> => call(session.complete, value);
    await refuses(whole, request('x'), 'drafting', [undefined, null, 1, 'x', () => 1]);
    await refuses(whole, request('x'), 'references', [
      undefined,
      null,
      'x',
      { length: 1, 0: 'x' },
      [1],
      ['x', null],
      new Array<string>(65).fill('x'),
      ['x'.repeat(2 ** 20 + 1)],
    ]);
    const trap = Object.defineProperty(['x'], 0, { get: throws });
    expect(codeOf(await whole({ ...request('x'), references: trap }))).toBe('INVALID_ARGUMENT');
  });

  it('in the source of a grammar', async () => {
    const run = (value: object): Promise<NativeResult<unknown>> => call(addon.compileGrammar, value);
    await refuses(run, { gbnf: '' }, 'gbnf', NO_STRING.slice(1));
    const layout = { kind: 'indented', unit: '  ', newline: '\n' };
    await refuses(run, { schema: '{}', layout }, 'schema', NO_STRING);
    await refuses(run, { schema: '{}', layout }, 'layout', [undefined, null, 1, 'compact', () => 1]);
    const inLayout = (value: object): Promise<NativeResult<unknown>> => run({ schema: '{}', layout: value });
    await refuses(inLayout, layout, 'kind', [...NO_STRING, '', 'wide']);
    await refuses(inLayout, layout, 'unit', [...NO_STRING, 'x', ' '.repeat(17)]);
    await refuses(inLayout, layout, 'newline', [...NO_STRING, '', '\r', '\n\n']);
    expect(codeOf(await inLayout(layout))).toBe('OK');
  });

  it('in the grammar of a request', async () => {
    const whole = (value: object): Promise<NativeResult<unknown>> => call(session.complete, value);
    await refuses(whole, request('x'), 'grammar', [null, 1, 'x', () => 1]);
    const run = (use: object): Promise<NativeResult<unknown>> => whole({ ...request('x'), grammar: use });
    const copies = [{ ...grammar }, new Proxy(grammar, {}), addon, model, new Map()];
    await refuses(run, { grammar, prefix: '' }, 'grammar', [undefined, null, 1, () => 1, ...copies]);
    await refuses(run, { grammar, prefix: '' }, 'prefix', NO_STRING);
    expect(codeOf(await run({ grammar, prefix: '' }))).toBe('OK');
  });

  it('among the ids', async () => {
    for (const ids of [new Int32Array(1), new Float32Array(1), new Uint8Array(4), [1], new ArrayBuffer(4)]) {
      expect(codeOf(await call(model.logits, ids))).toBe('INVALID_ARGUMENT');
      expect(codeOf(await call(model.detokenize, ids))).toBe('INVALID_ARGUMENT');
    }
    const detached = new Uint32Array([1, 2]);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    expect(codeOf(await model.logits(detached))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await model.logits(new Uint32Array(8_193)))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await model.logits(new Uint32Array([49_152])))).toBe('INVALID_ARGUMENT');
    expect(codeOf(await model.detokenize(new Uint32Array([0, 0xffff_ffff])))).toBe('INVALID_ARGUMENT');
  });

  it('does not depend on `this`, on surplus arguments or on Object.prototype', async () => {
    const { complete } = session;
    expect(codeOf(await call(complete, request('x'), undefined, 'surplus'))).toBe('OK');
    expect(codeOf(await model.tokenize.call(new Date(), 'x', false))).toBe('OK');
    expect(() => model.info.call(42)).not.toThrow();
    expect(codeOf(await call(session.fork.bind(new Date()), 'surplus'))).toBe('OK');
    const broken = { configurable: true, get: throws, set: throws };
    let result: object | undefined;
    Object.defineProperty(Object.prototype, 'value', broken);
    try {
      result = await model.tokenize('x', false);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'value');
    }
    expect(Object.keys(result)).toEqual(['ok', 'value']);
  });

  it('reads a getter before it looks at the session', async () => {
    const closing = await openSession(model, 64);
    let closed: Promise<void> | undefined;
    const tricky = {
      ...request('x'),
      get maxTokens() {
        closed = closing.close();
        return 4;
      },
    };
    expect(codeOf(await closing.complete(tricky))).toBe('SESSION_CLOSED');
    await closed;
  });

  it('cannot be constructed into something else', () => {
    const Constructed = model.info as unknown as new () => unknown;
    const attempt = (): unknown => new Constructed();
    expect([attempt, attempt].map((each) => typeof each())).toEqual(['object', 'object']);
  });
});
