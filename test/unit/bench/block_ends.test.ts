/** Where blocks end, by the lines and by the syntax tree, and how the two are compared. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decidedAt, decidedTable } from '../../../bench/block_ends/decided_ends';
import { endByLines, endByTree, linesOfText } from '../../../bench/block_ends/deciders';
import { replayed } from '../../../bench/block_ends/replay';
import { shownBy } from '../../../bench/block_ends/several_lines';
import { readStreams } from '../../../bench/block_ends/streams';
import { type CompletionCase, documentOf } from '../../../bench/completion_case';
import type { LineRecord } from '../../../bench/line_record';
import { parserOf } from '../../../bench/parsers';
import { temporaryFolder } from '../../temporary_folder';

/** A case whose cursor is at `|`. */
function caseOf(path: string, text: string, expected = ''): CompletionCase {
  const [prefix = '', suffix = ''] = text.split('|');
  return { id: path, path, prefix, suffix, expected };
}

function byTree(path: string, text: string, lines: string): string {
  const parser = parserOf(path);
  if (parser === undefined) throw new Error(`There is no parser for ${path}.`);
  return endByTree(documentOf(caseOf(path, text)), linesOfText(lines), parser);
}

describe('by the syntax tree a block ends', () => {
  it.each([
    [
      'where a body is left',
      'a.py',
      'def f(a):\n    |',
      'b = a\n    return b\ndef g():',
      'b = a\n    return b',
    ],
    ['where its brace closes', 'a.ts', 'if (a) {\n  |', 'b();\n  c();\n}\nd();', 'b();\n  c();'],
    ['where the brace below closes it', 'a.go', 'func f() {\n\t|\n}\n', 'a()\n\tb()\n}\n', 'a()\n\tb()'],
    ['before a statement that is not whole', 'a.py', 'def f(a):\n    |', 'b = a\n    if b:', 'b = a'],
    [
      'before a bracket that stays open',
      'A.java',
      'class A { void f() {\n    |\n} }',
      'a();\n    b(',
      'a();',
    ],
    ['before a line that stands below', 'a.rs', 'fn f() {\n    |\n    b();\n}', 'a();\n    b();', 'a();'],
    [
      'with a whole statement over lines',
      'a.py',
      'a = 1\n|',
      'b = [\n    1,\n]\nc = 2',
      'b = [\n    1,\n]\nc = 2',
    ],
    [
      'with all branches',
      'a.py',
      'def f():\n    |',
      'if a:\n        b()\n    else:\n        c()',
      'if a:\n        b()\n    else:\n        c()',
    ],
  ])('%s', (_, path, text, lines, expected) => {
    expect(byTree(path, text, lines)).toBe(expected);
  });

  it('though indentation would not tell', () => {
    const lines = 'a = """\nb\n"""\n    return a';
    expect(byTree('a.py', 'def f():\n    |', lines)).toBe(lines);
    expect(endByLines(documentOf(caseOf('a.py', 'def f():\n    |')), linesOfText(lines))).toBe('a = """');
  });
});

describe('what is decided', () => {
  const one = caseOf('a.py', 'def f(a):\n    |\n\nf()\n', 'b = a\n    return b');

  it('ends at the first blank line, and before a line that was cut', () => {
    expect(linesOfText('a\n  b  \n\nc')).toEqual(['a', '  b']);
    expect(decidedAt(one, { id: 'a.py', text: 'b = a\n    return b\n\nf(', ended: false })?.model).toBe(
      'b = a\n    return b',
    );
    expect(decidedAt(one, { id: 'a.py', text: 'b = a\n    return', ended: false })?.model).toBe('b = a');
    expect(decidedAt(one, { id: 'a.py', text: 'b = a\n    return', ended: true })?.model).toBe(
      'b = a\n    return',
    );
    expect(decidedAt(one, { id: 'a.py', text: ' \n', ended: true })).toBeUndefined();
    expect(decidedAt({ ...one, path: 'a.md' }, { id: 'a', text: 'b', ended: true })).toBeUndefined();
  });

  it('is compared place by place', () => {
    const right = 'b = a\n    return b';
    const table = decidedTable([
      { case: one, model: `${right}\nf()`, lines: right, tree: right },
      { case: one, model: right, lines: 'b = a', tree: right },
    ]);
    expect(table).toContain('| py, block | 2 | 50.0 | 50.0 | 100.0 | 1 | 0 | 1 | 1.000 |');
    expect(table).toContain('| all, statement | 2 | 50.0 | 100.0 | 100.0 | 1 | 0 | 0 | 1.000 |');
  });
});

describe('what the model said of lines', () => {
  const line = (text: string, certainty: number): LineRecord => ({
    text,
    certainty,
    shown: true,
    reason: 'shown',
    stop: 'line_end',
    confidence: certainty,
    endProbability: 0,
    made: text,
    tokens: { probabilities: [certainty], ends: [text.length] },
  });
  const end: LineRecord = { ...line('', 0), shown: false, reason: 'blank_result' };
  const document = documentOf(caseOf('a.py', 'def f(a):\n    |'));
  const lines = [line('b = a', 0.8), line('    c = b', 0.5), line('    return c', 0.5), end];

  it('gives the suggestion that it gave, or would give where it had to be surer', async () => {
    expect((await replayed(document, lines, 0.2)).text).toBe('b = a\n    c = b\n    return c');
    expect((await replayed(document, lines, 0.5)).text).toBe('b = a');
    expect((await replayed(document, lines, 0.6)).text).toBe('b = a');
    expect((await replayed(document, lines, 0.9)).shown).toBe(false);
  });

  it('tells how many suggestions have several lines, and end right, by both rules', async () => {
    const asked = [
      { case: caseOf('a.py', 'def f(a):\n    |', 'b = a\n    c = b\n    return c'), lines },
      { case: caseOf('a.py', 'def f(a):\n    |', 'b = a\n    c = b\n    d()'), lines: lines.slice(0, 2) },
    ];
    // The second does not come to its end.
    expect(await shownBy(asked, 'ended', 0.15)).toMatchObject({
      several: 1,
      share: 50,
      end: 100,
      whole: 100,
      part: 0,
    });
    const sure = { several: 2, share: 100, firstLine: 100, end: 50, whole: 50, part: 50 };
    expect(await shownBy(asked, 'sure', 0.15)).toMatchObject(sure);
    expect(await shownBy(asked, 'sure', 0.6)).toMatchObject({ several: 0, share: 0, end: 0 });
  });
});

it('what is no text of a model is told by its line, and one whose writing was interrupted', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'streams.jsonl');
  const whole = JSON.stringify({ id: 'a', text: 'x = 1', ended: true });
  for (const line of ['{}', whole.slice(0, 20)]) {
    writeFileSync(file, `${whole}\n${line}\n`);
    await expect(readStreams(file)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/^Line 2 of .*streams\.jsonl is no text of a model/) as string,
    });
  }
});
