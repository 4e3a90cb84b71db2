import { describe, expect, it } from 'vitest';
import { type DocumentSnapshot, snapshotOfText } from '../../core/completion/document';
import type { CompletionEngine } from '../../core/completion/engine_port';
import type { EngineAnswer, EngineRequest } from '../../core/engine/engine_request';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import type { CompletionOutcome } from '../../core/completion/outcome';
import { CompletionPipeline } from '../../core/completion/pipeline';
import type { SchemaUse } from '../../core/completion/schema_use';
import type { NativeGrammar, NativeGrammarSource } from '../../core/engine/native_grammar';
import { NO_COMPLETION } from '../../core/engine/native_types';
import type { NativeError, NativeResult } from '../../core/engine/native_result';
import { DocumentSchemas } from '../../core/schema/document_schemas';
import type { SchemaAssociation } from '../../core/schema/schema_place';
import { asOneToken } from './made_up_tokens';

interface Compiled extends NativeGrammar {
  readonly source: NativeGrammarSource;
}

/** A grammar is known by its source. */
class FakeEngine implements CompletionEngine {
  readonly state = 'ready';
  readonly speed = { prefillTokensPerSecond: undefined };
  readonly requests: EngineRequest[] = [];
  readonly compiled: Compiled[] = [];
  closed = 0;
  says = '"value"';
  confidence = 0.9;
  tokens = 1;
  refuses: NativeError | undefined;
  /** To which schemas nothing conforms. */
  empty: (source: NativeGrammarSource) => boolean = () => false;
  /** Which requests the grammar rejects, and with what. */
  rejects: (request: EngineRequest) => NativeError['code'] | undefined = () => undefined;

  compile = (source: NativeGrammarSource): Promise<NativeResult<NativeGrammar>> => {
    if (this.refuses !== undefined) return Promise.resolve({ ok: false, error: this.refuses });
    const grammar: Compiled = {
      source,
      compileMs: 0,
      empty: this.empty(source),
      check: () => Promise.resolve({ ok: true, value: 'accept' }),
      close: () => this.closed++,
    };
    this.compiled.push(grammar);
    return Promise.resolve({ ok: true, value: grammar });
  };

  complete(request: EngineRequest): Promise<EngineAnswer> {
    this.requests.push(request);
    const code = request.grammar === undefined ? undefined : this.rejects(request);
    if (code !== undefined) return Promise.resolve({ ok: false, error: { code, message: 'No.' } });
    const value = {
      ...NO_COMPLETION,
      text: this.says,
      stop: 'line_end',
      ids: new Uint32Array(this.tokens),
      ...asOneToken(this.says, this.confidence),
      endProbability: 0.9,
    } as const;
    return Promise.resolve({ ok: true, value });
  }
}

interface Bench {
  readonly engine: FakeEngine;
  readonly at: (text: string, changes?: Partial<DocumentSnapshot>) => Promise<CompletionOutcome>;
  readonly schemas: DocumentSchemas;
}

function bench(
  options: {
    files?: Readonly<Record<string, string>>;
    associations?: SchemaAssociation[];
    enabled?: boolean;
  } = {},
): Bench {
  const engine = new FakeEngine();
  const { files = {}, associations = [], enabled = true } = options;
  const schemas = new DocumentSchemas({
    enabled: () => enabled,
    associations: () => associations,
    read: (uri) => Promise.resolve(files[uri]),
    compile: engine.compile,
  });
  const pipeline = new CompletionPipeline(engine, () => DEFAULT_OPTIONS, undefined, schemas);
  return {
    engine,
    schemas,
    at(text, changes = {}) {
      const offset = text.indexOf('|');
      const plain = text.slice(0, offset) + text.slice(offset + 1);
      const source = { uri: 'file:///w/package.json', path: 'package.json', fullPath: '/w/package.json' };
      const document = snapshotOfText({ ...source, languageId: 'json', text: plain, offset });
      pipeline.reset();
      return pipeline.complete({
        document: { ...document, ...changes },
        signal: new AbortController().signal,
      });
    },
  };
}

const useOf = (outcome: CompletionOutcome): SchemaUse | undefined => outcome.schema?.use;

function schemaOf(request: EngineRequest | undefined): {
  properties?: object;
  additionalProperties?: unknown;
} {
  const compiled = request?.grammar?.grammar as Compiled | undefined;
  if (compiled === undefined || !('schema' in compiled.source)) throw new Error('no schema');
  return JSON.parse(compiled.source.schema) as object;
}

