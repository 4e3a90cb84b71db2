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

const inFile = (path: string, prefix: string, text: string, suffix = '\n'): Placed => ({
  path,
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
    // A comma is missing: the parser takes what follows for the rest of the string.
    python('f(\n    ', '"-v"', '\n    action="a",\n)\n'),
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
    inFile('a.go', 'func f() {\n\t', 'if a != nil {\n\t\treturn b("{")\n\t}', '\n}\n'),
    inFile('a.rs', 'fn f() {\n    ', "a\n        .b::<'_, C>()\n        .d('(')", '\n}\n'),
    inFile('A.java', 'class A {\n  int f() {\n    ', 'return a\n        || b(")");', '\n  }\n}\n'),
    inFile('a.c', 'void f() {\n  ', "if (a == '(')\n    b();", '\n}\n'),
    inFile('a.cpp', 'auto a = ', 'b[c{d}];'),
    inFile('a.json', '{\n  "a": ', '["}", {}]', '\n}\n'),
    { ...python('', '}}}}'), path: 'a.txt' },
    // What is closed may stand in front of what is kept.
    python('a = 1\n'.repeat(3_000), ')'),
  ])('of $text behind $prefix is right', (placed) => {
    expect(shapeFaults(placed)).toEqual([]);
  });

  it.each<[Placed, string]>([
    [python('x = foo', '(a'), 'unbalanced'],
    [python('y = ', 'x)'), 'unbalanced'],
    [python('def f(x):\n    print(', 'x))'), 'unbalanced'],
    [python('x = [foo(', 'a]'), 'unbalanced'],
    [python('print(', '"open)'), 'unbalanced'],
    [python('x = "a" ', '"b'), 'unbalanced'],
    [script('const a = `x${', 'f(1]}`;'), 'unbalanced'],
    [script('foo(bar', '[1', ');\n'), 'unbalanced'],
    [inFile('a.go', 'func f() {\n\treturn ', 'b(c', '\n}\n'), 'unbalanced'],
    [inFile('a.rs', 'fn f() {\n    ', 'a(b]);', '\n}\n'), 'unbalanced'],
    [inFile('A.java', 'class A {\n  int a = ', 'f(b;', '\n}\n'), 'unbalanced'],
    [inFile('a.cpp', 'void f() {\n  ', 'a(b;', '\n}\n'), 'unbalanced'],
    [inFile('a.json', '{\n  "a": ', '[1}', '\n}\n'), 'unbalanced'],
    [inFile('a.c', 'void f() {\n  ', 'a();\n    b();', '\n}\n'), 'misindented'],
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
