import { describe, expect, it } from 'vitest';
import { acceptanceOf } from '../../../../bench/typing/acceptance';

describe('the ideal user', () => {
  it('accepts all of what agrees with one key', () => {
    expect(acceptanceOf('return a', 'return a + b\n')).toEqual({ text: 'return a', keys: 1 });
    expect(acceptanceOf(')', ')')).toEqual({ text: ')', keys: 1 });
  });

  it('accepts several lines with one key, also those that begin with a line break', () => {
    const lines = '\n    if a:\n        return b\n';
    expect(acceptanceOf(lines, `${lines}    return c`)).toEqual({ text: lines, keys: 1 });
  });

  it('accepts word by word what agrees at the start', () => {
    expect(acceptanceOf('self.items.append(x)', 'self.items.extend(y)')).toEqual({
      text: 'self.items.',
      keys: 4,
    });
    expect(acceptanceOf('a = b + c', 'a = b - c')).toEqual({ text: 'a = b ', keys: 5 });
    expect(acceptanceOf('f(x) + 1', 'f(x) + 2')).toEqual({ text: 'f(x) + ', keys: 5 });
  });

  it('goes on over line breaks, whose indentation is one piece', () => {
    expect(acceptanceOf('x:\n    return 1', 'x:\n    return 2')).toEqual({
      text: 'x:\n    return ',
      keys: 4,
    });
    expect(acceptanceOf('x\n    y', 'x\n  y')).toEqual({ text: 'x', keys: 1 });
  });

  it('takes no part of a word', () => {
    expect(acceptanceOf('name', 'names = 1')).toEqual({ text: 'name', keys: 1 });
    expect(acceptanceOf('name = 1', 'names = 1')).toBeUndefined();
    expect(acceptanceOf('ready', 'really')).toBeUndefined();
  });

  it('takes nothing without a word', () => {
    expect(acceptanceOf('(a', '(b')).toBeUndefined();
    expect(acceptanceOf('x', 'y')).toBeUndefined();
    expect(acceptanceOf('', 'y')).toBeUndefined();
    expect(acceptanceOf('x', '')).toBeUndefined();
  });
});
