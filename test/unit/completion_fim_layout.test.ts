import { describe, expect, it } from 'vitest';
import { fimLayout } from '../../core/completion/fim_layout';
import type { NativeFim, NativePrompt } from '../../core/engine/native_types';

const TOKENS = { suffix: 8, prefix: 9, separator: 5, middle: 11 };
const PREFIX = '# a.py\nx = ';
const SNIPPETS = ['# b.py\nb\n', '# c.py\nc\n'];

function written(fim: NativeFim, suffix: string, snippets: readonly string[]): NativePrompt | undefined {
  return fimLayout(fim)?.write({ prefix: PREFIX, suffix, snippets });
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
    ['suffix_prefix_contiguous', [8, 'y\n', 9, `${SNIPPETS.join('')}${PREFIX}`]],
    ['suffix_prefix_middle', [8, 'y\n', 9, `${SNIPPETS.join('')}${PREFIX}`, 11]],
    ['prefix_suffix_middle', [9, `${SNIPPETS.join('')}${PREFIX}`, 8, 'y\n', 11]],
  ])('%s has pieces of other files in the text where nothing marks them', (layout, expected) => {
    const { suffix, prefix, middle } = TOKENS;
    expect(written({ layout, suffix, prefix, middle }, 'y\n', SNIPPETS)).toEqual(expected);
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
