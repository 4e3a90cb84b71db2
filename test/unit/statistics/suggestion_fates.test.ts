import { beforeEach, describe, expect, it } from 'vitest';
import { SuggestionFates } from '../../../core/statistics/suggestion_fates';
import { type LanguageUsage, UsageTotals } from '../../../core/statistics/usage';

const URI = 'untitled:a';
const NONE = {
  language: 'python',
  shown: 0,
  whole: 0,
  line: 0,
  word: 0,
  typedAlong: 0,
  typedOver: 0,
  dismissed: 0,
  left: 0,
  charactersSaved: 0,
};

let totals: UsageTotals;
let fates: SuggestionFates;

beforeEach(() => {
  totals = new UsageTotals();
  fates = new SuggestionFates(totals);
});

function show(
  text: string,
  offset = 10,
  more: { replace?: number; others?: string[]; uri?: string } = {},
): void {
  fates.offered({ uri: URI, languageId: 'python', replace: 0, text, offset, ...more });
}

function insert(inserted: string, offset = 10, removed = 0): void {
  fates.changed(URI, { offset, length: removed, text: inserted });
}

function counted(expected: Partial<LanguageUsage>): void {
  expect(totals.snapshot().languages).toEqual([{ ...NONE, ...expected }]);
}

describe('a suggestion', () => {
  it('that is taken whole saves its characters but for the key', () => {
    show('a + b');
    insert('a + b');
    counted({ shown: 1, whole: 1, charactersSaved: 4 });
  });

  it('may be typed along for a while first, and is not another one then', () => {
    show('a + b');
    insert('a');
    show(' + b', 11);
    insert(' + b', 11);
    counted({ shown: 1, whole: 1, charactersSaved: 3 });
  });

  it('is taken by words, to its end or not', () => {
    show('first + second');
    insert('first');
    show(' + second', 15);
    insert(' + second', 15);
    show('other words', 30);
    insert('other', 30);
    insert('!', 35);
    counted({ shown: 2, word: 2, charactersSaved: 4 + 8 + 4 });
  });

  it('is taken by lines, in a document of CRLF too', () => {
    show('first\n  second\n  third');
    insert('first\r\n');
    show('  second\n  third', 17);
    insert('  second\r\n', 17);
    fates.forget(URI);
    counted({ shown: 1, line: 1, charactersSaved: 5 + 8 });
  });

  it('that somebody types, with what the editor closes and indents, saves nothing', () => {
    show('f()\n  x');
    insert('f');
    insert('()', 11);
    insert('\n  ', 13);
    insert('x', 16);
    counted({ shown: 1, typedAlong: 1 });
  });

  it('is typed over by another text, alone or behind a part of it', () => {
    show('abc');
    insert('x');
    show('def', 11);
    insert('d', 11);
    insert('x', 12);
    counted({ shown: 2, typedOver: 2 });
  });

  it('is left where something else is deleted, edited or closed, or another one is shown', () => {
    show('abc');
    insert('', 9, 1);
    show('abc');
    insert('abc', 50);
    show('abc');
    fates.forget('untitled:other');
    fates.forget(URI);
    show('abc');
    show('xyz');
    counted({ shown: 5, left: 4 });
  });

  it('is not counted twice where it is asked for again, or gets more lines', () => {
    show('if x:');
    show('if x:');
    show('if x:\n  return');
    insert('if x:\n  return');
    counted({ shown: 1, whole: 1, charactersSaved: 13 });
  });

  it('may be another one than the first of those that are offered', () => {
    show('os', 10, { others: ['sys', 'json'] });
    insert('sys');
    counted({ shown: 1, whole: 1, charactersSaved: 2 });
  });

  it('takes the place of what it replaces, and of nothing else', () => {
    show('a)', 10, { replace: 1 });
    insert('a)', 10, 1);
    show('b', 20);
    insert('b', 20, 3);
    counted({ shown: 2, whole: 1, left: 1, charactersSaved: 1 });
  });

  it('is taken whole where what it replaces at its end stays', () => {
    show('a, b)', 10, { replace: 1 });
    insert('a, b');
    show('c, d)', 20, { replace: 1 });
    insert('c,', 20);
    fates.forget(URI);
    counted({ shown: 2, whole: 1, word: 1, charactersSaved: 3 + 1 });
  });

  it('is dismissed once', () => {
    show('abc');
    fates.dismissed();
    fates.dismissed();
    insert('abc');
    counted({ shown: 1, dismissed: 1 });
  });

  it('is told apart from an edit of another document', () => {
    show('abc');
    fates.changed('untitled:b', { offset: 10, length: 0, text: 'x' });
    insert('abc');
    counted({ shown: 1, whole: 1, charactersSaved: 2 });
  });
});
