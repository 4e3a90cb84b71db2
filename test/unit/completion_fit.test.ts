import { describe, expect, it } from 'vitest';
import { fitToLine } from '../../core/completion/fit';

describe('fitting a suggestion to the rest of the line', () => {
  it.each([
    ['nothing right', 'a, b)', '', 'a, b)', 0],
    ['trailing space', 'a, b  ', '', 'a, b', 0],
    ['a bracket the editor closed', 'a, b)', ')', 'a, b', 0],
    ['more after that bracket', 'a, b):', ')', 'a, b):', 1],
    ['brackets of its own', 'foo(x)', ')', 'foo(x)', 0],
    ['brackets of its own and the closed one', 'foo(x))', ')', 'foo(x)', 0],
    ['two closed brackets, one suggested', 'a)', '))', 'a', 0],
    ['a closed string', 'hello")', '")', 'hello', 0],
    ['a closed string and more', 'hello", 1)', '"', 'hello", 1)', 1],
    ['an escaped quote', 'say \\"hi\\"")', '")', 'say \\"hi\\"', 0],
    ['the statement mark', 'foo();', ';', 'foo()', 0],
    ['bracket and mark', 'a, b);', ');', 'a, b', 0],
    ['another bracket than the closed one', 'a]', ')', 'a', 0],
    ['space before the closed bracket', ' a: 1 }', ' }', ' a: 1', 0],
    ['a bracket within a string', '")", x)', ')', '")", x', 0],
    ['a bracket that it opens and leaves open', 'function () {', ')', 'function () {}', 0],
    ['several such brackets', 'true, "a": [{', '}', 'true, "a": [{}]', 0],
    ['code that the suggestion leads to', 'a, b)', ', b)', 'a', 0],
    ['code after a space', 'a + b', ' + b', 'a', 0],
    ['code and a mark more', 'Check": true,', '": true', 'Check', 0],
    ['code and the mark that stands there', 'a, b);', ', b);', 'a', 0],
    ['the end of a tag', 'class="a">', '>', 'class="a"', 0],
    ['the end of a list of types', 'string>', '>', 'string', 0],
    ['the end of such a list, and the mark', 'string>;', '>;', 'string', 0],
    ['the end of such a list without the mark', 'string>', '>;', 'string', 0],
    ['types within types, and the end', 'Map<string, number>>', '>', 'Map<string, number>', 0],
    ['types within types', 'Map<string, number>', '>', 'Map<string, number>', 0],
    ['an arrow', '() => void', '>', '() => void', 0],
    ['the end of a tag, and its content', 'class="x">{foo}', '>', 'class="x">{foo}', 1],
    ['the end of a list of types, and a value', 'u8> = vec![];', '>', 'u8> = vec![];', 1],
    ['the end of a list of types, and less than stands there', 'u8> =', '>;', 'u8', 0],
    ['angles within brackets and strings', 'a={b>c} d="e > f"', '>', 'a={b>c} d="e > f"', 0],
    ['a comparison', 'a > b', '>', 'a > b', 0],
    ['the mark in front of a bracket', 'red;', '; }', 'red', 0],
    ['the mark in front of brackets', 'null;', '; })', 'null', 0],
    ['the mark and the bracket, apart', 'null; }', '; }', 'null', 0],
    ['the mark of an item in front of a bracket', '1,', ', }', '1', 0],
    ['two marks of which one is said', 'a,', ',,', 'a', 0],
    ['another mark', 'a,', '; }', 'a,', 0],
    ['a quote within three', 'Say "hi".', '"""', 'Say "hi".', 0],
    ['three quotes behind one within', 'Say "hi"."""', '"""', 'Say "hi".', 0],
    ['an escaped quote within three', String.raw`\""" a"""`, '"""', String.raw`\""" a`, 0],
  ])('%s', (_, text, right, inserted, replace) => {
    expect(fitToLine(text, { left: '', right })).toEqual({ kind: 'insert', text: inserted, replace });
  });

  it.each(['see (', "it's"])('leaves %s as it is in a string', (text) => {
    const fit = { kind: 'insert', text, replace: 0 };
    expect(fitToLine(text, { left: 's = "', right: '"' })).toEqual(fit);
  });

  it.each([
    ['a lifetime', 'fn f(x: &', "'static str) {", ')', "'static str"],
    ['a lifetime behind another', 'f(', "&'a x, &'b y", ')', "&'a x, &'b y"],
    ['lifetimes in angles', 'f(', "Foo<'a, 'b>", ')', "Foo<'a, 'b>"],
    ['an apostrophe', '// (', "it's fine", ')', "it's fine"],
    ['apostrophes', '(', "don't, I'm not", ')', "don't, I'm not"],
    ['the parts of a number', 'f(', "1'000'000, 1'0", ')', "1'000'000, 1'0"],
    ['a lifetime behind a colon', 'f<T>(x: T where T: ', "'static)", ')', "'static"],
    ['a string with a prefix', 'f(', "b'it) s'", ')', "b'it) s'"],
    ['a path that begins as a lifetime', 'open(', "'static/app.js'", ')', "'static/app.js'"],
    ['a string that begins as a lifetime', 'f(', "'static (files'", ')', "'static (files'"],
    ['a string behind an angle', 'f(x ', "<'a (b'", ')', "<'a (b'"],
  ])('tells quotes from other marks: %s', (_, left, text, right, inserted) => {
    const fit = fitToLine(text, { left, right });
    expect(fit).toMatchObject({ kind: 'insert', text: expect.stringContaining(inserted) as string });
  });

  it.each([
    ['a bracket', 's = ', 'foo(a', ';'],
    ['a quote', 'case ', "'a", ':'],
  ])('refuses %s that would be open in front of what stands there', (_, left, text, right) => {
    expect(fitToLine(text, { left, right })).toEqual({ kind: 'does_not_fit' });
  });

  it('says when everything is there already', () => {
    expect(fitToLine(')', { left: '', right: ')' })).toEqual({ kind: 'already_there' });
    expect(fitToLine('";', { left: '', right: '";' })).toEqual({ kind: 'already_there' });
    expect(fitToLine('>', { left: '<div', right: '>' })).toEqual({ kind: 'already_there' });
  });

  it('refuses what does not lead to the code right of the cursor', () => {
    expect(fitToLine('foo(1)', { left: '', right: ' + bar' })).toEqual({ kind: 'does_not_fit' });
    expect(fitToLine('foobar', { left: '', right: 'bar' })).toEqual({ kind: 'does_not_fit' });
  });

  it.each([
    ['an operand behind', 'return ', 'x * 2', 'x', 'x * 2'],
    ['a call around', 'return ', 'max(x, 0)', 'x', 'max(x, 0)'],
    ['an argument in front and one behind', 'foo(', 'a, b, c)', 'b)', 'a, b, c)'],
    ['a comparison', 'if (', 'x > 0) {', 'x) {', 'x > 0) {'],
    ['a bracket that was missing', 'foo(', 'bar)', 'bar', 'bar)'],
    ['a call between closers', 'foo(', 'a).bar(b);', ');', 'a).bar(b);'],
    ['a string between quotes', 'log("Hello, ', '" + name);', '");', '" + name);'],
    ['all but the mark of a list', '[', 'x + 1,', 'x', 'x + 1,'],
  ])('says again what stands there, with more: %s', (_, left, text, right, inserted) => {
    const fit = { kind: 'insert', text: inserted, replace: right.length };
    expect(fitToLine(text, { left, right })).toEqual(fit);
  });

  it.each([
    ['an argument', 'area(', 'width, height)', ', height) * depth', 'width'],
    ['a condition and what follows it', 'if (', 'isEmpty(items)) return;', ') {', 'isEmpty(items)'],
    ['arguments', 'foo(', 'a, b)', ') + bar', 'a, b'],
    ['an index and a call', 'items[', 'first].name', '].length', 'first'],
  ])('ends before the start of the code: %s', (_, left, text, right, inserted) => {
    expect(fitToLine(text, { left, right })).toEqual({ kind: 'insert', text: inserted, replace: 0 });
  });

  it.each([
    ['a word of which the code is a part', 'return ', 'maximum + 1', 'max'],
    ['a part of the code', 'return ', 'x + 1', 'x + y'],
    ['the code in another order', 'foo(', 'b, a)', 'a, b)'],
    ['a bracket left open behind the code', 'return ', 'x + (', 'x'],
    ['a bracket left open in front of the code', 'return ', 'f(g(x', 'x'],
    ['half a string', 'return ', '"a" + "x', 'x'],
    ['a closed bracket too many', 'return ', 'x + 1)', 'x'],
    ['a word that begins as the code does', 'return ', 'first', 'firstly + x'],
    ['an inner bracket that would be left open', 'foo(', 'bar(x)', ') + 1'],
  ])('refuses %s', (_, left, text, right) => {
    expect(fitToLine(text, { left, right })).toEqual({ kind: 'does_not_fit' });
  });

  it('leaves a brace to who goes on that would open what nothing closes', () => {
    expect(fitToLine('x > 0) {', { left: 'if (', right: ')' })).toEqual({
      kind: 'insert',
      text: 'x > 0',
      replace: 0,
    });
  });

  it.each([
    ['an argument in front of another', 'a, ', 'b)', 'a, '],
    ['an argument alone', 'a, b', ')', 'a, b'],
    ['what a statement returns', 'not ', 'ready', 'not '],
    ['a call', 'max(a, b)', ' + 1;', 'max(a, b)'],
    ['a string', '"]" + ', 'rest', '"]" + '],
  ])('leaves %s as it is where the model has seen what follows', (_, text, right, inserted) => {
    expect(fitToLine(text, { left: '', right, between: true })).toEqual({
      kind: 'insert',
      text: inserted,
      replace: 0,
    });
  });

  it.each([
    ['what stays open', 'max(a', ', b)'],
    ['what closes something else', 'a], [', 'b)'],
    ['half a string', '"a', ' + b'],
    ['a word that would go on', 'foo', 'bar'],
  ])('refuses %s although the model has seen what follows', (_, text, right) => {
    expect(fitToLine(text, { left: '', right, between: true })).toEqual({ kind: 'does_not_fit' });
  });

  it('never replaces text that the suggestion does not contain', () => {
    const suggestions = ['a', 'a)', '"', '")', '];', '(x)', "')", '}, {', ' ', 'f("x"))', "it's)"];
    const rights = ['', ')', '"', '")', '}', ']);', ';', ', b)', "'", ' }', '\t)'];
    for (const text of suggestions) {
      for (const right of rights) {
        const fit = fitToLine(text, { left: '', right: right });
        if (fit.kind !== 'insert') continue;
        expect(fit.replace).toBeLessThanOrEqual(right.length);
        expect(fit.text).toContain(right.slice(0, fit.replace));
        expect(fit.text.trim()).not.toBe('');
      }
    }
  });
});
