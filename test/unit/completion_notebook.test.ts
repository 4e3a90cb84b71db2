import { describe, expect, it } from 'vitest';
import { type Cell, textAbove, textBelow } from '../../core/completion/notebook';

/** A cell that gives no more than it is asked for, and notes how much that was. */
class FakeCell implements Cell {
  readonly asked: number[] = [];
  readonly text: string;
  readonly languageId: string;

  constructor(text: string, languageId = 'python') {
    this.text = text;
    this.languageId = languageId;
  }

  get prose(): boolean {
    return this.languageId === 'markdown';
  }

  readonly end = (least: number): string => {
    this.asked.push(least);
    return this.text.slice(-least);
  };

  readonly start = (least: number): string => {
    this.asked.push(least);
    return this.text.slice(0, least);
  };
}

const cell = (text: string, languageId?: string): FakeCell => new FakeCell(text, languageId);

describe('the text above a cell', () => {
  const above = (cells: readonly Cell[], languageId = 'python', most = 1_000): string =>
    textAbove(cells.toReversed(), languageId, most);

  it('is the code from above down, each with a blank line behind it', () => {
    expect(above([cell('import os'), cell('def f():\n    pass\n')])).toBe(
      'import os\n\ndef f():\n    pass\n\n',
    );
  });

  it('is nothing where there is nothing', () => {
    expect(above([])).toBe('');
    expect(above([cell(''), cell(' \n')])).toBe('');
  });

  it('has no code of other languages', () => {
    expect(above([cell('SELECT 1', 'sql'), cell('a = 1')])).toBe('a = 1\n\n');
  });

  it('has prose as comments, of which the last lines, cut', () => {
    expect(above([cell('# Sums\n\nAdd two numbers.', 'markdown'), cell('a = 1')])).toBe(
      '# # Sums\n# Add two numbers.\n\na = 1\n\n',
    );
    expect(above([cell('Über', 'markdown')], 'javascript')).toBe('// Über\n\n');
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n');
    expect(above([cell(lines, 'markdown')]).split('\n')).toEqual([
      ...Array.from({ length: 8 }, (_, at) => `# line ${at + 12}`),
      '',
      '',
    ]);
    const wide = above([cell(`${'x'.repeat(199)}😀 and more`, 'markdown')]);
    expect(wide).toBe(`# ${'x'.repeat(199)}\n\n`);
  });

  it('has no prose where the language has no comments', () => {
    expect(above([cell('Some prose.', 'markdown'), cell('some text', 'plaintext')], 'plaintext')).toBe(
      'some text\n\n',
    );
  });

  it('is prose as it stands for prose', () => {
    expect(above([cell('# Sums', 'markdown'), cell('a = 1')], 'markdown')).toBe('# Sums\n\n');
  });

  it('is bounded, and no more is read than that', () => {
    const far = cell('far');
    const cut = cell('abcdefghij');
    const near = cell('near');
    expect(above([far, cut, near], 'python', 10)).toBe('ij\n\nnear\n\n');
    expect(near.asked).toEqual([10]);
    expect(cut.asked).toEqual([4]);
    expect(far.asked).toEqual([]);
    expect(above([near], 'python', 0)).toBe('');
  });

  it.each(['json', 'jsonc'])('is nothing in %s, where each cell is a document', (languageId) => {
    expect(above([cell('{}', languageId)], languageId)).toBe('');
    expect(textBelow([cell('{}', languageId)], languageId, 100)).toBe('');
  });
});

describe('the text below a cell', () => {
  const below = (cells: readonly Cell[], most = 1_000): string => textBelow(cells, 'python', most);

  it('is the code alone, each behind a blank line', () => {
    const cells = [cell('a = 1'), cell('Prose.', 'markdown'), cell(' \n'), cell('b = 2\n')];
    expect(below(cells)).toBe('\n\na = 1\n\nb = 2\n');
    expect(below([])).toBe('');
  });

  it('is bounded, and no more is read than that', () => {
    const [near, cut, far] = [cell('near'), cell('abcdefghij'), cell('far')];
    expect(below([near, cut, far], 12)).toBe('\n\nnear\n\nabcd');
    expect(near.asked).toEqual([12]);
    expect(cut.asked).toEqual([6]);
    expect(far.asked).toEqual([]);
    expect(below([near], 0)).toBe('');
  });
});
