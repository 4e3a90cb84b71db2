import { describe, expect, it } from 'vitest';
import { heal } from '../../core/completion/healing';

describe('token healing', () => {
  it.each([
    ['a space at the end', 'def f():\n    return ', 'def f():\n    return', ' '],
    ['a partial word with the space before it', 'x = foo', 'x =', ' foo'],
    ['a newline with its indentation', 'def f():\n    ', 'def f():', '\n    '],
    ['the first word of a line', 'def f():\n    re', 'def f():', '\n    re'],
    ['tabs', 'if (x) {\n\t\tre', 'if (x) {', '\n\t\tre'],
    ['blank lines', 'import os\n\n', 'import os', '\n\n'],
    ['punctuation that may grow', 'print(', 'print', '('],
    ['digits', 'x = 12', 'x =', ' 12'],
    ['only the part of a name after its last separator', 'self.foo_ba', 'self.foo_', 'ba'],
    ['letters of any script', 'имя = зна', 'имя =', ' зна'],
    ['nothing of an empty text', '', '', ''],
    ['everything of a first word', 'impo', '', 'impo'],
  ])('takes off %s', (_, before, prompt, requiredPrefix) => {
    expect(heal(before)).toEqual({ prompt, requiredPrefix });
  });

  it('never loses or changes text', () => {
    const pieces = ['foo', ' ', '\n', '\t', '(', '12', '_', '😀', 'é', '\ud800', '"'];
    let state = 7;
    const next = (bound: number): number => (state = (state * 1103515245 + 12345) % 2147483648) % bound;
    for (let round = 0; round < 2_000; round++) {
      const before = Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join('');
      const { prompt, requiredPrefix } = heal(before);
      expect(prompt + requiredPrefix).toBe(before);
    }
  });

  it('does not spell out very long runs', () => {
    const ruler = `# ${'-'.repeat(500)}`;
    expect(heal(ruler)).toEqual({ prompt: ruler, requiredPrefix: '' });
    const indented = `x${' '.repeat(500)}word`;
    expect(heal(indented)).toEqual({ prompt: `x${' '.repeat(500)}`, requiredPrefix: 'word' });
  });
});
