/**
 * A model that reads what follows the cursor, from its file to its answer: here one that was not taught to, so that ids, timings and
 * ends are looked at, not what it suggests.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { median } from '../../bench/statistics';
import { promptIds } from '../../bench/prompt_ids';
import { ask } from '../../core/completion/asking';
import { snapshotOfText } from '../../core/completion/document';
import type { EngineRequest } from '../../core/engine/engine_request';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { CompletionPipeline } from '../../core/completion/pipeline';
import { PromptWriter } from '../../core/completion/prompt_writer';
import type { FindSnippets } from '../../core/completion/snippets';
import { Engine } from '../../core/engine/engine';
import type { NativeCompletion, NativePrompt } from '../../core/engine/native_types';
import { FIM, LAYOUT, writeFimModel } from '../models/fim_model';
import { runProgram } from './cli_program';
import { ADDON, addon, codeOf, DEVICE, MODEL, sourceText, valueOf } from './embedded_model';

let folder = '';
let path = '';
let engine: Engine;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-fim-'));
  path = join(folder, 'fim.gguf');
  writeFimModel(path, MODEL);
  engine = await load(path);
});
afterAll(async () => {
  await engine.dispose();
  rmSync(folder, { recursive: true });
});

async function load(modelPath: string): Promise<Engine> {
  return valueOf(await Engine.load({ addonPath: ADDON, modelPath, device: DEVICE }));
}

function largest(values: Float32Array): number {
  return values.reduce((best, value, at) => (value > (values[best] ?? -Infinity) ? at : best), 0);
}

function documentOf(text: string, offset: number): ReturnType<typeof snapshotOfText> {
  return snapshotOfText({ uri: 'file:///a.py', path: 'a.py', languageId: 'python', text, offset });
}

const PARTS: NativePrompt = [
  FIM.suffix,
  '\nprint(add(1, 2))\n',
  FIM.prefix,
  '# a.py\ndef add(a, b):\n    return',
];

describe('a model that fills in the middle', () => {
  it('says so in its file', async () => {
    const { separator, suffix, prefix, middle } = FIM;
    expect(engine.info.fim).toEqual({ layout: LAYOUT, prefix, suffix, middle, separator });
    const { metadata } = valueOf(await addon.inspect(path));
    expect(metadata).toContainEqual({ key: 'tokenizer.ggml.fim_suf_token_id', type: 'u32', value: '8' });
    expect(metadata).toContainEqual({ key: 'emberline.fim.layout', type: 'string', value: `"${LAYOUT}"` });
  });

  it('is given the tokens of each part, and the marks as they are', async () => {
    const ids = await promptIds(engine, PARTS);
    const call = { prompt: PARTS, maxTokens: 1, singleLine: false, banBlankStart: false } as const;
    const made = valueOf(await engine.complete(call));
    expect(made.timings.promptTokens).toBe(ids.length);
    const logits = valueOf(await engine.logits(Uint32Array.from(ids)));
    expect(made.ids[0]).toBe(largest(logits));
    const again = valueOf(await engine.complete(call));
    expect(again.timings.reusedTokens).toBe(ids.length - 1);
  });

  it('is given no mark that a document spells', async () => {
    const text = '<issue_start>x<issue_comment><file_sep><issue_closed>';
    const prompt: NativePrompt = [FIM.suffix, text, FIM.prefix, text];
    const ids = await promptIds(engine, prompt);
    expect(ids.filter((id) => id < 17)).toEqual([FIM.suffix, FIM.prefix]);
    const { timings } = valueOf(await engine.complete({ prompt, maxTokens: 1 }));
    expect(timings.promptTokens).toBe(ids.length);
  });

  it.each([[[-1]], [[49_152]], [[2 ** 32]], [[1.5]], [['x', Number.NaN]], [[null]], [[['x']]], [{}]])(
    'refuses what is no prompt: %j',
    async (prompt) => {
      const call = { prompt: prompt as unknown as NativePrompt, maxTokens: 1 };
      expect(codeOf(await engine.complete(call))).toBe('INVALID_ARGUMENT');
    },
  );

  it('drafts by looking up in all parts, and writes the same', async () => {
    const list = `${'alpha, beta, gamma, delta, '.repeat(8)}alpha,`;
    const prompt: NativePrompt = [FIM.suffix, `${list}\n`, FIM.prefix, `words = [${list}`];
    const call = { prompt, maxTokens: 24, singleLine: false, banBlankStart: false } as const;
    const plain = valueOf(await engine.complete(call));
    const drafted = valueOf(await engine.complete({ ...call, drafting: { lookup: true, adaptive: false } }));
    expect(drafted.ids).toEqual(plain.ids);
    expect(drafted.drafting.accepted).toBeGreaterThan(0);
  });
});

describe('the end of the middle', () => {
  it('ends a text, and is none of it', async () => {
    const pieces: string[] = [];
    const sampling = {
      temperature: 0,
      topK: 0,
      topP: 1,
      minP: 0,
      repeatPenalty: 1,
      penaltyWindow: 0,
      seed: 0,
    };
    const request: EngineRequest = {
      prompt: PARTS,
      requiredPrefix: '',
      maxTokens: 200,
      sampling,
      drafting: { lookup: false, model: false },
      references: [],
    };
    const { signal } = new AbortController();
    const made = valueOf(await engine.generate(request, signal, (piece) => pieces.push(piece)));
    expect(made.stop).toBe('end_token');
    expect(made.ids.at(-1)).toBe(FIM.end);
    expect(made.text).not.toContain('<');
    expect(pieces.join('')).toBe(made.text);
  });

  it('counts as the end of the line, and may not come before anything visible', async () => {
    const prompt: NativePrompt = [FIM.suffix, 'y = 2\n', FIM.prefix, '# a.py\nimport os'];
    const made = valueOf(await engine.complete({ prompt, maxTokens: 4 }));
    expect(made.ids[0]).not.toBe(FIM.end);
    const logits = valueOf(await engine.logits(Uint32Array.from(await promptIds(engine, prompt))));
    const highest = Math.max(...logits);
    const odds = logits.map((logit) => Math.exp(logit - highest));
    const all = odds.reduce((sum, one) => sum + one, 0);
    const end = (odds[FIM.end] ?? 0) / all;
    expect(end).toBeGreaterThan(0.05);
    // It is as likely as the line break it looks like, and both count.
    expect(made.endProbability).toBeGreaterThan(1.99 * end);
  });

  it('says that a line is complete', async () => {
    const pipeline = new CompletionPipeline(engine, () => ({ ...DEFAULT_OPTIONS, promptTokens: 300 }));
    const text = 'import os\nimport sys\nprint(os.getcwd())\nprint(sys.argv)\n';
    const offset = text.indexOf('\nprint(sys');
    const outcome = await pipeline.complete({
      document: documentOf(text, offset),
      signal: new AbortController().signal,
    });
    expect(outcome).toMatchObject({ reason: 'line_complete', shown: false });
  });
});

describe('typing in a long file', () => {
  const lines = sourceText(300).split('\n');
  const above = `${lines.slice(0, 150).join('\n')}\n`;
  const below = `\n${lines.slice(150).join('\n')}`;
  const KEYS = 'def total(items):\n    sum = 0\n\n    for one in items:\n        sum += one\n';

  interface Key {
    readonly key: string;
    readonly computed: number;
    readonly prompt: NativePrompt;
    readonly made: NativeCompletion;
  }

  async function type(session: Engine, snippets?: FindSnippets): Promise<Key[]> {
    const writer = new PromptWriter(session);
    const all = { definitions: 'always', recentEdits: true } as const;
    const options = { ...DEFAULT_OPTIONS, ...all, promptTokens: 600, maxTokens: 1 };
    const keys: Key[] = [];
    let typed = '';
    for (const key of KEYS) {
      typed += key;
      let prompt: NativePrompt = '';
      const document = documentOf(above + typed + below, above.length + typed.length);
      const answer = await ask(writer, { document, options, snippets }, (request) => {
        prompt = request.prompt;
        return session.complete(request);
      });
      const made = valueOf(answer);
      keys.push({ key, computed: made.timings.promptTokens - made.timings.reusedTokens, prompt, made });
    }
    return keys;
  }

  it('reads the suffix once, and a few tokens a key', async () => {
    expect(KEYS.length).toBeGreaterThan(60);
    const [first, ...keys] = await type(engine);
    if (first === undefined) throw new Error('nothing was typed');
    expect(first.computed).toBeGreaterThan(400);
    expect(first.prompt[0]).toBe(FIM.suffix);
    expect(String(first.prompt[1])).toMatch(/^value_150 /);
    for (const { prompt } of keys) expect(prompt.slice(0, 3)).toEqual(first.prompt.slice(0, 3));
    expect(median(keys.map(({ computed }) => computed))).toBeLessThanOrEqual(8);
    const enters = keys.filter(({ key }) => key === '\n').map(({ computed }) => computed);
    expect(enters).toHaveLength(5);
    expect(Math.max(...enters)).toBeLessThanOrEqual(8);
    expect(Math.max(...keys.map(({ computed }) => computed))).toBeLessThan(64);
  });

  it('reads what stands beside the document once, whatever would be found with each key', async () => {
    let asked = 0;
    const snippets: FindSnippets = () => {
      asked++;
      return (['edit', 'similar', 'definition'] as const).map((kind) => ({
        kind,
        path: `${kind}.py`,
        languageId: 'python',
        text: `${kind}_${asked} = ${asked}\n`,
      }));
    };
    const [first, ...keys] = await type(engine, snippets);
    const front = Array.from(first?.prompt ?? []).slice(0, 9);
    expect(front.filter((part) => part === FIM.separator)).toHaveLength(3);
    expect(String(front[3])).toMatch(/^# definition\.py/);
    expect(String(front[7])).toMatch(/^# edit\.py/);
    for (const { prompt } of keys) expect(prompt.slice(0, 9)).toEqual(front);
    expect(median(keys.map(({ computed }) => computed))).toBeLessThanOrEqual(8);
    expect(Math.max(...keys.map(({ computed }) => computed))).toBeLessThan(64);
  });
});

describe('the terminal', () => {
  const CASE = {
    id: '1',
    path: 'a.py',
    prefix: 'def add(a, b):\n    return',
    suffix: '\n\nprint(add(1, 2))\n',
  };
  const SNIPPET = { path: 'b.py', text: 'from a import add\n' };

  it('completes cases with what follows the cursor and with pieces of other files', async () => {
    const cases = [CASE, { ...CASE, id: '2', suffix: '' }, { ...CASE, id: '3', snippets: [SNIPPET] }];
    writeFileSync(join(folder, 'cases.jsonl'), cases.map((one) => JSON.stringify(one)).join('\n'));
    const args = ['complete', '--cases', 'cases.jsonl', '--json', '--model', path, '--device', 'cpu'];
    const { status, stdout } = await runProgram(folder, args);
    expect(status).toBe(0);
    const tokens = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { timings: { prompt_tokens: number } }).timings.prompt_tokens);
    const prefix: NativePrompt = [FIM.prefix, '# a.py\ndef add(a, b):'];
    const suffix: NativePrompt = [FIM.suffix, '\nprint(add(1, 2))\n'];
    const other: NativePrompt = [FIM.separator, `# b.py\n${SNIPPET.text}`];
    const expected = [[...suffix, ...prefix], prefix, [...suffix, ...other, ...prefix]];
    expect(tokens).toEqual(
      await Promise.all(expected.map(async (one) => (await promptIds(engine, one)).length)),
    );
  });
});

describe('a file with the marks and another layout', () => {
  it('is asked as one without them', async () => {
    const other = join(folder, 'other.gguf');
    writeFimModel(other, MODEL, {
      'emberline.fim.layout': { type: 'string', value: 'middle_first' },
    });
    const session = await load(other);
    try {
      const { signal } = new AbortController();
      let prompt: NativePrompt = [];
      const place = { document: documentOf('x = 1\ny = \nz = 3\n', 10), options: DEFAULT_OPTIONS };
      await ask(new PromptWriter(session), place, (request) => {
        prompt = request.prompt;
        return session.complete(request, signal);
      });
      expect(session.info.fim?.layout).toBe('middle_first');
      expect(prompt).toBe('# a.py\nx = 1\ny =');
    } finally {
      await session.dispose();
    }
  });
});
