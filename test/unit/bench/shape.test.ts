/** What the bench finds wrong with the shape of a suggestion. */
import { describe, expect, it } from 'vitest';
import { closersBehind } from '../../../bench/closers';
import { type Placed, shapeFaults } from '../../../bench/shape';

const python = (prefix: string, text: string, suffix = '\n'): Placed => ({
  path: 'a.py',
  prefix,
  text,
  suffix,
});
const script = (prefix: string, text: string, suffix = '\n'): Placed => ({
  path: 'a.ts',
  prefix,
  text,
  suffix,
});

describe('the shape of a suggestion', () => {
  it.each([
    python('def f(a):\n    return ', 'len(a)'),
    python('x = foo(', 'a, b)'),
    python('x = foo(', 'a,'),
    python('print(', '"(not open")'),
    python('if a:\n    if b:\n        c()\n', 'd()', '\ne()\n'),
    python('def f():\n    ', 'if a:\n        b()\n    return c'),
    script('const a = `x${', 'f(1)}`;'),
    script('if (a) {\n  ', 'for (const b of c) {\n    d(b);\n  }', '\n}\n'),
    script('foo(', 'a', ');\n'),
    script('x.map((one) => ', '{', '\n  return 1;\n});\n'),
    python('a(\n    b,\n)\n', 'c()', '\nc(d)\n'),
    script('foo(', 'bar()', ');\n'),
    python('class A:\n    b = 1\n\n', '    def c(self):'),
    script('const a = ', '[<any>b, c];'),
    { ...python('', '}}}}'), path: 'a.txt' },
  ])('of $text behind $prefix is right', (placed) => {
    expect(shapeFaults(placed)).toEqual([]);
  });

  it.each<[Placed, string]>([
    [python('x = foo', '(a'), 'unbalanced'],
    [python('x = [foo(', 'a]'), 'unbalanced'],
    [python('print(', '"open)'), 'unbalanced'],
    [script('const a = `x${', 'f(1]}`;'), 'unbalanced'],
    [script('foo(bar', '[1', ');\n'), 'unbalanced'],
    [python('a()\n', 'bar(1)', '\nbar(1)\n'), 'doubled'],
    [script('if (a) {\n  ', 'b(c);\n  return 1;', '\n\n  b(c);\n  return 1;\n}\n'), 'doubled'],
    [script('foo(', 'bar, baz', 'baz);\n'.replace(');', '')), 'doubled'],
    [python('def f():\n    a()\n    ', '    b()'), 'misindented'],
    [python('def f():\n    ', 'a()\n        b()'), 'misindented'],
    [python('def f():\n    if a:\n        ', 'b()\n      c()'), 'misindented'],
  ])('of %j is %s', (placed, fault) => {
    expect(shapeFaults(placed)).toEqual([fault]);
  });
});

describe('what an editor closes', () => {
  it.each([
    ['foo(bar[', '])'],
    ['foo("a(', '")'],
    ["foo('it\\'s', ", ')'],
    ['a(b) + {', '}'],
    ['f(x) # ', ''],
  ])('behind %s is %s', (line, closers) => {
    expect(closersBehind(line)).toBe(closers);
  });
});
