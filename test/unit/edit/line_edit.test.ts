import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../bench/random';
import { applied, type LineEdit, replacementsOf } from '../../../core/edit/line_edit';
import { linesOf } from '../../../core/edit/text_lines';

const edited = (text: string, ...edits: readonly LineEdit[]): string =>
  applied(text, replacementsOf(text, edits));

describe('edits of lines', () => {
  it('replace, add and delete, with the document’s line breaks', () => {
    expect(edited('a\r\nb\r\nc\r\n', { first: 2, last: 2, lines: ['x', 'y'] })).toBe('a\r\nx\r\ny\r\nc\r\n');
    expect(edited('a\nb\nc', { first: 2, last: 3, lines: ['x'] })).toBe('a\nx');
    expect(edited('a\nb\nc\n', { first: 2, last: 2, lines: [] })).toBe('a\nc\n');
    expect(edited('a\nb', { first: 2, last: 2, lines: [] })).toBe('a');
    expect(edited('a\r\nb', { first: 1, last: 2, lines: [] })).toBe('');
    expect(edited('a\nb', { first: 2, last: 1, lines: ['x'] })).toBe('a\nx\nb');
    expect(edited('a\r\nb', { first: 3, last: 2, lines: ['x', 'y'] })).toBe('a\r\nb\r\nx\r\ny');
    expect(edited('', { first: 1, last: 1, lines: ['x'] })).toBe('x');
  });

  it('replace no more than what they change', () => {
    const text = 'def f():\n    return 1\n';
    expect(replacementsOf(text, [{ first: 1, last: 1, lines: ['def f():', '    """F."""'] }])).toEqual([
      { offset: 9, length: 0, text: '    """F."""\n' },
    ]);
    expect(replacementsOf(text, [{ first: 1, last: 2, lines: ['def f():', '    return 2'] }])).toEqual([
      { offset: 9, length: 12, text: '    return 2' },
    ]);
  });

  it('that change nothing are none', () => {
    expect(replacementsOf('a\nb\n', [{ first: 1, last: 2, lines: ['a', 'b'] }])).toEqual([]);
    expect(replacementsOf('a\nb\n', [{ first: 2, last: 1, lines: [] }])).toEqual([]);
  });

  it('leave every other line its bytes, in any document', () => {
    const random = new SeededRandom(11);
    const pick = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;
    for (let round = 0; round < 2_000; round++) {
      const breaks = pick([['\n'], ['\r\n'], ['\n', '\r\n'], ['\r']]);
      const texts = Array.from({ length: 1 + random.below(8) }, () =>
        pick(['', 'x', '\tx = 1', 'é😀', '  y  ', 'a|b']),
      );
      const text = texts
        .map((line, index) => line + (index < texts.length - 1 || random.below(2) === 0 ? pick(breaks) : ''))
        .join('');
      const lines = linesOf(text);
      expect(lines.map((line) => line.text + line.lineBreak).join('')).toBe(text);
      const edits: LineEdit[] = [];
      for (let first = 1; first <= lines.length; first++) {
        if (random.below(3) > 0) continue;
        const last = Math.min(lines.length, first + random.below(3) - 1);
        const added = Array.from({ length: random.below(3) }, () => pick(['new', '😀', '\tz', 'x']));
        edits.push({ first, last, lines: added });
        first = Math.max(first, last);
      }
      const expected: string[] = [];
      for (let at = 1; at <= lines.length + 1; at++) {
        const edit = edits.find(({ first }) => first === at);
        if (edit !== undefined) expected.push(...edit.lines);
        const gone = edits.some(({ first, last }) => first <= at && at <= last);
        const line = lines[at - 1];
        if (!gone && line !== undefined) expected.push(line.text);
      }
      const result = edited(text, ...edits);
      // Of a document of which nothing is left, one empty line is.
      expect(
        linesOf(result).map((line) => line.text),
        JSON.stringify({ text, edits }),
      ).toEqual(expected.length === 0 ? [''] : expected);
      if (breaks.length === 1 && lines.length > 1)
        expect(result.split(/\r\n|\n|\r/).join(breaks[0])).toBe(result);
    }
  });
});
