/** The scanner's numbers, which core/schema/json_tokens.ts writes out, still mean what they did. */
import { expect, it } from 'vitest';
import { type Token, tokensOf } from '../../core/schema/json_tokens';

const kindsOf = (text: string): Token['kind'][] => [...tokensOf(text)].map(({ kind }) => kind);
const stateOf = (text: string): Token['state'] | undefined => [...tokensOf(text)].at(-1)?.state;

it.each([
  ['{', '{'],
  ['}', '}'],
  ['[', '['],
  [']', ']'],
  [',', ','],
  [':', ':'],
  ['null', 'word'],
  ['true', 'word'],
  ['false', 'word'],
  ['"a"', 'string'],
  ['-1.5e3', 'number'],
  ['// a', 'comment'],
  ['/* a */', 'comment'],
  ['\n', 'blanks'],
  ['\r\n', 'blanks'],
  [' \t', 'blanks'],
  ['@', 'unknown'],
  ['maybe', 'unknown'],
] as const)('%j is one token, %s', (text, kind) => {
  expect(kindsOf(text)).toEqual([kind]);
});

it('ends with the text', () => {
  expect(kindsOf('')).toEqual([]);
  expect(kindsOf('{"a": [1, true]} // end')).toEqual([
    ...(['{', 'string', ':', 'blanks', '[', 'number', ',', 'blanks', 'word', ']', '}', 'blanks'] as const),
    'comment',
  ]);
});

it.each([
  ['"a"', 'whole'],
  ['"a', 'open'],
  ['/* a', 'open'],
  ['// a', 'open'],
  ['// a\n', 'whole'],
  ['1.', 'wrong'],
  ['"\\x"', 'wrong'],
  ['"\\u12"', 'wrong'],
  ['"\u0001"', 'wrong'],
] as const)('%j is %s', (text, state) => {
  expect(stateOf(text)).toBe(state);
});
