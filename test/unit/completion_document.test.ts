import { describe, expect, it } from 'vitest';
import {
  lineAfter,
  lineBefore,
  MAX_AFTER,
  MAX_BEFORE,
  offsetAt,
  snapshotOfText,
} from '../../core/completion/document';

const of = (text: string, offset: number): ReturnType<typeof snapshotOfText> =>
  snapshotOfText({ uri: 'u', path: 'p', languageId: 'plaintext', text, offset });

describe('a document snapshot', () => {
  it('reads every kind of line break as one', () => {
    const document = of('a\r\nb\rc\nd', 6);
    expect(document.before + document.after).toBe('a\nb\nc\nd');
    expect(lineBefore(document)).toBe('c');
    expect(lineAfter(document)).toBe('');
  });

  it('is bounded', () => {
    const document = of('x'.repeat(10_000_000), 5_000_000);
    expect(document.before).toHaveLength(MAX_BEFORE);
    expect(document.after).toHaveLength(MAX_AFTER);
    expect(document.lineLength).toBe(10_000_000);
  });

  it('is as long with line breaks of two units', () => {
    const document = of('\r\n'.repeat(100_000), 100_000);
    expect(document.before).toBe('\n'.repeat(MAX_BEFORE));
    expect(document.after).toBe('\n'.repeat(MAX_AFTER));
  });

  it.each([
    ['', 0, 0],
    ['abc', 0, 3],
    ['abc\n', 4, 0],
    ['a\r\nbcd\r\ne', 4, 3],
    ['\nabc', 0, 0],
  ])('measures the line of %j at %i', (text, offset, length) => {
    expect(of(text, offset).lineLength).toBe(length);
  });

  it('reads the indentation off the text', () => {
    expect(of('if x:\n\ty\n\tz\n', 0)).toMatchObject({ tabs: true });
    expect(of('if x:\n  y\n    z\n', 0)).toMatchObject({ tabs: false, tabSize: 2 });
    expect(of('flat\n', 0)).toMatchObject({ tabs: false, tabSize: 4 });
  });
});

describe('lines and columns', () => {
  it('count as editors show them', () => {
    const text = 'ab\r\n\tc\n😀d';
    expect(offsetAt(text, 1, 1)).toBe(0);
    expect(offsetAt(text, 1, 3)).toBe(2);
    expect(offsetAt(text, 2, 2)).toBe(5);
    expect(offsetAt(text, 3, 3)).toBe(9);
    expect(offsetAt(text, 3, 4)).toBe(10);
    expect(offsetAt('a\n', 2, 1)).toBe(2);
    expect(offsetAt('', 1, 1)).toBe(0);
  });

  it.each([
    [0, 1],
    [1, 0],
    [1, 4],
    [4, 1],
  ])('have no line %i, column %i here', (line, column) => {
    expect(offsetAt('ab\r\ncd\nef', line, column)).toBeUndefined();
  });
});
