import { describe, expect, it } from 'vitest';
import { fimLayout } from '../../core/completion/fim_layout';

const FIM = { layout: 'suffix_prefix_contiguous', suffix: 8, prefix: 9, separator: 5, middle: 11 };
const PREFIX = '# a.py\nx = ';

describe('the layout of a prompt', () => {
  it('puts what follows the cursor in front, and the prefix where the model goes on', () => {
    const layout = fimLayout(FIM);
    expect(layout?.({ prefix: PREFIX, suffix: 'y\n', snippets: [] })).toEqual([8, 'y\n', 9, PREFIX]);
    expect(layout?.({ prefix: PREFIX, suffix: 'y\n', snippets: ['# b.py\nb\n', '# c.py\nc\n'] })).toEqual([
      8,
      'y\n',
      5,
      '# b.py\nb\n',
      5,
      '# c.py\nc\n',
      9,
      PREFIX,
    ]);
  });

  it('leaves out what there is not', () => {
    const layout = fimLayout(FIM);
    expect(layout?.({ prefix: PREFIX, suffix: '', snippets: [] })).toEqual([9, PREFIX]);
    expect(layout?.({ prefix: PREFIX, suffix: '', snippets: ['b\n'] })).toEqual([5, 'b\n', 9, PREFIX]);
  });

  it.each([
    ['no tokens', undefined],
    ['no layout', { ...FIM, layout: '' }],
    ['an unknown layout', { ...FIM, layout: 'prefix_suffix_middle' }],
    ['no suffix token', { layout: FIM.layout, prefix: 9, separator: 5 }],
    ['no prefix token', { layout: FIM.layout, suffix: 8, separator: 5 }],
    ['no separator', { layout: FIM.layout, suffix: 8, prefix: 9 }],
  ])('is that of a model without: %s', (_, fim) => {
    expect(fimLayout(fim)).toBeUndefined();
  });
});
