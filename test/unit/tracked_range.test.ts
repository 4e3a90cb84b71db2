import { describe, expect, it } from 'vitest';
import { TrackedRange } from '../../core/generate/tracked_range';

/** The `[…]` of `text`, and the text without the marks. */
function range(marked: string): { tracked: TrackedRange; text: string } {
  const start = marked.indexOf('[');
  const end = marked.indexOf(']') - 1;
  const text = marked.replace(/[[\]]/g, '');
  const tracked = new TrackedRange(start);
  tracked.rewrite({ offset: start, text: text.slice(start, end) });
  return { tracked, text };
}

describe('a tracked range', () => {
  const { text } = range('abc[def]ghi');
  const contents = (tracked: TrackedRange, document: string): string =>
    document.slice(tracked.start, tracked.end);

  it('keeps its contents through every edit elsewhere, and says so when one touches it', () => {
    for (let offset = 0; offset <= text.length; offset++) {
      for (let length = 0; offset + length <= text.length; length++) {
        for (const inserted of ['', 'x', 'xyz']) {
          const { tracked } = range('abc[def]ghi');
          const edited = text.slice(0, offset) + inserted + text.slice(offset + length);
          const apart = offset + length < 3 || offset > 6;
          expect(tracked.follow([{ offset, length, text: inserted }])).toBe(apart);
          if (apart) expect(contents(tracked, edited)).toBe('def');
        }
      }
    }
  });

  it('follows several replacements of one edit, in any order', () => {
    const replacements = [
      { offset: 8, length: 1, text: '' },
      { offset: 1, length: 1, text: '12' },
      { offset: 0, length: 0, text: '__' },
    ];
    for (const order of [replacements, replacements.toReversed()]) {
      const { tracked } = range('abc[def]ghi');
      expect(tracked.follow(order)).toBe(true);
      expect(contents(tracked, '__a12cdefgh')).toBe('def');
    }
  });

  it('grows at its end, and shrinks', () => {
    const tracked = new TrackedRange(3);
    expect(tracked.isEmpty).toBe(true);
    tracked.rewrite({ offset: 3, text: 'de' });
    tracked.rewrite({ offset: 5, text: 'f' });
    expect([tracked.start, tracked.end]).toEqual([3, 6]);
    expect(tracked.isEmpty).toBe(false);
    tracked.rewrite({ offset: 3, text: '' });
    expect([tracked.start, tracked.end]).toEqual([3, 3]);
  });
});
