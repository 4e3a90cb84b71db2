import { describe, expect, it } from 'vitest';
import { type DocumentSnapshot, snapshotOfText } from '../../core/completion/document';
import { postprocess } from '../../core/completion/postprocess';

function at(text: string, changes: Partial<DocumentSnapshot> = {}): DocumentSnapshot {
  const offset = text.indexOf('|');
  const plain = text.slice(0, offset) + text.slice(offset + 1);
  return {
    ...snapshotOfText({ uri: 'u', path: 'a.py', languageId: 'python', text: plain, offset }),
    ...changes,
  };
}

const shape = (raw: string, document: DocumentSnapshot): ReturnType<typeof postprocess> =>
  postprocess(raw, 'line_end', document);

describe('post-processing', () => {
  it('shows one line without trailing space', () => {
    expect(shape('a + b  \nmore', at('return |'))).toEqual({ text: 'a + b', replace: 0, reason: undefined });
    expect(shape('a + b\r\nmore', at('return |')).text).toBe('a + b');
  });

  it('shows nothing for nothing', () => {
    expect(shape('', at('x|')).reason).toBe('blank_result');
    expect(shape('  \t', at('x|')).reason).toBe('blank_result');
    expect(shape('\nx', at('x|')).reason).toBe('blank_result');
  });

  it('drops a stray leading space, but not indentation', () => {
    expect(shape(' a', at('return |')).text).toBe('a');
    expect(shape(' = 1', at('x|')).text).toBe(' = 1');
    expect(shape('    return', at('def f():\n|')).text).toBe('    return');
  });

  it('indents as the document does', () => {
    expect(shape('\treturn', at('def f():\n|', { tabs: false, tabSize: 2 })).text).toBe('  return');
    expect(shape('        return', at('def f():\n|', { tabs: true, tabSize: 4 })).text).toBe('\t\treturn');
  });

  it.each([
    [4, '\t * Adds.', '\t * Adds.'],
    [4, '     * Adds.', '\t * Adds.'],
    [8, ' * Adds.', ' * Adds.'],
    [8, '\t  b)', '\t  b)'],
    [4, '\t    b', '\t\tb'],
    [4, '  b', '\tb'],
    [4, '       b', '\t\tb'],
  ])('aligns behind tabs of %i with blanks: %j', (tabSize, written, expected) => {
    expect(shape(written, at('f(a,\n|', { tabs: true, tabSize })).text).toBe(expected);
  });

  it('begins no string of several lines that it leaves open, and ends one', () => {
    expect(shape('    """', at('def f():\n|')).reason).toBe('does_not_fit');
    expect(shape('"""', at('def f():\n    """Adds.\n    |')).reason).toBeUndefined();
    expect(shape('"""Adds."""', at('def f():\n    |')).reason).toBeUndefined();
    expect(shape('"""Adds.', at('def f():\n    |')).reason).toBe('does_not_fit');
    expect(shape('Adds."""', at('def f():\n    """|')).reason).toBeUndefined();
    expect(shape('"""Adds."""', at('# """ begins a text\ndef f():\n    |')).reason).toBeUndefined();
    expect(shape('Adds.', at('def f():\n    """|')).reason).toBeUndefined();
    expect(shape("re.compile(r'''", at('word = |')).reason).toBe('does_not_fit');
    expect(shape("[a-z]''')", at("word = re.compile(r'''\n    |")).reason).toBeUndefined();
  });

  it('closes no block that is not as deep as the brace', () => {
    const reason = (text: string, raw: string): string | undefined => shape(raw, at(text)).reason;
    expect(reason('function f() {\n    a();\n    |\n}', '}')).toBe('does_not_fit');
    expect(reason('function f() {\n    |', '} else {')).toBe('does_not_fit');
    expect(reason('function f() {\n    a();\n|', '    }')).toBe('does_not_fit');
    expect(reason('function f() {\n    if (a) {\n        b();\n    |\n}', '}')).toBeUndefined();
    expect(reason('function f() {\n    if (a) {\n        b();\n    } else {\n    |', '}')).toBeUndefined();
    expect(reason('function f() {\n    a();\n|', '}')).toBeUndefined();
    expect(reason('function f() {\n    if (a) {\n        b();\n    }\n    c();\n    |', '}')).toBe(
      'does_not_fit',
    );
    // A head over two lines, and labels that are as deep as their block's brace.
    const method = 'class A {\n    void f(int a,\n           int b) {\n        g();\n    ';
    expect(reason(`${method}|`, '}')).toBeUndefined();
    expect(reason(`${method}}\n    |`, '}')).toBe('does_not_fit');
    expect(reason('func f() {\n\tswitch x {\n\tcase 1:\n\t\tg()\n\t|', '}')).toBeUndefined();
  });

  it.each([
    ['void f() {\n    if (a) {\n        b();\n#endif\n    |', '}', undefined],
    ['void f() {\n    if (a) {\n#if B\n        b();\n#endif\n    }\n    |', '}', 'does_not_fit'],
    ["f(() => {\n  it('x', () => {\n    const a = `\ntext\n`;\n  |", '});', undefined],
    ["f(() => {\n  it('x', () => {\n    const a = `\ntext\n`;\n  });\n  |", '});', 'does_not_fit'],
    ['void f() {\n    while (a) {\nagain:\n        b();\n    |', '}', undefined],
    // A brace that stands there already is none that is open.
    ['if (a) {\n  b();\n}|', ' else {', undefined],
    ['if (a) {\n  b();\n} |', 'else {', undefined],
  ])('finds the block of a brace behind lines at the edge: %j, %s', (text, raw, reason) => {
    expect(shape(raw, at(text)).reason).toBe(reason);
  });

  it('closes no block at the edge where none is open', () => {
    const reason = (text: string, raw: string): string | undefined => shape(raw, at(text)).reason;
    expect(reason('type A = <\n  B extends {} = {}\n>() => B\n|', '}')).toBe('does_not_fit');
    expect(reason("const a = '}';\nf(() => {\n|", '}')).toBeUndefined();
    expect(reason('namespace a {\nint b;\n|', '}')).toBeUndefined();
    expect(reason('f(a,\n  b) {\n  c();\n|', '}')).toBeUndefined();
    // What opens it may stand in front of what is looked at.
    expect(reason(`${'b();\n'.repeat(10_000)}|`, '}')).toBeUndefined();
    expect(reason(`${'  b();\n'.repeat(10_000)}  |`, '}')).toBeUndefined();
  });

  it('respects what stands right of the cursor', () => {
    expect(shape('a, b)', at('f(|)')).text).toBe('a, b');
    expect(shape('a, b):', at('def f(|)'))).toMatchObject({ text: 'a, b):', replace: 1 });
    expect(shape(')', at('f(|)')).reason).toBe('already_there');
    expect(shape('foo', at('x = | + 1')).reason).toBe('does_not_fit');
  });

  it('never shows half a character or unprintable ones', () => {
    expect(shape('x\ud83d', at('a |')).text).toBe('x');
    expect(shape('x\ufffdy', at('a |')).reason).toBe('not_text');
    expect(shape('x\u0007', at('a |')).reason).toBe('not_text');
  });

  it('hides repetition', () => {
    expect(shape('value = 1', at('value = 1\n|')).reason).toBe('repeats_line');
    expect(shape('ue = 1', at('x\n\nval|\n\nvalue = 1\n')).reason).toBe('repeats_line');
    expect(shape('},', at('  a: {\n    b: {\n    },\n  |'))).toMatchObject({ reason: undefined });
    expect(postprocess('0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0,', 'max_tokens', at('x = [|]')).reason).toBe(
      'repetitive',
    );
    const simple = `A simple, yet powerful${', and very efficient'.repeat(3)}, and very`;
    expect(postprocess(simple, 'max_tokens', at('"|"')).reason).toBe('repetitive');
    const twice = `A simple, yet powerful${', and very efficient'.repeat(2)}, and very`;
    expect(postprocess(twice, 'max_tokens', at('"|"')).reason).toBeUndefined();
    expect(postprocess('--------------------', 'max_tokens', at('# |')).reason).toBeUndefined();
  });

  it.each([
    ['<div>\n  <div>\n    a\n  </div>\n|', '</div>', undefined],
    ['if(A)\n  if(B)\n    f()\n  endif()\n|', 'endif()', undefined],
    ['<div>\n  <div>\n    a\n    |\n</div>', '</div>', undefined],
    ['<div>\n  a\n</div>\n|', '</div>', 'repeats_line'],
    ['  <div>\n    a\n  </div>\n|', '  </div>', 'repeats_line'],
    ['if a:\n        |\n    return total', 'return total', 'repeats_line'],
    ['if a:\n        |\n    end_time = now()', 'end_time = now()', 'repeats_line'],
    ['    loop do\n      a\n    end if\n|', '  end if', undefined],
  ])('hides no line that ends what is less deep: %j, %s', (text, raw, reason) => {
    expect(shape(raw, at(text)).reason).toBe(reason);
  });

  it('hides a repeated line also where it replaces closed brackets', () => {
    const document = at('print(a);\nprint(|)');
    expect(shape('a);', document)).toMatchObject({ text: 'a);', replace: 1, reason: 'repeats_line' });
  });

  it('judges what it shows of a long line, and no more', () => {
    const long = Array.from({ length: 200 }, (_, index) => `v${index}`).join(' ');
    const end = ' 0, 0, 0, 0, 0, 0, 0, 0, 0,';
    expect(postprocess(long + end, 'max_tokens', at('x = |')).reason).toBeUndefined();
    expect(shape(`${long}\u0007`, at('x = |'))).toMatchObject({
      text: long.slice(0, 400).trimEnd(),
      reason: undefined,
    });
    expect(shape(`${'x'.repeat(399)}\u{1f600}`, at('a |')).text).toBe('x'.repeat(399));
  });

  it('keeps the text of what it hides', () => {
    expect(shape('foo', at('x = | + 1')).text).toBe('foo');
    expect(shape('value = 1', at('value = 1\n|')).text).toBe('value = 1');
  });
});
