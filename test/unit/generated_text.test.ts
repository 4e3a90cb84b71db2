import { describe, expect, it } from 'vitest';
import { snapshotOfText } from '../../core/completion/document';
import { GeneratedText } from '../../core/generate/generated_text';

interface Inserted {
  readonly text: string;
  readonly over: boolean;
}

/** What is inserted at the `|` of `place` when a model writes `raw` in pieces of `size` units. */
function inserted(place: string, raw: string, size: number): Inserted {
  const offset = place.indexOf('|');
  const text = place.slice(0, offset) + place.slice(offset + 1);
  const generated = new GeneratedText(
    snapshotOfText({ uri: 'u', path: 'a.py', languageId: 'python', text, offset }),
  );
  let result = '';
  for (let at = 0; at < raw.length && !generated.over; at += size) {
    result += generated.add(raw.slice(at, at + size));
  }
  const { over } = generated;
  return { text: result + generated.end(), over };
}

/** The same, however the text is cut into pieces. */
function generate(place: string, raw: string): Inserted {
  const whole = inserted(place, raw, raw.length);
  for (const size of [1, 2, 3, 7]) expect(inserted(place, raw, size), `pieces of ${size}`).toEqual(whole);
  return whole;
}

describe('generated text', () => {
  it('is what the model writes, without blanks at its end and at the end of lines', () => {
    expect(generate('def f():|', '\n    x = 1  \n\n    return x \n \n')).toEqual({
      text: '\n    x = 1\n\n    return x',
      over: false,
    });
    expect(generate('a|', ' \r\n  b\r\nc')).toEqual({ text: '\n  b\nc', over: false });
  });

  it('goes on from the indentation that stands at the cursor', () => {
    expect(generate('def f():\n    |', 'x = 1\n    return x')).toEqual({
      text: 'x = 1\n    return x',
      over: false,
    });
  });

  it('is indented as the document is', () => {
    expect(generate('a:\n\tb:\n\t\t|', 'c\n    d\n        e').text).toBe('c\n\td\n\t\te');
    expect(generate('a:\n  b\n  |', 'c\n\td').text).toBe('c\n  d');
    expect(generate('a:\n\tb\n\t|', '/*\n\t * Adds.\n\t */').text).toBe('/*\n\t * Adds.\n\t */');
    expect(generate('a:\n\tb\n|', '/*\n * Adds.\n */').text).toBe('/*\n * Adds.\n */');
  });

  it('ends where a block is left', () => {
    expect(generate('def f():\n    |', 'return 1\n\n\ndef g():\n    pass')).toEqual({
      text: 'return 1',
      over: true,
    });
    expect(generate('// adds\n|', 'function f() {\n  g();\n}\n\nh();\n')).toEqual({
      text: 'function f() {\n  g();\n}',
      over: true,
    });
  });

  it('ends where the block that the line below goes on with is left', () => {
    const place = 'class A:\n    def f(self):\n        |\n        return 1\n';
    expect(generate(place, 'x = 2\n        y = x\n    def g(self):\n        pass')).toEqual({
      text: 'x = 2\n        y = x',
      over: true,
    });
    expect(generate('def f():\n\tif a:\n\t\t|\n\tc()\n', 'b()\n\n\tc = 1\n')).toMatchObject({ text: 'b()' });
    const deeper = generate('|\n    pass\n', 'import os\ndef f():');
    expect(deeper).toEqual({ text: 'import os\ndef f():', over: false });
  });

  it('ends behind a blank line with what is not as deep as the cursor', () => {
    const method = 'class A:\n    def f(self):\n        |\n';
    expect(generate(method, 'return 1\n\n    def g(self):\n')).toEqual({ text: 'return 1', over: true });
    expect(generate(method, 'if a:\n            b\n\n        c\n    @property')).toMatchObject({
      text: 'if a:\n            b\n\n        c\n    @property',
    });
  });

  it('goes on within a block, and where there is none', () => {
    const branches = 'if a:\n    b\nelse:\n    c\n';
    expect(generate('|', branches)).toEqual({ text: branches.trimEnd(), over: false });
    const prose = 'One.\n\nTwo.\n\nThree.';
    expect(generate('# Title\n|', prose)).toEqual({ text: prose, over: false });
    expect(generate('def f():\n    return 1|', '\n\n\ndef g():\n    return 2\n\nx')).toEqual({
      text: '\n\n\ndef g():\n    return 2',
      over: true,
    });
  });

  it('ends before the line that stands below already', () => {
    expect(generate('function f() {\n  |\n}\n', 'g();\n}\n\nh();')).toEqual({ text: 'g();', over: true });
    expect(generate('a = 1\n|\nreturn total\n', 'b = 2\nreturn total')).toMatchObject({ text: 'b = 2' });
  });

  it('keeps a line that only begins like the one below', () => {
    expect(generate('a = 1\n|\nreturn total\n', 'b = 2\nreturn to')).toMatchObject({
      text: 'b = 2\nreturn to',
    });
    expect(generate('|\nreturn total\n', 'return tool\nx').text).toBe('return tool\nx');
  });

  it('ends in a rut', () => {
    expect(generate('|', 'print(1)\n'.repeat(9))).toEqual({
      text: Array(3).fill('print(1)').join('\n'),
      over: true,
    });
    expect(generate('|', 'a()\nb()\n'.repeat(9))).toMatchObject({ over: true });
    expect(generate('|', '}\n'.repeat(9))).toMatchObject({ over: false });
  });

  it('ends before what is no text', () => {
    expect(generate('|', 'ab\u0000cd')).toEqual({ text: 'ab', over: true });
  });
});
