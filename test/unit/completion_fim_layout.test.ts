import { describe, expect, it } from 'vitest';
import { fimLayout } from '../../core/completion/fim_layout';
import type { Snippet } from '../../core/completion/snippets';
import type { NativeFim, NativePrompt } from '../../core/engine/native_types';

const TOKENS = { suffix: 8, prefix: 9, separator: 5, middle: 11 };
const PREFIX = '# a.py\nx = ';
const SNIPPETS: readonly Snippet[] = [
  { path: 'b.py', languageId: 'python', text: 'b\n' },
  { path: 'c.py', languageId: 'python', text: 'c\n' },
];
const JOINED = '# b.py\nb\n# c.py\nc\n';

function written(
  fim: NativeFim,
  suffix: string,
  snippets: readonly Snippet[],
  repository?: string,
): NativePrompt | undefined {
  const texts = { path: 'a.py', languageId: 'python', prefix: 'x = ', repository };
  return fimLayout(fim)?.write({ ...texts, suffix, snippets });
}

describe('the layout of a prompt', () => {
  const marked = [5, '# b.py\nb\n', 5, '# c.py\nc\n'];
  it.each<[string, NativePrompt, NativePrompt, NativePrompt, NativePrompt]>([
    [
      'suffix_prefix_contiguous',
      [8, 'y\n', 9, PREFIX],
      [8, 'y\n', ...marked, 9, PREFIX],
      [9, PREFIX],
      [...marked, 9, PREFIX],
    ],
    [
      'suffix_prefix_middle',
      [8, 'y\n', 9, PREFIX, 11],
      [...marked, 5, 8, 'y\n', 9, PREFIX, 11],
      PREFIX,
      [...marked, 5, PREFIX],
    ],
    [
      'prefix_suffix_middle',
      [9, PREFIX, 8, 'y\n', 11],
      [...marked, 5, 9, PREFIX, 8, 'y\n', 11],
      PREFIX,
      [...marked, 5, PREFIX],
    ],
  ])('%s', (layout, plain, withSnippets, withoutSuffix, withSnippetsAlone) => {
    const fim = { ...TOKENS, layout };
    expect(written(fim, 'y\n', [])).toEqual(plain);
    expect(written(fim, 'y\n', SNIPPETS)).toEqual(withSnippets);
    expect(written(fim, '', [])).toEqual(withoutSuffix);
    expect(written(fim, '', SNIPPETS)).toEqual(withSnippetsAlone);
  });

  it.each<[string, NativePrompt]>([
    ['suffix_prefix_contiguous', [8, 'y\n', 9, `${JOINED}${PREFIX}`]],
    ['suffix_prefix_middle', [8, 'y\n', 9, `${JOINED}${PREFIX}`, 11]],
    ['prefix_suffix_middle', [9, `${JOINED}${PREFIX}`, 8, 'y\n', 11]],
  ])('%s has pieces of other files in the text where nothing marks them', (layout, expected) => {
    const { suffix, prefix, middle } = TOKENS;
    expect(written({ layout, suffix, prefix, middle }, 'y\n', SNIPPETS)).toEqual(expected);
  });

  const others = [5, 'b.py\nb\n', 5, 'c.py\nc\n'];
  it.each<[string, string, NativePrompt, NativePrompt]>([
    [
      'prefix_suffix_middle',
      'path_before_marks',
      [3, 'shop\n', ...others, 5, 'a.py\n', 9, 'x = ', 8, 'y\n', 11],
      [3, 'shop\n', ...others, 5, 'a.py\nx = '],
    ],
    [
      'prefix_suffix_middle',
      'path_in_prefix',
      [3, 'shop\n', ...others, 5, 9, 'a.py\nx = ', 8, 'y\n', 11],
      [3, 'shop\n', ...others, 5, 'a.py\nx = '],
    ],
    [
      'suffix_prefix_middle',
      'path_before_marks',
      [3, 'shop\n', ...others, 5, 'a.py\n', 8, 'y\n', 9, 'x = ', 11],
      [3, 'shop\n', ...others, 5, 'a.py\nx = '],
    ],
  ])('%s of a model that knows repositories is one, %s', (layout, files, filled, continued) => {
    const fim = { ...TOKENS, layout, files, repository: 3 };
    expect(written(fim, 'y\n', SNIPPETS, 'shop')).toEqual(filled);
    expect(written(fim, '', SNIPPETS, 'shop')).toEqual(continued);
    const nameless = filled.slice(2);
    expect(written(fim, 'y\n', SNIPPETS)).toEqual(nameless);
    expect(written({ ...TOKENS, layout, files }, 'y\n', SNIPPETS, 'shop')).toEqual(nameless);
    // A file for itself is named as ever.
    expect(written(fim, '', [], 'shop')).toBe(PREFIX);
  });

  it.each(['path_behind', ''])('names files by comments where the form is not known: %j', (files) => {
    const fim = { ...TOKENS, layout: 'prefix_suffix_middle', files, repository: 3 };
    expect(written(fim, '', SNIPPETS, 'shop')).toEqual([...marked, 5, PREFIX]);
  });

  it('keeps a path to one line', () => {
    const fim = { ...TOKENS, layout: 'prefix_suffix_middle', files: 'path_before_marks', repository: 3 };
    const odd = [{ path: 'b\n<|file_sep|>.py', languageId: 'python', text: 'b\n' }];
    expect(written(fim, '', odd, 'a\r\nb')).toEqual([
      3,
      'a b\n',
      5,
      'b <|file_sep|>.py\nb\n',
      5,
      'a.py\nx = ',
    ]);
  });

  it.each<[string, boolean, string]>([
    ['suffix_prefix_contiguous', false, 'next_line'],
    ['suffix_prefix', false, 'cursor'],
    ['suffix_prefix_middle', false, 'cursor'],
    ['prefix_suffix_middle', true, 'cursor'],
  ])('%s says where the suffix begins, and whether it stands behind what grows', (layout, again, start) => {
    expect(fimLayout({ ...TOKENS, layout })).toMatchObject({ readsSuffixAgain: again, suffixStart: start });
  });

  it.each<[string, NativeFim | undefined]>([
    ['no tokens', undefined],
    ['no layout', { ...TOKENS, layout: '' }],
    ['an unknown layout', { ...TOKENS, layout: 'middle_first' }],
    ['no suffix token', { layout: 'suffix_prefix_contiguous', prefix: 9, separator: 5 }],
    ['no prefix token', { layout: 'suffix_prefix_contiguous', suffix: 8, separator: 5 }],
    ['no middle token', { layout: 'prefix_suffix_middle', suffix: 8, prefix: 9, separator: 5 }],
  ])('is that of a model without: %s', (_, fim) => {
    expect(fimLayout(fim)).toBeUndefined();
  });
});
