/** The families that are known by a model's name are those that the engine knows by tokens. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fimLayout } from '../../../core/completion/fim_layout';
import { FAMILIES, family, familyOf, fimOf, withoutControlTokens } from '../../../core/remote/families';
import { attemptsFor, promptTextOf } from '../../../core/remote/prompt_text';

const NATIVE = readFileSync(join(import.meta.dirname, '../../../native/tokenizer/fim_families.cpp'), 'utf8');

/** The rows of the engine's table: marks, layout, files. */
const ROWS = [...NATIVE.matchAll(/^ {4}\{("[^"]*",[^}]*)\}/gm)].map((row) =>
  (row[1] ?? '')
    .split(',')
    .map((cell) => cell.trim().replace(/^"|"$/g, ''))
    .slice(1),
);
const LAYOUTS = {
  kPrefixSuffixMiddle: 'prefix_suffix_middle',
  kSuffixPrefixMiddle: 'suffix_prefix_middle',
  kSuffixPrefix: 'suffix_prefix',
};
const FILES = { kPathBeforeMarks: 'path_before_marks', kPathInPrefix: 'path_in_prefix', '': '' };

const rowOf = (cells: readonly string[]): string =>
  [
    ...cells.slice(0, 5).map((mark) => mark.replaceAll('▁<', '<').trim()),
    LAYOUTS[cells[5] as keyof typeof LAYOUTS],
    FILES[(cells[6] ?? '') as keyof typeof FILES],
  ].join(' ');

describe('the families', () => {
  it('are those of the engine', () => {
    // The file of the embedded model says its layout itself.
    const own = FAMILIES.filter((name) => name !== 'emberline').map((name) => {
      const { marks, layout, files = '' } = family(name);
      return [...marks.map((mark) => mark.trim()), layout, files].join(' ');
    });
    expect(ROWS).toHaveLength(9);
    expect(own.toSorted()).toEqual(ROWS.map(rowOf).toSorted());
  });

  it.each([
    ['Qwen/Qwen2.5-Coder-7B', 'qwen'],
    ['qwen3-coder:30b', 'qwen'],
    ['bigcode/starcoder2-15b', 'starcoder2'],
    ['stabilityai/stable-code-3b', 'starcoder'],
    ['ibm-granite/granite-8b-code-base', 'starcoder'],
    ['ibm-granite/granite-4.0-h-small', 'qwen'],
    ['deepseek-ai/DeepSeek-Coder-V2-Lite-Base', 'deepseek'],
    ['codellama/CodeLlama-13b-hf', 'codellama'],
    ['google/codegemma-2b', 'codegemma'],
    ['mistralai/Codestral-22B-v0.1', 'codestral'],
    ['JetBrains/Mellum-4b-base', 'mellum'],
    ['ByteDance-Seed/Seed-Coder-8B-Base', 'seedcoder'],
    ['Emberline-135M.Q4_1.gguf', 'emberline'],
    ['meta-llama/Llama-3.1-8B', undefined],
    ['SmolLM2-1.7B', undefined],
  ])('%s is of %s', (model, name) => {
    expect(familyOf(model)).toBe(name);
  });

  it.each([
    ['qwen', '<|fim_prefix|># a.py\np\n<|fim_suffix|>s<|fim_middle|>'],
    ['codellama', '<PRE> # a.py\np\n <SUF>s <MID>'],
    ['codestral', '[SUFFIX]s[PREFIX]# a.py\np\n'],
    ['seedcoder', '<[fim-suffix]>s<[fim-prefix]># a.py\np\n<[fim-middle]>'],
    ['emberline', '<issue_start>s<issue_comment># a.py\np\n'],
  ] as const)(
    'lay out a prompt as %s was taught, the line break with the text before the cursor',
    (name, text) => {
      const layout = fimLayout(fimOf(family(name)));
      const prompt =
        layout?.write({ path: 'a.py', languageId: 'python', prefix: 'p', suffix: 's', snippets: [] }) ?? '';
      const [healed, cursor] = attemptsFor(prompt, '\n  x');
      expect(healed?.required).toBe('  x');
      expect(promptTextOf(healed?.parts ?? [], family(name))).toBe(text);
      expect(promptTextOf(cursor?.parts ?? [], family(name))).toBe(text.replace('p\n', 'p\n  x'));
    },
  );

  it('leave no mark in a text of a document', () => {
    for (const name of FAMILIES) {
      const { marks, ends } = family(name);
      for (const mark of [...marks, ...ends].map((one) => one.trim()).filter((one) => one !== ''))
        expect(withoutControlTokens(`x${mark}y`), mark).not.toContain(mark);
    }
    const code = 'if (a < b || c > d) { return <T>list[0]; } // <div> [x]';
    expect(withoutControlTokens(code)).toBe(code);
  });
});
