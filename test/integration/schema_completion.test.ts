/** Suggestions of the embedded model in JSON documents: through the whole pipeline, they are what the schema allows. */
import { parse, type ParseError } from 'jsonc-parser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { snapshotOfText } from '../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import type { CompletionOutcome } from '../../core/completion/outcome';
import { CompletionPipeline } from '../../core/completion/pipeline';
import { Engine } from '../../core/engine/engine';
import packageSchema from '../../core/schema/bundled/package.json';
import tsconfigSchema from '../../core/schema/bundled/tsconfig.json';
import { DocumentSchemas } from '../../core/schema/document_schemas';
import { ADDON, DEVICE, MODEL, valueOf } from './embedded_model';

let engine: Engine;
let pipeline: CompletionPipeline;
const files = new Map<string, string>();

beforeAll(async () => {
  engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL, device: DEVICE }));
  const schemas = new DocumentSchemas({
    enabled: () => true,
    associations: () => [],
    read: (uri) => Promise.resolve(files.get(uri)),
    compile: (source) => engine.compileGrammar(source),
  });
  const options = { ...DEFAULT_OPTIONS, leastCertainty: 0, promptTokens: 400 };
  pipeline = new CompletionPipeline(engine, () => options, undefined, schemas);
});
afterAll(() => engine.dispose());

interface Suggested {
  readonly outcome: CompletionOutcome;
  /** The document with the suggestion in it. */
  readonly text: string;
}

let asked = 0;

/** Suggests at the `|` of `text`. */
async function suggest(name: string, text: string): Promise<Suggested> {
  const offset = text.indexOf('|');
  const [before, after] = [text.slice(0, offset), text.slice(offset + 1)];
  // Nothing is remembered from one to the next.
  const folder = `/w${++asked}`;
  const source = {
    uri: `file://${folder}/${name}`,
    path: name,
    fullPath: `${folder}/${name}`,
    languageId: 'json',
  };
  const document = snapshotOfText({ ...source, text: before + after, offset });
  const { signal } = new AbortController();
  const outcome = await pipeline.complete({ document, signal, explicit: true });
  return { outcome, text: before + outcome.text + after.slice(outcome.replace) };
}

/** The keys and values of the whole document. */
function valueOfText(text: string): Record<string, unknown> {
  const errors: ParseError[] = [];
  const value = parse(text, errors) as Record<string, unknown>;
  expect(errors, text).toEqual([]);
  return value;
}

const PACKAGE_KEYS = Object.keys(packageSchema.properties);

describe('in package.json', () => {
  it.each([
    '{\n  "name": "lamp",\n  "|"\n}\n',
    '{\n  "name": "lamp",\n  "version": "1.0.0",\n  |\n}\n',
    '{\n  "name": "lamp",\n  "de|"\n}\n',
    '{\n\t"name": "lamp",\n\t"private": true,\n\t"|"\n}\n',
    '{\n  // mine\n  "name": "lamp",\n  "sc|',
    '{\n  |\n  "name": "lamp",\n  "version": "1.0.0"\n}\n',
    '{ "name": "lamp", "|" }',
  ])('offers keys that there are, and none twice: %s', async (text) => {
    const { outcome, text: result } = await suggest('package.json', text);
    expect(outcome.schema).toEqual({ use: 'bound', detail: 'package.json' });
    expect(outcome.reason, JSON.stringify(outcome.text)).toBe('shown');
    const line =
      /"([^"\n]*)"/.exec(result.slice(text.slice(0, text.indexOf('|')).search(/"?\w*$/)))?.[1] ?? '';
    expect(PACKAGE_KEYS, result).toContain(line);
    expect(result.match(new RegExp(`"${line}"\\s*:`, 'g'))?.length ?? 1, result).toBe(1);
  });

  it.each([
    ['{\n  "type": |\n}\n', 'type', ['module', 'commonjs']],
    ['{\n  "type": "|"\n}\n', 'type', ['module', 'commonjs']],
    ['{\n  "private": |,\n  "name": "x"\n}\n', 'private', [true, false]],
    ['{\n  "private": |\n  "name": "x"\n}\n', 'private', [true, false]],
    ['{"private":|}', 'private', [true, false]],
    ['{\n  "sideEffects": f|\n}\n', 'sideEffects', [false]],
  ] as const)('offers values that may be: %s', async (text, key, values) => {
    const { outcome, text: result } = await suggest('package.json', text);
    expect(outcome.schema?.use).toBe('bound');
    expect(values, result).toContain(valueOfText(result)[key]);
  });

  it('takes keys that the schema does not list where the document has them', async () => {
    const { outcome, text } = await suggest('package.json', '{\n  "jest": {},\n  "private": |\n}\n');
    expect(outcome.schema?.use).toBe('bound');
    expect([true, false]).toContain(valueOfText(text)['private']);
  });

  it('is as in any other text where the text does not follow the schema', async () => {
    const { outcome } = await suggest('package.json', '{\n  "private": "yes",\n  "name": |\n}\n');
    expect(outcome).toMatchObject({ source: 'model', schema: { use: 'rejected_text' } });
    const plain = await suggest('other.json', '{\n  "private": "yes",\n  "name": |\n}\n');
    expect(plain.outcome.schema?.use).toBe('no_schema');
    expect(plain.outcome.text).not.toBe('');
  });
});

describe('in tsconfig.json', () => {
  it('offers options and what they may be', async () => {
    const options = Object.keys(tsconfigSchema.properties.compilerOptions.properties);
    const { text } = await suggest(
      'tsconfig.json',
      '{\n  "compilerOptions": {\n    "strict": true,\n    "no|": true\n  }\n}\n',
    );
    const found = Object.keys(valueOfText(text)['compilerOptions'] as object);
    for (const key of found) expect(options, text).toContain(key);
    const module = await suggest('tsconfig.json', '{\n  "compilerOptions": {\n    "module": "|"\n  }\n}\n');
    const value = (valueOfText(module.text)['compilerOptions'] as { module: string }).module;
    expect(tsconfigSchema.properties.compilerOptions.properties.module.enum, module.text).toContain(value);
  });
});

describe('with a schema of its own', () => {
  it('follows that', async () => {
    files.set(
      'file:///schemas/colour.json',
      JSON.stringify({ properties: { colour: { enum: ['vermilion', 'ultramarine'] } } }),
    );
    const { outcome, text } = await suggest(
      'a.json',
      '{\n  "$schema": "file:///schemas/colour.json",\n  "colour": |\n}\n',
    );
    expect(outcome.schema).toMatchObject({ use: 'bound' });
    expect(['vermilion', 'ultramarine']).toContain(valueOfText(text)['colour']);
  });

  it('says which keyword cannot be enforced', async () => {
    files.set('file:///schemas/odd.json', JSON.stringify({ properties: { a: { pattern: '(a)\\1' } } }));
    const { outcome } = await suggest('a.json', '{\n  "$schema": "file:///schemas/odd.json",\n  "a": |\n}\n');
    expect(outcome.schema).toMatchObject({ use: 'unsupported_schema' });
    expect(outcome.schema?.detail).toContain('pattern');
  });
});
