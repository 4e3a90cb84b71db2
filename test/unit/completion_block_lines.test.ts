/** Which lines make a suggestion of several. */
import { describe, expect, it } from 'vitest';
import { BlockLines, type Multiline, takesLines } from '../../core/completion/block_lines';
import { type DocumentSnapshot, snapshotOfText } from '../../core/completion/document';

/** The document with the cursor at `|`. */
function at(text: string, languageId = 'python'): DocumentSnapshot {
  const offset = text.indexOf('|');
  const plain = text.slice(0, offset) + text.slice(offset + 1);
  return snapshotOfText({ uri: 'u', path: 'a', languageId, text: plain, offset });
}

function asks(text: string, first: string, multiline: Multiline = 'auto', languageId = 'python'): boolean {
  return new BlockLines(at(text, languageId), first).asksForMore(multiline);
}

/** The suggestion that the lines of `made` come to, as far as they are taken. */
function made(text: string, lines: string, languageId = 'python'): string {
  const [first = '', ...next] = lines.split('\n');
  const block = new BlockLines(at(text, languageId), first);
  for (const line of next) if (!block.add(line)) break;
  return block.text;
}

describe('lines follow', () => {
  it.each([
    ['behind a line that opens a body', 'if x|', ' > 1:'],
    ['in a body that begins', 'def f():\n    |', 'x = 1'],
    ['behind a comment', '# Adds two numbers.\n|', 'def add(a, b):'],
    ['in a body below a comment', '    # Adds two numbers.\n    |\n', 'return a + b'],
  ])('%s', (_, text, first) => {
    expect(asks(text, first)).toBe(true);
    expect(asks(text, first, 'never')).toBe(false);
  });

  it.each([
    ['behind a plain line', 'x = |', '1'],
    ['within a body', 'def f():\n    x = 1\n    |', 'y = 2'],
    ['where a body was left', 'def f():\n|', 'x = 1'],
    ['where the body stands already', 'def f(|\n    return 1', '):'],
    ['behind a comment that is deeper', '    # Done.\n|', 'x = 1'],
  ])('not %s', (_, text, first) => {
    expect(asks(text, first)).toBe(false);
  });

  it('at any line where they always may, but where the body stands already', () => {
    expect(asks('x = |', '1', 'always')).toBe(true);
    expect(asks('def f(|\n    return 1', '):', 'always')).toBe(false);
  });

  it('neither in prose, nor in JSON, nor before code', () => {
    expect(asks('A list:\n    |', 'one', 'always', 'markdown')).toBe(false);
    expect(asks('{\n  |', '"a": {', 'always', 'json')).toBe(false);
    expect(takesLines(at('f(|) + 1'))).toBe(false);
    expect(takesLines(at('f(|  \n) + 1'))).toBe(true);
  });
});

