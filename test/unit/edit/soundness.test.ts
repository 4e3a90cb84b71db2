import { describe, expect, it } from 'vitest';
import { spansOf } from '../../../core/edit/code_scan';
import { broken } from '../../../core/edit/soundness';

describe('the parts of a text', () => {
  const kinds = (text: string, languageId: string): readonly string[] =>
    spansOf(text, languageId).map(({ kind, start, end }) => `${kind}:${text.slice(start, end)}`);

  it('are code, strings and comments', () => {
    expect(kinds('x = "a # b" # c\ny', 'python')).toEqual([
      'code:x = ',
      'string:"a # b"',
      'code: ',
      'comment:# c',
      'code:\ny',
    ]);
    expect(kinds('"""a\n"b" """+1', 'python')).toEqual(['string:"""a\n"b" """', 'code:+1']);
    expect(kinds("a /* ' */ + 'b\\'c' // d", 'typescript')).toEqual([
      'code:a ',
      "comment:/* ' */",
      'code: + ',
      "string:'b\\'c'",
      'code: ',
      'comment:// d',
    ]);
    expect(kinds("&'a str == '\\n'", 'rust')).toEqual(["code:&'a str == ", "string:'\\n'"]);
    expect(kinds("it's", 'markdown')).toEqual(["code:it's"]);
  });

  it('cover the text', () => {
    for (const text of ['', '"', '\\', '= /a', '/* x', "'a\nb", '`${a}\n`', '#'])
      for (const language of ['python', 'typescript', 'rust', 'plaintext', 'html', 'sql'])
        expect(
          spansOf(text, language)
            .map(({ start, end }) => text.slice(start, end))
            .join(''),
        ).toBe(text);
  });
});

describe('an edited text', () => {
  it.each([
    ['typescript', 'f(1);', 'f(1;'],
    ['typescript', 'f("a");', 'f("a);'],
    ['typescript', 'f(1);', 'f(1]);'],
    ['typescript', 'f(1);', "f('it's');"],
    ['typescriptreact', 'f(1);', "f('don't do it');"],
    ['php', "f('a');", "f('it's');"],
    ['typescript', 'a = b / c;', 'a = b / (c; d /'],
    ['shellscript', 'echo a', "echo don't"],
    ['cpp', "f('a');", "f('a);"],
    ['php', 'f();', '#[A(\nf();'],
    ['cpp', 'a = R"(b)";', 'a = R"(b";'],
    ['perl', 'f(1);#', 'f($#a;'],
    ['python', 'if a:\n    b\n', 'if a:\nb\n'],
    ['python', 'a = 1\nb = 2\n', 'a = 1\n    b = 2\n'],
    ['python', 'if a:\n    b\nc\n', 'if a:\n    b\n  c\n'],
    ['python', 'x = [\n1,\n]\n', 'x = [\n1,\n'],
    ['json', '{"a": 1}', '{"a": }'],
    ['json', '{"a": 1}', '{"a": 1'],
    ['javascript', 'let a = 1;', 'let let = 1;'],
    ['javascript', 'function f() { return 1; }', 'function f() { return return; }'],
  ])('is broken: %s %s', (languageId, before, after) => {
    expect(broken(before, after, languageId)).toBeDefined();
    expect(broken(before, before, languageId)).toBeUndefined();
    // What was broken before is no fault of the edit.
    expect(broken(after, after, languageId)).toBeUndefined();
  });

  it.each([
    ['python', 'def f():\n    """Doc: (\n  more\n"""\n    return (1,\n2)\n\n# x\n  # y\nclass A:\n\tpass\n'],
    ['python', 'if a:\n    b\nelif c:\n    d\nelse: e\nx = {\n    1: 2,\n}\n'],
    ['python', 'x = a \\\n      + b\nfor i in x:  # :\n    pass\n'],
    ['javascript', 'import a from "b";\nexport const c = `(${a}`;\n'],
    ['json', '// x\n{"a": [1, 2,], }\n'],
    ['rust', "fn f<'a>(x: &'a str) -> char { ')' }\n"],
    ['html', "<p>don't (the dogs' own)</p>\n"],
    ['typescriptreact', "const a = <p>don't</p>;\n"],
    ['php', "<p>don't</p>\n"],
    ['vue', "<p>don't</p>\n<script>\na.split('(')\n</script>\n"],
    ['yaml', "x: don't\ny: '('\n"],
    ['yaml', 'x: a#b(\ny: )\n'],
    ['php', "# don't\n#[A(\n  b)]\nf();\n"],
    ['makefile', "a:\n\techo don\\'t\n"],
    ['shellscript', 'echo ${#a[@]} $# # don\'t (\necho a#b "c";# (\n'],
    ['shellscript', "echo 'it'\\''s ('\n"],
    ['typescript', "a.split(/['\"(]/);\nreturn /[/(]\\/\"/g.test(b);\nc = d / e; f('/');\n"],
    ['typescriptreact', 'const a = <B c={d} /> || <E>{f}</E>;\nconst g = h => /(\\()/u;\n'],
    ['cpp', "int a = 1'000, b = 0xFF'FF'AA'0;\n"],
    ['cpp', "int a = u8'(' + L'\\'' + '(';\n"],
    ['cpp', 'auto a = R"x(")" ()x" + u8R"(\\)";\n'],
    ['rust', 'let a = r#"say "(\\"#;\nlet b = br##"("#"##;\n'],
    ['perl', "for (0..$#a) { print $#{$b}; } # don't (\n"],
  ])('is in order: %s', (languageId, text) => {
    expect(broken('', text, languageId)).toBeUndefined();
    const empty = { json: '{}' }[languageId] ?? '';
    expect(broken(empty, text, languageId)).toBeUndefined();
  });
});
