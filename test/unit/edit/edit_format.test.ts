import { describe, expect, it } from 'vitest';
import { editGrammar, literal, numbered, parseAddition, parseEdits } from '../../../core/edit/edit_format';

describe('the form of edits', () => {
  it('shows lines with their numbers', () => {
    expect(numbered(['a', '', '  b|c'])).toBe('1|a\n2|\n3|  b|c');
  });

  it('is read line by line', () => {
    expect(parseEdits('2|  x = 1\n+|\n+|+|y\n4-5|z|5\n7 delete\n9-10 delete', 10)).toEqual([
      { first: 2, last: 2, lines: ['  x = 1', '', '+|y'] },
      { first: 4, last: 5, lines: ['z|5'] },
      { first: 7, last: 7, lines: [] },
      { first: 9, last: 10, lines: [] },
    ]);
    expect(parseEdits('1|', 1)).toEqual([{ first: 1, last: 1, lines: [''] }]);
  });

  it('is refused where it could not be applied', () => {
    for (const answer of [
      ...[
        '',
        'x',
        '0|x',
        '3|x',
        '2|x\n1|y',
        '1|x\n1|y',
        '2-1|x',
        '1-3|x',
        '1-2|x\n2|y',
        '+|x',
        '1 delete\n+|x',
      ],
      ...['1', '1-2', '1|x\n', '1|x\nnonsense'],
    ])
      expect(parseEdits(answer, 2), answer).toBeUndefined();
  });

  it('has lines to add', () => {
    expect(parseAddition('+|a\n+|\n+|  b')).toEqual(['a', '', '  b']);
    expect(parseAddition('+|a\nb')).toBeUndefined();
    expect(parseAddition('')).toBeUndefined();
  });

  it('has a grammar with a rule or two a line', () => {
    const rules = editGrammar(['a', '\tb'], { unit: '  ' }).split('\n');
    expect(rules.slice(0, 6)).toEqual([
      'root ::= name1 end',
      'next1 ::= ("\\n" name1)?',
      'name1 ::= "1" (what next2 | "-" end2) | name2',
      'next2 ::= ("\\n" name2)?',
      'name2 ::= "2" (what next3)',
      'end2 ::= "2" what next3',
    ]);
    expect(rules.at(-1)).toBe('indentation ::= "  "{0,10} | "\\x09"');
  });

  it('writes literals', () => {
    expect(literal('a"b\\c\td😀')).toBe('"a\\"b\\\\c\\x09d😀"');
  });
});
