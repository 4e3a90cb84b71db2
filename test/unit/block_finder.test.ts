import { describe, expect, it } from 'vitest';
import { blocksOf, isBalanced } from '../../bench/block_finder';
import type { Language } from '../../bench/languages';

/** Lines enough that any place has something before it; a comment, so that none of them is one. */
const lead = (comment: string): string => `${comment}\n`.repeat(8);

/** The blocks of a text, each from the start of its first line's text. */
function blocksIn(language: Language, lines: readonly string[]): string[] {
  const text = lead(language === 'py' ? '# above' : '// above') + lines.join('\n');
  const all = text.split('\n');
  return blocksOf({ path: '', language, text }).map(({ first, last }) =>
    all
      .slice(first, last + 1)
      .join('\n')
      .trimStart(),
  );
}

describe('blocks in Python', () => {
  it('are bodies and the rests of paragraphs', () => {
    const found = blocksIn('py', [
      'def area(radius):',
      '    pi = 3.14',
      '    square = radius ** 2',
      '',
      '    return pi * square',
      '',
      'print(area(2))',
    ]);
    // The body from its first line; from the others the paragraph, which is one line.
    expect(found).toEqual(['pi = 3.14\n    square = radius ** 2\n\n    return pi * square']);
  });

  it('end where the indentation falls back, and hold what is deeper', () => {
    expect(
      blocksIn('py', [
        'if ready:',
        '    for one in all:',
        '        use(one)',
        '    return one',
        'else:',
        '    stop(1)',
        '    wait(2)',
        '',
        'x = 1',
      ]),
    ).toEqual([
      'if ready:\n    for one in all:\n        use(one)\n    return one\nelse:\n    stop(1)\n    wait(2)',
      'for one in all:\n        use(one)\n    return one',
      'stop(1)\n    wait(2)',
    ]);
  });

  it('hold no comments and docstrings, and do not begin within a statement', () => {
    expect(blocksIn('py', ['def f():', '    """Says."""', '    a = 1', '    # why', '    b = 2'])).toEqual(
      [],
    );
    expect(blocksIn('py', ['call(', '    first,', '    second,', ')'])).toEqual([
      'call(\n    first,\n    second,\n)',
    ]);
    expect(blocksIn('py', ['total = one + \\', '    two', 'done = 1'])).toEqual([
      'total = one + \\\n    two\ndone = 1',
    ]);
  });

  it('have 2 to 12 lines, and no more units than a suggestion could hold', () => {
    const assignments = (count: number): string[] =>
      Array.from({ length: count }, (_, index) => `    x${index} = ${index}`);
    expect(blocksIn('py', ['def f():', ...assignments(1)])).toHaveLength(1);
    const found = blocksIn('py', ['class A:', ...assignments(20)]);
    expect(found.map((block) => block.split('\n').length)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    const long = Array.from({ length: 6 }, (_, index) => `    y${index} = '${'a'.repeat(80)}'`);
    expect(blocksIn('py', ['def f():', ...long]).map((block) => block.split('\n').length)).toEqual([4, 3, 2]);
  });
});

describe('blocks in languages with braces', () => {
  it('are found in TypeScript', () => {
    expect(
      blocksIn('js', [
        'export function first(all: string[]): string {',
        '  if (all.length === 0) {',
        "    return ')';",
        '  }',
        '  return all',
        '    .map((one) => one.trim())',
        '    .join();',
        '}',
      ]),
    ).toEqual([
      'export function first(all: string[]): string {\n  if (all.length === 0) {\n' +
        "    return ')';\n  }\n  return all\n    .map((one) => one.trim())\n    .join();\n}",
      "if (all.length === 0) {\n    return ')';\n  }\n  return all\n    .map((one) => one.trim())\n    .join();",
      'return all\n    .map((one) => one.trim())\n    .join();',
    ]);
  });

  it('are found in Go, with tabs', () => {
    expect(
      blocksIn('go', [
        'func Sum(all []int) int {',
        '\ttotal := 0',
        '\tfor _, one := range all {',
        '\t\ttotal += one',
        '\t}',
        '',
        '\treturn total',
        '}',
      ]),
    ).toEqual([
      'total := 0\n\tfor _, one := range all {\n\t\ttotal += one\n\t}\n\n\treturn total',
      'for _, one := range all {\n\t\ttotal += one\n\t}',
    ]);
  });
});

describe('brackets', () => {
  it('are balanced when each is closed by its own kind, those in strings aside', () => {
    for (const text of ['', 'f(a[1], {b: 2})', 'g(\'(\', "[", `{\n`)', "'it\\'s ('"]) {
      expect(isBalanced(text)).toBe(true);
    }
    for (const text of ['(', ')', '(]', '} else {', ')(']) expect(isBalanced(text)).toBe(false);
  });
});
