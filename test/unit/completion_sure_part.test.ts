/** How sure the model is of parts of a text, and which part is shown. */
import { describe, expect, it } from 'vitest';
import { type PartRules, surePart } from '../../core/completion/sure_part';
import { courseFrom, probabilityOf, type TokenCourse } from '../../core/completion/token_course';

/** A text of tokens, each with its probability, and the one that ended it. */
function courseOf(tokens: readonly (readonly [string, number])[], end = 0.9): TokenCourse & { text: string } {
  let text = '';
  const ends = tokens.map(([token]) => (text += token).length);
  return {
    text,
    probabilities: Float32Array.from([...tokens.map(([, probability]) => probability), end]),
    ends: Uint32Array.from([...ends, text.length]),
  };
}

const CALL = courseOf([
  ['self', 0.9],
  ['.', 0.9],
  ['total', 0.5],
  ['(', 0.5],
  ['a', 0.1],
  [')', 0.5],
]);

describe('how sure the model is', () => {
  const rest = (from: number, length?: number): number => probabilityOf(courseFrom(CALL, from), length);

  it('of all of it is the product of all tokens, with the one that ended it', () => {
    expect(rest(0)).toBeCloseTo(0.9 * 0.9 * 0.5 * 0.5 * 0.1 * 0.5 * 0.9, 6);
  });

  it('of its text is the product without the one that ended it', () => {
    expect(rest(0, CALL.text.length)).toBeCloseTo(0.9 * 0.9 * 0.5 * 0.5 * 0.1 * 0.5, 6);
  });

  it('of the rest is that of the tokens that are not typed', () => {
    expect(rest('self.'.length)).toBeCloseTo(0.5 * 0.5 * 0.1 * 0.5 * 0.9, 6);
    expect(rest(CALL.text.length)).toBeCloseTo(0.9, 6);
    expect(rest('self.to'.length)).toBeCloseTo(0.5 ** (3 / 5) * 0.5 * 0.1 * 0.5 * 0.9, 6);
    expect(rest(CALL.text.length + 1)).toBe(1);
  });

  it('of a part is that of the tokens it is made of, and of all of one that it cuts', () => {
    expect(rest(0, 'self.'.length)).toBeCloseTo(0.81, 6);
    expect(rest(0, 'self.to'.length)).toBeCloseTo(0.405, 6);
    expect(rest('self'.length, '.total'.length)).toBeCloseTo(0.45, 6);
  });

  it('grows with each unit that is typed', () => {
    let before = 0;
    for (let typed = 0; typed <= CALL.text.length; typed++) {
      const confidence = rest(typed);
      expect(confidence).toBeGreaterThanOrEqual(before);
      before = confidence;
    }
  });
});

interface Place extends Partial<Pick<PartRules, 'head' | 'isBarred'>> {
  readonly from?: number;
}

describe('the part that is shown', () => {
  const part = (
    course: TokenCourse & { text: string },
    least: number,
    { from = 0, head = 'a = ', isBarred }: Place = {},
  ): string | undefined => {
    const line = course.text.slice(from);
    const found = surePart(line, courseFrom(course, from), { head, least, ...(isBarred && { isBarred }) });
    return found && line.slice(0, found.length);
  };

  it('is the longest that is sure enough', () => {
    expect(part(CALL, 0.3)).toBe('self.total');
    expect(part(CALL, 0.8)).toBe('self');
    expect(part(CALL, 0.99)).toBeUndefined();
  });

  it('does not end within a name, nor behind what is left open', () => {
    const course = courseOf([
      ['to', 0.99],
      ['tal', 0.99],
      [' = [', 0.99],
      ['"a', 0.99],
      ['", b', 0.2],
    ]);
    expect(part(course, 0.5)).toBe('total');
  });

  it.each([
    ["&'static str", ' = foo(bar)', ' + x'],
    ["a = 1  # don't", ' ', 'ask'],
    ['a = "x"', " # don't", ' ask'],
  ])('takes no apostrophe for a quote: %s', (...texts) => {
    const course = courseOf(texts.map((text, at) => [text, at === texts.length - 1 ? 0.01 : 0.99]));
    expect(part(course, 0.5)).toBe(texts.slice(0, -1).join('').trimEnd());
  });

  it('may close what it opens', () => {
    const course = courseOf([
      ['f(a', 0.99],
      [')', 0.99],
      [' + g(b)', 0.05],
    ]);
    expect(part(course, 0.5)).toBe('f(a)');
  });

  it('ends where no string begins, wherever the one at the cursor began', () => {
    const course = courseOf([
      ['onse', 0.99],
      ["', '", 0.99],
      ['timeout', 0.01],
    ]);
    expect(part(course, 0.5, { head: "options = ['show-resp" })).toBe('onse');
    expect(part(course, 0.5, { head: "options = ['a\\'b', " })).toBe("onse', '");
  });

  it('is long enough to be worth a key', () => {
    const course = courseOf([
      ['abc', 0.99],
      [' = 1', 0.01],
    ]);
    expect(part(course, 0.3)).toBeUndefined();
  });

  it('is a shorter one where that must not be shown', () => {
    expect(part(CALL, 0.3, { isBarred: (one) => one === 'self.total' })).toBe('self');
  });

  it('follows what is typed', () => {
    expect(part(CALL, 0.3, { from: 'self.'.length })).toBe('total');
  });
});