describe('a suggestion in JSON', () => {
  it('follows the schema from the cursor on', async () => {
    const { engine, at } = bench();
    const outcome = await at('{\n  "name": "a", // mine\n  "version": |\n}\n');
    expect(outcome).toMatchObject({
      text: '"value"',
      shown: true,
      schema: { use: 'bound', detail: 'package.json' },
    });
    expect(engine.requests).toHaveLength(1);
    expect(engine.requests[0]).toMatchObject({
      prompt: 'package.json\n{\n  "name": "a", // mine\n  "version":',
      requiredPrefix: ' ',
      grammar: { prefix: '{"name":"a","version":' },
    });
    expect(schemaOf(engine.requests[0]).additionalProperties).toBe(false);
  });

  it.each([
    ['one that would be too many', '{\n  "a": [\n    |\n  ]\n}', '"b",', '"b"'],
    ['one that is missing', '{\n  |\n  "b": 1\n}', '"a": 2', '"a": 2,'],
    ['the one that belongs there', '{\n  |\n  "b": 1\n}', '"a": 2,', '"a": 2,'],
    ['none', '{\n  "a": 1 // |\n  "b": 1\n}', 'see "c"', 'see "c"'],
  ])('has the comma that belongs there without a schema, too: %s', async (_, text, says, shown) => {
    const { engine, at } = bench();
    engine.says = says;
    const other = { fullPath: '/w/other.json' };
    expect(await at(text, other)).toMatchObject({ text: shown, shown: true });
    expect(engine.compiled).toEqual([]);
  });

  it('is not shown where the model is unsure of it', async () => {
    const { engine, at } = bench();
    engine.confidence = 0.005;
    expect(await at('{\n  "version": |')).toMatchObject({ shown: false, reason: 'low_confidence' });
  });

  it('is rated by the mean of its tokens, so that a long value does not hide its key', async () => {
    const { engine, at } = bench();
    engine.confidence = 1e-6;
    engine.tokens = 12;
    const outcome = await at('{\n  "version": |');
    expect(outcome.shown).toBe(true);
    expect(outcome.confidence).toBeCloseTo(10 ** -0.5, 12);
  });

  it('compiles a schema once for a layout', async () => {
    const { engine, at } = bench();
    await at('{\n  "name": |');
    await at('{\n  "version": |');
    expect(engine.compiled).toHaveLength(1);
    await at('{\n\t"version": |');
    expect(engine.compiled).toHaveLength(2);
  });

  it('lets go of grammars that are long unused', async () => {
    const { engine, at, schemas } = bench();
    for (let width = 1; width <= 16; width++) await at(`{\n${' '.repeat(width)}"name": |`);
    expect(engine.compiled).toHaveLength(16);
    expect(engine.closed).toBe(4);
    schemas.dispose();
    await Promise.resolve();
    expect(engine.closed).toBe(16);
  });

  it('takes keys that the document has, then any that the schema takes, where nothing less fits', async () => {
    const { engine, at } = bench();
    engine.rejects = () => 'GRAMMAR_REJECTS_PREFIX';
    const outcome = await at('{\n  "jest": {},\n  "version": |\n  "name": "a"\n}');
    expect(outcome).toMatchObject({ shown: true, source: 'model', schema: { use: 'rejected_text' } });
    const prefixes = engine.requests.map(({ grammar }) => grammar?.prefix);
    const whole = '{"name":"a","jest":{},"version":';
    expect(prefixes).toEqual([whole, whole, whole, '{"jest":{},"version":', undefined]);
    const schemas = engine.requests.slice(0, 4).map((request) => schemaOf(request));
    expect(schemas.map(({ additionalProperties }) => additionalProperties)).toEqual([
      false,
      false,
      undefined,
      undefined,
    ]);
    expect(schemas[1]).toMatchObject({ patternProperties: { '^(?:jest)$': true } });
    // The plain request is as without schemas.
    expect(engine.requests[4]).toMatchObject({ requiredPrefix: ' ' });
  });

  it('is made without a schema that nothing conforms to', async () => {
    const { engine, at } = bench();
    engine.empty = (source) =>
      !('schema' in source && source.schema.includes('"additionalProperties":false'));
    engine.rejects = () => 'GRAMMAR_REJECTS_PREFIX';
    const outcome = await at('{\n  "version": |\n}');
    expect(outcome).toMatchObject({ shown: true, schema: { use: 'empty_schema' } });
    expect(engine.requests.map(({ grammar }) => grammar !== undefined)).toEqual([true, true, false]);
  });

  it('has the comma that what follows needs', async () => {
    const { at } = bench();
    expect(await at('{\n  "version": |\n  "name": "a"\n}')).toMatchObject({ text: '"value",' });
  });

  it('ends where the schema has the line end, not where something has to follow', async () => {
    const { engine, at } = bench();
    engine.says = 'a"';
    expect(await at('{\n  "name": "x|')).toMatchObject({ shown: true });
    expect(await at('{\n  "name": "x"|')).toMatchObject({ reason: 'line_complete' });
    engine.says = '\n  "version';
    expect(await at('{\n  "name": "x",|')).toMatchObject({
      reason: 'line_complete',
      schema: { use: 'bound' },
    });
  });

  it('is made as in any other text, and says so, where there is no schema to follow', async () => {
    const plain = '{\n  "version": |';
    expect(useOf(await bench().at(plain, { fullPath: '/w/other.json' }))).toBe('no_schema');
    expect(useOf(await bench({ enabled: false }).at(plain))).toBe('off');
    expect(useOf(await bench().at(plain, { languageId: 'yaml' }))).toBe('yaml');
    expect(useOf(await bench().at(plain, { front: undefined }))).toBe('too_large');
    expect((await bench().at(plain, { languageId: 'python' })).schema).toBeUndefined();
    expect(useOf(await bench().at('{\n  // |'))).toBe('in_comment');
    expect(useOf(await bench().at('{\n  version: |'))).toBe('unreadable_text');
    expect(useOf(await bench().at('{\n  "$schema": "https://example.com/a",\n  "b": |'))).toBe('not_local');
    expect(useOf(await bench().at('{\n  "$schema": "./a.json",\n  "b": |'))).toBe('unreadable_schema');
    for (const outcome of [await bench().at('{\n  // |'), await bench({ enabled: false }).at(plain)]) {
      expect(outcome).toMatchObject({ source: 'model', shown: true });
    }
  });

  it('names what of a schema cannot be enforced, and asks no second time', async () => {
    const { engine, at } = bench();
    const message = '/properties/a/format: "iri" is not enforced.';
    engine.refuses = { code: 'GRAMMAR_UNSUPPORTED', message };
    const outcome = await at('{\n  "version": |');
    expect(outcome).toMatchObject({ shown: true, schema: { use: 'unsupported_schema' } });
    expect(outcome.schema?.detail).toContain(message);
    expect(engine.requests).toHaveLength(1);
    engine.refuses = { code: 'GRAMMAR_TOO_LARGE', message: 'Too large.' };
    expect(useOf(await bench().at('{\n  "version": |'))).toBe('bound');
  });

  it('does not take an engine that was away for a word about the schema', async () => {
    const { engine, at } = bench();
    engine.refuses = { code: 'MODEL_CLOSED', message: 'Closed.' };
    await at('{\n  "version": |');
    engine.refuses = undefined;
    expect(useOf(await at('{\n  "version": |'))).toBe('bound');
  });

  it('reads a schema from the file that the document names, and again when it changes', async () => {
    const files: Record<string, string> = {
      'file:///w/a.json': '{ "properties": { "b": { "type": "string" } } }',
    };
    const { engine, at, schemas } = bench({ files });
    const text = '{\n  "$schema": "./a.json",\n  "b": |';
    expect(await at(text)).toMatchObject({ schema: { use: 'bound', detail: 'file:///w/a.json' } });
    files['file:///w/a.json'] = '{ "properties": { "c": true } }';
    await at(text);
    expect(schemaOf(engine.requests.at(-1)).properties).toEqual({ b: { type: 'string' } });
    schemas.forget();
    await at(text);
    expect(schemaOf(engine.requests.at(-1)).properties).toEqual({ c: true });
  });

  it('reads long documents from their start', async () => {
    const { engine, at } = bench();
    const filler = Array.from({ length: 3_000 }, (_, i) => `    "package-${i}": "^1.${i}.0",\n`).join('');
    await at(`{\n  "dependencies": {\n${filler}    "last": |`);
    expect(engine.requests[0]?.grammar?.prefix).toMatch(/^\{"dependencies":\{"package-0":"\^1\.0\.0",/);
    expect(engine.requests[0]?.grammar?.prefix.length).toBeGreaterThan(60_000);
  });
});