describe('a suggestion of several lines is over', () => {
  it.each([
    ['where a body is left', 'def f(a):\n    |', 'b = a\n    return b\ndef g():', 'b = a\n    return b'],
    ['where what the first line opens is left', '    if a|', ':\n        b()\n    c()', ':\n        b()'],
    ['behind the bracket that closes it', 'if (a|', ') {\n    b();\n}\nc();', ') {\n    b();\n}'],
    ['where its first two lines stand below', 'x = 1\n|\n\n#\n# The rest.\n', '#\n# The rest.', '#'],
    ['before a line that stands below', 'for a in b:\n    |\n    d()', 'c()\n    d()', 'c()'],
    ['where lines repeat', 'for a in b:\n    |', 'c()\n    d()\n    d()\n    d()', 'c()\n    d()\n    d()'],
    ['before a line that is too deep', 'for a in b:\n    |', 'c()\n        d()', 'c()'],
    ['before a line that is not deep enough', 'for a in b:\n    |', 'if c:\n    d()', 'if c:'],
  ])('%s', (_, text, lines, expected) => {
    expect(made(text, lines)).toBe(expected);
  });

  it.each([
    ['shellscript', 'for f in *; do|', '\n  echo $f\ndone'],
    ['shellscript', 'while read -r a|', '; do\n  f "$a"\ndone < list'],
    ['shellscript', 'if a; then|', '\n  b\nelse\n  c\nfi;'],
    ['lua', 'if a then|', '\n  b()\nelseif c then\n  d()\nend'],
    ['lua', 'f(a, function() if b then|', '\n  c()\nend)'],
    ['ruby', 'a.each do|', '\n  begin\n    b\n  end\nend'],
    ['ruby', 'if a then|', '\n  b\nelsif c then\n  d\nend'],
  ])('goes on to the word that closes a body: %s, %s', (languageId, text, lines) => {
    expect(made(text, lines, languageId)).toBe(lines);
  });

  it.each([
    ['javascript', 'if (a) {|', '\n  b();', '\ndone();'],
    ['python', 'for a in b:|', '\n    c()', '\nend = 1'],
    ['python', 'for a in b:|', '\n    c()', '\ndone, left = d()'],
    ['python', 'for a in b:|', '\n    c()', '\nending'],
  ])('is over before a name that is such a word elsewhere: %s, %s', (languageId, text, body, next) => {
    const [first = '', ...lines] = (body + next).split('\n');
    const block = new BlockLines(at(text, languageId), first);
    expect(lines.map((line) => block.add(line))).toEqual([true, false]);
  });

  it('goes on over closing lines, each less deep than the last', () => {
    const lines = '\n\tfor {\n\t\tif a {\n\t\t\tb()\n\t\t}\n\t}\n}';
    expect(made('func f() {|', lines, 'go')).toBe(lines);
  });

  it('goes on with the parts of a statement', () => {
    const lines = 'if a:\n        b()\n    else:\n        c()';
    expect(made('def f():\n    |', lines)).toBe(lines);
    const first = ':\n        b()\n    else:\n        c()';
    expect(made('    if a|', first)).toBe(first);
  });

  it('ends with a line behind which nothing is missing', () => {
    expect(made('def f():\n    |', 'a = 1\n    if a:')).toBe('a = 1');
    expect(made('def f():\n    |', 'a = g(\n        1,')).toBe('a = g(');
    expect(made('def f():\n    |', 'a = g(\n        1,\n    )')).toBe('a = g(\n        1,\n    )');
    expect(made('def f():\n    |', 'a = 1\n    b = "x')).toBe('a = 1');
    const lifetime = 'let a: &\'static str = "x";\n    let b = f::<\'a>(1);';
    expect(made('fn f() {\n    |\n}', lifetime, 'rust')).toBe(lifetime);
    const digits = "int a = 1'000; // Don't ask.\n    int b = 2;";
    expect(made('int f() {\n    |\n}', digits, 'cpp')).toBe(digits);
    expect(made('if (a) {\n  |\n}', 'b();\n  if (c) {\n    d();', 'javascript')).toBe('b();');
  });

  it('goes on behind a line that closes what stands above', () => {
    expect(made('if (a) {\n  b();\n} else|', ' {\n  c();\n}', 'javascript')).toBe(' {\n  c();\n}');
    expect(made('f(() => {\n  b();\n});|', '\nc();', 'javascript')).toBe('\nc();');
    expect(made('if (a) {\n  b();\n}|', '\nc(1);\nd();', 'javascript')).toBe('\nc(1);\nd();');
  });

  it('takes comments for whole, whatever they end with', () => {
    expect(made('def f():\n    |', 'a = 1\n    # And so on.')).toBe('a = 1\n    # And so on.');
    expect(made("# Don't (ever|", '.\na = 1\nb = 2')).toBe('.\na = 1\nb = 2');
  });

  it('leaves a bracket open that is closed below, at its depth', () => {
    expect(made('if (a|\n}', ') {\n    b();', 'javascript')).toBe(') {\n    b();');
    expect(made('function f() {\n  if (a|\n}', ') {\n    b();', 'javascript')).toBe(') {');
  });

  it('has no more lines than one reads', () => {
    const many = Array.from({ length: 30 }, (_, index) => `    x${index} = ${index}`);
    expect(made('def f():\n    |', many.join('\n').trimStart()).split('\n')).toHaveLength(12);
  });

  it('knows brackets in comments and strings', () => {
    const lines = 'a = "("\n    # Don\'t (ever.\n    b = 1';
    expect(made('def f():\n    |', lines)).toBe(lines);
  });
});
