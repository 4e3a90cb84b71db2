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
    ['a bracket left open in a string', 'see (', '"', 'see (', 0],
    ['code that the suggestion leads to', 'a, b)', ', b)', 'a', 0],
    ['code after a space', 'a + b', ' + b', 'a', 0],
    ['code and a mark more', 'Check": true,', '": true', 'Check', 0],
    ['code and the mark that stands there', 'a, b);', ', b);', 'a', 0],
  ])('%s', (_, text, right, inserted, replace) => {
    expect(fitToLine(text, right)).toEqual({ kind: 'insert', text: inserted, replace });
  });

  it('says when everything is there already', () => {
    expect(fitToLine(')', ')')).toEqual({ kind: 'already_there' });
    expect(fitToLine('";', '";')).toEqual({ kind: 'already_there' });
  });

  it('refuses what does not lead to the code right of the cursor', () => {
    expect(fitToLine('foo(1)', ' + bar')).toEqual({ kind: 'does_not_fit' });
    expect(fitToLine('foobar', 'bar')).toEqual({ kind: 'does_not_fit' });
  });

  it.each([
    ['an argument in front of another', 'a, ', 'b)', 'a, '],
    ['an argument alone', 'a, b', ')', 'a, b'],
    ['what a statement returns', 'not ', 'ready', 'not '],
    ['a call', 'max(a, b)', ' + 1;', 'max(a, b)'],
    ['a string', '"]" + ', 'rest', '"]" + '],
  ])('leaves %s as it is where the model has seen what follows', (_, text, right, inserted) => {
    expect(fitToLine(text, right, true)).toEqual({ kind: 'insert', text: inserted, replace: 0 });
  });

  it.each([
    ['what stays open', 'max(a', ', b)'],
    ['what closes something else', 'a], [', 'b)'],
    ['half a string', '"a', ' + b'],
    ['a word that would go on', 'foo', 'bar'],
  ])('refuses %s although the model has seen what follows', (_, text, right) => {
    expect(fitToLine(text, right, true)).toEqual({ kind: 'does_not_fit' });
  });

  it('never replaces text that the suggestion does not contain', () => {
    const suggestions = ['a', 'a)', '"', '")', '];', '(x)', "')", '}, {', ' ', 'f("x"))', "it's)"];
    const rights = ['', ')', '"', '")', '}', ']);', ';', ', b)', "'", ' }', '\t)'];
    for (const text of suggestions) {
      for (const right of rights) {
        const fit = fitToLine(text, right);
        if (fit.kind !== 'insert') continue;
        expect(fit.replace).toBeLessThanOrEqual(right.length);
        expect(fit.text).toContain(right.slice(0, fit.replace));
        expect(fit.text.trim()).not.toBe('');
      }
    }
  });
});
