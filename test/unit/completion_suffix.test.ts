import { describe, expect, it } from 'vitest';
import { MAX_AFTER } from '../../core/completion/document';
import { selectSuffix, type Suffix } from '../../core/completion/suffix';
import { estimateTokens } from '../../core/completion/token_estimate';

const line = (number: number): string => `value_${number} = compute(${number})\n`;
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => line(from + index)).join('');

/** What an editor has after the cursor: the rest of its line, and what is below, as far as a snapshot goes. */
const after = (below: string, right = ''): string => `${right}\n${below}`.slice(0, MAX_AFTER);

describe('a suffix', () => {
  it.each([
    ['begins at the next line', ')\n    y = 2\n', '    y = 2\n', true],
    ['keeps blank lines in front', '\n\n\ny = 2\n', '\n\ny = 2\n', true],
    ['ends where the document does', '\ny = 2', 'y = 2', true],
    ['is nothing at the end', ') + 1', '', true],
    ['is nothing where only blanks follow', '\n  \n\t\n', '', true],
    ['is whole lines', `\n${line(1)}${line(2)}${line(3)}`, line(1) + line(2), false],
    ['leaves out a line that is too long alone', `\n${'word '.repeat(200)}\nx\n`, '', false],
  ])('%s', (_, text, expected, whole) => {
    const budget = estimateTokens(line(1)) * 2.5;
    expect(selectSuffix(text, budget)).toEqual({ text: expected, whole });
  });

  it('does not end within a line that a snapshot cuts', () => {
    const long = after(
      'x'
        .repeat(50)
        .concat('\n')
        .repeat(MAX_AFTER / 50),
    );
    expect(long).toHaveLength(MAX_AFTER);
    const { text, whole } = selectSuffix(long, 100_000);
    expect(text).toMatch(/\n$/);
    expect(whole).toBe(false);
  });
});

describe('a remembered suffix', () => {
  const budget = 100;
  const below = lines(100, 300);
  const first = selectSuffix(after(below), budget);

  it('is as long as the budget allows', () => {
    expect(estimateTokens(first.text)).toBeLessThanOrEqual(budget);
    expect(estimateTokens(first.text)).toBeGreaterThan(budget - 2 * estimateTokens(line(100)));
    expect(below.startsWith(first.text)).toBe(true);
  });

  const again = (text: string, tokens = budget, memory: Suffix = first): Suffix =>
    selectSuffix(text, tokens, memory);

  it.each([0, 1, 2, 3, 4])('stays with %d lines between it and the cursor', (gap) => {
    expect(again(after(lines(0, gap) + below))).toBe(first);
    expect(again(after('\n'.repeat(gap) + below, ' rest of the line)'))).toBe(first);
  });

  it('moves when the cursor is more than a few lines above it', () => {
    expect(again(after(lines(0, 5) + below)).text).toBe(
      selectSuffix(after(lines(0, 5) + below), budget).text,
    );
  });

  it('moves when the cursor has passed its start', () => {
    const passed = again(after(lines(101, 300)));
    expect(passed.text.startsWith(line(101))).toBe(true);
  });

  it('moves when its text is changed, wherever it is', () => {
    const changed = below.replace(line(102), `${line(102)}# more\n`);
    expect(again(after(changed)).text).toContain('# more');
    expect(again(after(below.slice(1))).text.startsWith('alue')).toBe(true);
  });

  it('does not begin within a line', () => {
    expect(again(after(`x${below}`)).text.startsWith('xvalue_100')).toBe(true);
  });

  it('keeps its end while the budget moves a little, and is cut anew where it moves a lot', () => {
    for (const tokens of [70, 90, 130, 250]) expect(again(after(below), tokens)).toBe(first);
    expect(estimateTokens(again(after(below), 40).text)).toBeLessThanOrEqual(40);
    expect(estimateTokens(again(after(below), 400).text)).toBeGreaterThan(300);
  });

  it('that reached to the end of the document still does', () => {
    const end = selectSuffix(after('}\n'), budget);
    expect(end).toEqual({ text: '}\n', whole: true });
    expect(again(after('  }\n}\n'), budget, end)).toBe(end);
    expect(again(after('}\n}\n'), budget, end)).toBe(end);
    expect(again(after('}\nmore\n'), budget, end).text).toBe('}\nmore\n');
    expect(again(after('}\n'), 1_000, end)).toBe(end);
  });

  it('is looked for where there was none', () => {
    const none = selectSuffix('', budget);
    expect(again(after('x\n'), budget, none).text).toBe('x\n');
  });
});

describe('a suffix from the cursor on', () => {
  const budget = 100;
  const from = (text: string, memory?: Suffix): Suffix => selectSuffix(text, budget, memory, 'cursor');

  it('begins with the rest of the line', () => {
    expect(from(', b)\n    y = 2\n')).toEqual({ text: ', b)\n    y = 2\n', whole: true });
    expect(from('\n    y = 2\n')).toEqual({ text: '\n    y = 2\n', whole: true });
    expect(from(') + 1')).toEqual({ text: ') + 1', whole: true });
    expect(from('\n  \n')).toEqual({ text: '', whole: true });
  });

  it('stays where it is while it follows the cursor, and only then', () => {
    const below = lines(100, 300);
    const first = from(after(below, ')'));
    expect(from(after(below, ')'), first)).toBe(first);
    expect(from(after(below, '))'), first).text).toBe(`)${first.text}`.slice(0, first.text.length + 1));
    expect(from(after(below.slice(1), ')'), first)).not.toBe(first);
  });
});
