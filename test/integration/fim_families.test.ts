/**
 * Files of the families that fill in the middle, which say nothing of it but by the names of their tokens: what the engine is given for a
 * place in a document. The models are stand-ins, which were taught nothing; their prompts are looked at, not what they suggest.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { promptIds } from '../../bench/prompt_ids';
import { ask } from '../../core/completion/asking';
import { snapshotOfText } from '../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { PromptWriter } from '../../core/completion/prompt_writer';
import { Engine } from '../../core/engine/engine';
import type { NativeCompletion, NativePrompt } from '../../core/engine/native_types';
import { FIM, type MarkNames, writeFamilyModel } from '../models/fim_model';
import { ADDON, DEVICE, MODEL, valueOf } from './embedded_model';

interface Family {
  readonly name: string;
  readonly preTokenizer: string;
  readonly marks: MarkNames;
  /** Of the document below, with a piece of another file. */
  readonly expected: NativePrompt;
}

const SNIPPET = { path: 'b.py', languageId: 'python', text: 'from a import add\n' };
const OTHER = `# b.py\n${SNIPPET.text}`;
const CODE = 'def add(a, b):\n    return';
const ABOVE = `# a.py\n${CODE}`;
const BELOW = '\n\nprint(add(1, 2))\n';
const { repository, separator, suffix, prefix, middle } = FIM;
const IN_REPOSITORY = [repository, 'shop\n', separator, `b.py\n${SNIPPET.text}`, separator];

const FAMILIES: readonly Family[] = [
  {
    name: 'Qwen2.5-Coder',
    preTokenizer: 'qwen2',
    marks: {
      prefix: '<|fim_prefix|>',
      suffix: '<|fim_suffix|>',
      middle: '<|fim_middle|>',
      separator: '<|file_sep|>',
      repository: '<|repo_name|>',
    },
    expected: [...IN_REPOSITORY, 'a.py\n', prefix, CODE, suffix, BELOW, middle],
  },
  {
    name: 'StarCoder2',
    preTokenizer: 'starcoder',
    marks: {
      prefix: '<fim_prefix>',
      suffix: '<fim_suffix>',
      middle: '<fim_middle>',
      separator: '<file_sep>',
      repository: '<repo_name>',
    },
    expected: [...IN_REPOSITORY, prefix, `a.py\n${CODE}`, suffix, BELOW, middle],
  },
  {
    name: 'Mellum',
    preTokenizer: 'mellum',
    marks: {
      prefix: '<fim_prefix>',
      suffix: '<fim_suffix>',
      middle: '<fim_middle>',
      separator: '<filename>',
    },
    expected: [...IN_REPOSITORY.slice(2), 'a.py\n', suffix, BELOW, prefix, CODE, middle],
  },
  {
    name: 'CodeGemma',
    preTokenizer: 'smollm',
    marks: {
      prefix: '<|fim_prefix|>',
      suffix: '<|fim_suffix|>',
      middle: '<|fim_middle|>',
      separator: '<|file_separator|>',
    },
    expected: [separator, OTHER, separator, prefix, ABOVE, suffix, BELOW, middle],
  },
  {
    name: 'DeepSeek-Coder',
    preTokenizer: 'smollm',
    marks: { prefix: '<｜fim▁begin｜>', suffix: '<｜fim▁hole｜>', middle: '<｜fim▁end｜>' },
    expected: [prefix, OTHER + ABOVE, suffix, BELOW, middle],
  },
  {
    name: 'Seed-Coder',
    preTokenizer: 'smollm',
    marks: { prefix: '<[fim-prefix]>', suffix: '<[fim-suffix]>', middle: '<[fim-middle]>' },
    expected: [suffix, BELOW, prefix, OTHER + ABOVE, middle],
  },
  {
    name: 'Codestral',
    preTokenizer: 'smollm',
    marks: { prefix: '[PREFIX]', suffix: '[SUFFIX]' },
    expected: [suffix, BELOW, prefix, OTHER + ABOVE],
  },
];

describe.each(FAMILIES)('a file of the family $name', ({ preTokenizer, marks, expected }) => {
  let folder = '';
  let engine: Engine;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'emberline-fim-'));
    const modelPath = join(folder, 'family.gguf');
    await writeFamilyModel(modelPath, MODEL, preTokenizer, marks);
    engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath, device: DEVICE }));
  });
  afterAll(async () => {
    await engine.dispose();
    rmSync(folder, { recursive: true });
  });

  async function asked(text: string): Promise<{ prompt: NativePrompt; made: NativeCompletion }> {
    const offset = text.indexOf('|');
    const document = snapshotOfText({
      uri: 'file:///a.py',
      path: 'a.py',
      languageId: 'python',
      text: text.replace('|', ''),
      offset,
    });
    let prompt: NativePrompt = '';
    const { signal } = new AbortController();
    const place = {
      document: { ...document, repository: 'shop' },
      options: DEFAULT_OPTIONS,
      snippets: () => [SNIPPET],
    };
    const answer = await ask(new PromptWriter(engine), place, (request) => {
      prompt = request.prompt;
      return engine.complete(request, signal);
    });
    return { prompt, made: valueOf(answer) };
  }

  it('is asked in the layout of its family, with the marks as they are', async () => {
    const { prompt, made } = await asked('def add(a, b):\n    return |\n\nprint(add(1, 2))\n');
    expect(prompt).toEqual(expected);
    expect(made.timings.promptTokens).toBe((await promptIds(engine, expected)).length);
  });

  it('is given no mark that a document spells', async () => {
    const names = Object.values(marks).join('');
    const { prompt } = await asked(`x = "${names}"\ny = |\nz = "${names}"\n`);
    const own = Object.values(FIM);
    const ids = await promptIds(engine, prompt);
    const count = (typeof prompt === 'string' ? [] : prompt).filter(
      (part) => typeof part === 'number',
    ).length;
    expect(ids.filter((id) => own.some((mark) => mark === id))).toHaveLength(count);
  });
});
