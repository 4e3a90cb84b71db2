import { describe, expect, it } from 'vitest';
import { docstringGrammar } from '../../../core/edit/docstring';
import { parameterGrammar } from '../../../core/edit/parameter';
import { renameGrammar } from '../../../core/edit/rename';

const rename = (
  lines: readonly string[],
  from: string,
  to: string,
  languageId = 'python',
): string | undefined => renameGrammar(lines, { from, to }, languageId);

describe('the grammar of a rename', () => {
  it('has the lines with the name, and the new one in its place', () => {
    const lines = ['def f(total, totals):', '    x = 1', '    return total+total'];
    expect(rename(lines, 'total', 'sum')).toBe(
      String.raw`root ::= "1|def f(sum, totals):" "\x0a3|    return sum+sum"`,
    );
  });

  it('leaves the choice where a word may mean something else', () => {
    expect(rename(['x = a.n + n  # n', "s = 'n'"], 'n', 'm')).toBe(
      String.raw`root ::= "1|x = a." ("m" | "n") " + m  # " ("m" | "n") "\x0a2|s = '" ("m" | "n") "'"`,
    );
    expect(rename(['f(...args)', 'o?.args'], 'args', 'rest', 'typescript')).toBe(
      String.raw`root ::= "1|f(...rest)" "\x0a2|o?." ("rest" | "args")`,
    );
  });

  it('is none where the name does not occur', () => {
    expect(rename(['totals = 1', 'my_total'], 'total', 'sum')).toBeUndefined();
  });
});

/** The line with `§` in place of the parameter. */
function withParameter(lines: readonly string[], languageId: string, of?: string): string | undefined {
  const given = { name: 'p', of, type: undefined, value: undefined };
  const root = parameterGrammar(lines, given, languageId)?.split('\n')[0];
  const parts = /^root ::= "((?:\\.|[^"])*)" parameter "((?:\\.|[^"])*)"$/.exec(root ?? '');
  return parts === null ? root : `${parts[1] ?? ''}§${parts[2] ?? ''}`.replace(/\\(.)/g, '$1');
}

describe('the grammar of a new parameter', () => {
  it.each<[string, string, string]>([
    ['python', 'def f():', '1|def f(§):'],
    [
      'python',
      '    async def f(self, a: int = 3) -> int:  # (',
      '1|    async def f(self, a: int = 3, §) -> int:  # (',
    ],
    ['python', 'def f(a, *args, **kwargs):', '1|def f(a, *args, §, **kwargs):'],
    ['python', 'def f(a="x, y", b=(1, 2)):', '1|def f(a="x, y", b=(1, 2), §):'],
    ['python', 'def f(a,):', '1|def f(a, §):'],
    [
      'typescript',
      'export function f<T>(a: Map<string, T>, ...rest: T[]): void {',
      '1|export function f<T>(a: Map<string, T>, §, ...rest: T[]): void {',
    ],
    [
      'typescript',
      '  private f(a: (x: number) => void): void {',
      '1|  private f(a: (x: number) => void, §): void {',
    ],
    ['javascript', 'const f = async (a) => {', '1|const f = async (a, §) => {'],
    ['javascript', 'const f = () => g(1);', '1|const f = (§) => g(1);'],
    ['java', '  public static int f(int a) {', '1|  public static int f(int a, §) {'],
    ['go', 'func f(a int) error {', '1|func f(a int, §) error {'],
    ['rust', 'pub fn f(&self) -> u32 {', '1|pub fn f(&self, §) -> u32 {'],
  ])('keeps the line: %s %s', (languageId, line, expected) => {
    expect(withParameter([line], languageId)).toBe(expected);
  });

  it('is that of the function named, and none where there is no function', () => {
    const lines = ['def f(a):', '    return g(a)', 'def g(b):'];
    expect(withParameter(lines, 'python', 'g')).toBe('3|def g(b, §):');
    expect(withParameter(lines, 'python', 'h')).toBeUndefined();
    expect(withParameter(['if (a) {', 'x = f(1);', 'return g(2);'], 'javascript')).toBeUndefined();
    expect(withParameter(['def f(', '    a):'], 'python')).toBeUndefined();
  });

  it('has what the instruction says', () => {
    const rule = (given: object, languageId: string, line = 'def f():'): string | undefined =>
      parameterGrammar(
        [line],
        { name: 'p', of: undefined, type: undefined, value: undefined, ...given },
        languageId,
      )?.split('\n')[1];
    expect(rule({ type: 'int', value: '3' }, 'python')).toBe('parameter ::= "p" ": " "int" " = " "3"');
    expect(rule({ value: '3' }, 'javascript', 'function f() {')).toBe('parameter ::= "p" " = " "3"');
    expect(rule({}, 'go', 'func f() {')).toBe('parameter ::= "p " type');
    expect(rule({}, 'java', 'int f() {')).toBe('parameter ::= type " p" ""');
    // Behind one that has a default, Python wants another.
    expect(rule({}, 'python', 'def f(a=1):')).toBe('parameter ::= "p" ("=" value | ": " type " = " value)');
  });
});

describe('the grammar of a docstring', () => {
  it('has it where the language has it', () => {
    const first = (lines: readonly string[], languageId: string): string | undefined =>
      docstringGrammar(lines, languageId, '    ')?.split('\n')[0];
    expect(first(['', 'def f(a):', '    return a'], 'python')).toBe(
      String.raw`root ::= "2|def f(a):\x0a+|    \"\"\"" sentence "\"\"\""`,
    );
    expect(first(['def f(', '    a,', '):', '    return a'], 'python')).toContain(
      String.raw`"3|):\x0a+|    \"`,
    );
    expect(
      first(['def f(a=lambda: 0,  # a:', '      b={1:', '2}) -> "a(":  # b', '    c'], 'python'),
    ).toContain('"3|2})');
    expect(first(['def f(a): return a', 'if b:', '    c()'], 'python')).toBeUndefined();
    expect(first(['class A: b = {', '1: 2}', 'for c in d:', '    e()'], 'python')).toBeUndefined();
    expect(first(['  export async function f() {'], 'typescript')).toBe(
      String.raw`root ::= "1|  /** " sentence " */\x0a+|  export async function f() {"`,
    );
    expect(first(['fn f() {'], 'rust')).toBe(String.raw`root ::= "1|/// " sentence "\x0a+|fn f() {"`);
    expect(first(['x = 1'], 'python')).toBeUndefined();
    expect(first(['def f():', '    """F."""'], 'python')).toBeUndefined();
    expect(first(['def f():'], 'yaml')).toBeUndefined();
  });
});
