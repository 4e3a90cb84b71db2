/** The document of a soak, and the slow model that it is compared with. */
import { expect, it } from 'vitest';
import { SeededRandom } from '../../../../bench/random';
import { SlowText, TypedText } from '../../../../bench/soak/typed_text';

it('both say the same of random edits, undone in part', () => {
  const random = new SeededRandom(3);
  const typed = new TypedText('a\n😀b');
  const slow = new SlowText('a\n😀b');
  for (let i = 0; i < 500; i++) {
    if (random.below(3) === 0) {
      typed.undo();
      slow.undo();
    } else {
      const offset = random.below(typed.text.length + 1);
      const length = random.below(Math.min(4, typed.text.length - offset + 1));
      const edit = { offset, length, text: ['x', 'two\n', '', '😀'][random.below(4)] ?? '' };
      typed.apply(edit);
      slow.apply(edit);
    }
    expect(typed.text).toBe(slow.text);
  }
});

it('goes back to what was there', () => {
  const typed = new TypedText('abc');
  typed.apply({ offset: 1, length: 1, text: 'xyz' });
  expect(typed.text).toBe('axyzc');
  typed.undo();
  expect(typed.text).toBe('abc');
  expect(typed.undo()).toBeUndefined();
});
