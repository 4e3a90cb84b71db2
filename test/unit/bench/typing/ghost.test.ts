import { describe, expect, it } from 'vitest';
import { agreementOf, Ghost, type Sight } from '../../../../bench/typing/ghost';

/** What is seen after pairs of what is typed and what is answered. */
function seen(...events: readonly (readonly [string, string | undefined])[]): Sight[] {
  const ghost = new Ghost();
  return events.map(([typed, answer]) => ghost.after(typed, answer));
}

const flickers = (sights: readonly Sight[]): boolean[] => sights.map((one) => one.flickers);
const fresh = (sights: readonly Sight[]): boolean[] => sights.map((one) => one.fresh);

describe('ghost text', () => {
  it('that is typed along does not flicker, and appears once', () => {
    const sights = seen(['r', 'eturn'], ['e', 'turn'], ['t', undefined], ['u', 'rn']);
    expect(sights.map(({ text }) => text)).toEqual(['eturn', 'turn', 'urn', 'rn']);
    expect(flickers(sights)).toEqual([false, false, false, false]);
    expect(fresh(sights)).toEqual([true, false, false, false]);
  });

  it('flickers where it changes or vanishes although what is typed agrees', () => {
    const sights = seen(['r', 'eturn a'], ['e', 'turn b'], ['t', ''], ['u', 'rn']);
    expect(flickers(sights)).toEqual([false, true, true, false]);
    expect(fresh(sights)).toEqual([true, true, false, true]);
  });

  it('may change where what is typed disagrees, and where it is typed to its end', () => {
    expect(flickers(seen(['r', 'eturn'], ['a', 'ise'], ['i', undefined], ['z', undefined]))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(flickers(seen(['a', 'b'], ['b', ' = 1'], [' = 1', '']))).toEqual([false, false, false]);
  });

  it('stays over a line break with the indentation that the editor writes', () => {
    const sights = seen([':', '\n    return'], ['\n    ', undefined], ['r', 'eturn a']);
    expect(sights.map(({ text }) => text)).toEqual(['\n    return', 'return', 'eturn a']);
    expect(flickers(sights)).toEqual([false, false, true]);
  });
});

describe('agreement', () => {
  it('is with the text that follows, as far as the suggestion goes', () => {
    expect(agreementOf('a', 'a + b\nc')).toEqual({ right: true, toLineEnd: false });
    expect(agreementOf('a + b', 'a + b  \nc')).toEqual({ right: true, toLineEnd: true });
    expect(agreementOf('a + b', 'a + b')).toEqual({ right: true, toLineEnd: true });
    expect(agreementOf('a - b', 'a + b')).toEqual({ right: false, toLineEnd: false });
  });

  it('is of all lines', () => {
    expect(agreementOf('\n  a\n  b', '\n  a\n  b\n')).toEqual({ right: true, toLineEnd: true });
    expect(agreementOf('\n  a\n  b', '\n  a\n b\n')).toEqual({ right: false, toLineEnd: false });
    // What is below the stretch stands there already.
    expect(agreementOf('a\n  b', 'a')).toEqual({ right: false, toLineEnd: false });
  });
});
