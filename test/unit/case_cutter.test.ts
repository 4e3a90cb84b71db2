import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeLines, cutCases, isHandWritten, type SourceFile } from '../../bench/case_cutter';
import { placeOf, readExpectedCases } from '../../bench/completion_case';
import { cut } from '../../bench/cut_command';
import { SeededRandom } from '../../bench/random';

/** Enough lines that any place has something before it. */
const LEAD = Array.from({ length: 8 }, (_, index) => `first_${index} = ${index}\n`).join('');

function linesOf(text: string, language: 'py' | 'js'): string[] {
  const lines = (LEAD + text).split('\n');
  return codeLines(LEAD + text, language).map((index) => lines[index] ?? '');
}

describe('lines that can be cut', () => {
  it('are code in Python', () => {
    const text = [
      '# a comment',
      'def area(radius):',
      '    """Says what it is',
      '    over several lines."""',
      '    pi = 3.14  # roughly',
      "    '''one line'''",
      '',
      '    return pi * radius ** 2',
      ')',
      `x = "${'a'.repeat(120)}"`,
    ].join('\n');
    expect(linesOf(text, 'py')).toEqual(['def area(radius):', '    return pi * radius ** 2']);
  });

  it('are code in JavaScript', () => {
    const text = [
      '/**',
      ' * Says what it is.',
      ' */',
      '/* one line */',
      "const home = 'https://example.com/';",
      '// a comment',
      'run(); // with a comment',
      '  });',
      'stop();',
    ].join('\n');
    expect(linesOf(text, 'js')).toEqual(["const home = 'https://example.com/';", 'stop();']);
  });

  it('come after enough to go by', () => {
    expect(codeLines(LEAD, 'py')).toEqual([]);
    expect(codeLines(`${LEAD}last = 1`, 'py')).toEqual([8]);
  });
});

describe('hand-written files', () => {
  it('are told from generated, minified and binary ones', () => {
    expect(isHandWritten(LEAD)).toBe(true);
    expect(isHandWritten(`// This file was automatically generated.\n// DO NOT EDIT\n${LEAD}`)).toBe(false);
    expect(isHandWritten(`${LEAD}//# sourceMappingURL=index.js.map\n`)).toBe(false);
    expect(isHandWritten(`${LEAD}${'a();'.repeat(150)}\n`)).toBe(false);
    expect(isHandWritten(`${LEAD}\0`)).toBe(false);
  });
});

describe('cutting', () => {
  const text = `${LEAD}if ready:\n    start(\u{1F680}, now)\n    wait(1)\n`;
  const file: SourceFile = { path: 'src/a.py', language: 'py', text };

  it('takes out the rest of a line and nothing else', () => {
    for (const place of ['mid', 'start'] as const) {
      for (let seed = 0; seed < 50; seed++) {
        const cases = cutCases(file, place, 3, new SeededRandom(seed));
        expect(cases).toHaveLength(3);
        for (const one of cases) {
          expect(one.prefix + one.expected + one.suffix).toBe(text);
          expect(one.expected.trim()).not.toBe('');
          expect(one.expected).not.toContain('\n');
          expect(one.suffix.startsWith('\n')).toBe(true);
          expect(placeOf(one)).toBe(place);
          expect(one.prefix).not.toMatch(/[\uD800-\uDBFF]$/);
        }
        expect(new Set(cases.map((one) => one.suffix.length)).size).toBe(3);
      }
    }
  });

  it('keeps the end of a long text, from the start of a line', () => {
    const long = { ...file, text: 'value = 1\n'.repeat(5000) };
    for (const { prefix, suffix } of cutCases(long, 'start', 50, new SeededRandom(3))) {
      expect(prefix.length).toBeLessThanOrEqual(8000);
      expect(suffix.length).toBeLessThanOrEqual(1000);
      expect(prefix === '' || prefix.startsWith('value = 1\n')).toBe(true);
    }
  });
});

describe('case files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'emberline-cases-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const options = { language: 'py', count: 10, perFile: 4, seed: 1 } as const;

  it('are the same for the same seed, and can be read back', async () => {
    for (const name of ['a.py', 'b.py', 'c.js', 'd.py']) {
      await writeFile(join(folder, name), LEAD + LEAD.replaceAll('first', name.slice(0, 1)).repeat(5));
    }
    const one = await cut(folder, { ...options, out: join(folder, 'one.jsonl') });
    await cut(folder, { ...options, out: join(folder, 'two.jsonl') });
    await cut(folder, { ...options, seed: 2, out: join(folder, 'three.jsonl') });
    const [first, second, third] = await Promise.all(
      ['one', 'two', 'three'].map((name) => readFile(join(folder, `${name}.jsonl`), 'utf8')),
    );
    expect(first).toBe(second);
    expect(first).not.toBe(third);
    expect(await readExpectedCases(join(folder, 'one.jsonl'))).toEqual(one);
    expect(one).toHaveLength(10);
    expect(new Set(one.map((each) => each.id)).size).toBe(10);
    expect(one.every((each) => each.path.endsWith('.py'))).toBe(true);
  });

  it('are refused when they do not say what is expected', async () => {
    const path = join(folder, 'bad.jsonl');
    const good = JSON.stringify({ id: 'a', path: 'a.py', prefix: '', suffix: '', expected: 'x' });
    await writeFile(path, `${good}\n{"id": "b"}\n`);
    await expect(readExpectedCases(path)).rejects.toThrow(/^Line 2 of .*bad\.jsonl is no case/);
    await writeFile(path, `${good}\n${good.replace('"x"', '" "')}\n`);
    await expect(readExpectedCases(path)).rejects.toThrow('Case a does not say what is expected');
    await writeFile(path, '\n');
    await expect(readExpectedCases(path)).rejects.toThrow('has no cases');
    await expect(cut(path, { ...options, out: path })).rejects.toThrow('give a folder of sources');
  });

  it('hold the committed set: sixty places of each language, half of them within a line', async () => {
    const cases = await readExpectedCases(
      fileURLToPath(new URL('../../bench/cases/own.jsonl', import.meta.url)),
    );
    const kinds = cases.map((one) => `${one.path.replace(/.*\./, '')} ${placeOf(one)}`);
    for (const kind of ['py mid', 'py start', 'js mid', 'js start']) {
      expect(kinds.filter((each) => each === kind)).toHaveLength(30);
    }
  });
});
