/** Edits as pairs of before and after, and as pieces of a prompt. */
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../bench/random';
import { editSnippet } from '../../core/completion/edit_text';
import { RecentEdits, type TextChange } from '../../core/completion/recent_edits';

const at = (line: number, from: number, to: number, text: string): TextChange => ({
  start: { line, character: from },
  end: { line, character: to },
  text,
});

const pairs = ({ edits }: RecentEdits): unknown[] =>
  edits.map(({ line, before, after }) => [line, before.join('\n'), after.join('\n')]);

describe('recent edits', () => {
  it('are one where keystrokes meet', () => {
    const edits = new RecentEdits('a\nb\nc\n');
    for (const [index, key] of ['x', 'y', 'z'].entries()) edits.change(at(1, 1 + index, 1 + index, key));
    expect(pairs(edits)).toEqual([[1, 'b', 'bxyz']]);
    edits.change(at(1, 4, 4, '\nd'));
    expect(pairs(edits)).toEqual([[1, 'b', 'bxyz\nd']]);
    edits.change(at(0, 0, 1, ''));
    expect(pairs(edits)).toEqual([[0, 'a\nb', '\nbxyz\nd']]);
  });

  it('are two where lines lie in between, the latest first, and move with the text', () => {
    const edits = new RecentEdits('a\nb\nc\nd\ne\nf\n');
    edits.change(at(4, 0, 1, 'E'));
    edits.change(at(1, 1, 1, '1\n2'));
    expect(pairs(edits)).toEqual([
      [1, 'b', 'b1\n2'],
      [5, 'e', 'E'],
    ]);
    edits.change({ start: { line: 1, character: 0 }, end: { line: 3, character: 0 }, text: '' });
    expect(pairs(edits)).toEqual(
      [
        [1, 'b', ''],
        [3, 'e', 'E'],
      ].map(([line, before, after]) => [line, before, after]),
    );
  });

  it('are none where it was taken back', () => {
    const edits = new RecentEdits('a\r\nb\r\n');
    edits.change(at(0, 1, 1, 'x'));
    edits.change(at(0, 1, 2, ''));
    expect(pairs(edits)).toEqual([]);
  });

  it('pass over what belongs to another text', () => {
    const edits = new RecentEdits('a');
    edits.change(at(7, 0, 1, 'x'));
    expect(pairs(edits)).toEqual([]);
  });

  it('are no passages, and not many', () => {
    const edits = new RecentEdits('line\n'.repeat(200));
    edits.change(at(0, 0, 0, 'x\n'.repeat(100)));
    expect(pairs(edits)).toEqual([]);
    for (let line = 110; line < 210; line += 5) edits.change(at(line, 0, 0, 'x'));
    expect(edits.edits).toHaveLength(8);
    expect(edits.edits[0]?.line).toBe(205);
  });

  it('go on behind a paste, and the loss, of more lines than a call may have arguments', () => {
    const lines = 400_000;
    const edits = new RecentEdits('a\nb\nc');
    edits.change(at(1, 0, 1, 'x\n'.repeat(lines)));
    edits.change({ start: { line: 1, character: 0 }, end: { line: lines + 1, character: 0 }, text: 'y' });
    edits.change(at(2, 0, 1, 'd'));
    expect(pairs(edits)).toEqual([[2, 'c', 'd']]);
  });

  it('give the first text back where all are undone, whatever was typed', () => {
    const random = new SeededRandom(7);
    for (let round = 0; round < 200; round++) {
      const first = Array.from({ length: 12 }, (_, line) => `line ${line}`);
      let lines = [...first];
      const edits = new RecentEdits(first.join('\n'));
      for (let step = 0; step < 5; step++) {
        const start = random.below(lines.length);
        const end = Math.min(lines.length - 1, start + random.below(3));
        const change = {
          start: { line: start, character: random.below((lines[start]?.length ?? 0) + 1) },
          end: { line: end, character: lines[end]?.length ?? 0 },
          text: ['', 'x', 'x\ny', '\n'][random.below(4)] ?? '',
        };
        const text = (lines[start] ?? '').slice(0, change.start.character) + change.text;
        lines = [...lines.slice(0, start), ...text.split('\n'), ...lines.slice(end + 1)];
        edits.change(change);
      }
      const undone = [...lines];
      for (const { line, before, after } of edits.edits.toSorted((a, b) => b.line - a.line)) {
        expect(undone.splice(line, after.length, ...before)).toEqual(after);
      }
      expect(undone).toEqual(first);
    }
  });
});

describe('an edit in a prompt', () => {
  const text = (before: string, after: string): string | undefined =>
    editSnippet({ path: 'a.py', languageId: 'python', before, after })?.text;

  it('has what stood there and what stands there', () => {
    expect(text('a = 1\n\nb', 'a = 2\nb')).toBe('-a = 1\n-b\n+a = 2\n+b\n');
    expect(text('', 'a')).toBe('+a\n');
    expect(text('a', '')).toBe('-a\n');
  });

  it.each([
    ['blanks', 'a', 'a\n\n'],
    ['nothing', '', '  '],
    ['a passage', '', 'a\n'.repeat(20)],
  ])('is none of %s', (_, before, after) => {
    expect(text(before, after)).toBeUndefined();
  });
});
