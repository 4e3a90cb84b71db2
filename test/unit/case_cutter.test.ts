import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_AFTER, MAX_BEFORE } from '../../core/completion/document';
import { cutCases, tailFromLineStart } from '../../bench/case_cutter';
import { placeOf, readExpectedCases } from '../../bench/completion_case';
import { cut } from '../../bench/cut_command';
import { commentsOf, type Language, LANGUAGES, languageOf } from '../../bench/languages';
import { SeededRandom } from '../../bench/random';
import { codeLines, isHandWritten, type SourceFile } from '../../bench/source_lines';
import { temporaryFolder } from '../temporary_folder';

/** Enough lines that any place has something before it. */
const LEAD = Array.from({ length: 8 }, (_, index) => `first_${index} = ${index}\n`).join('');

function linesOf(text: string, language: Language): string[] {
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

  it('are code in every language that comments as C does', () => {
    const text = '/// Says what it is.\n/* over\n * lines */\nlet x = a / b;\ny(); // why\n';
    for (const language of LANGUAGES.filter((name) => commentsOf(name) === 'c')) {
      expect(linesOf(text, language)).toEqual(['let x = a / b;']);
    }
  });

  it('are those without a hash in YAML, and all that say something in Markdown', () => {
    const text = '# Heading\na: 1 # why\nb: "#x"\n---\n';
    expect(linesOf(text, 'yaml')).toEqual(['b: "#x"']);
    expect(linesOf(text, 'md')).toEqual(['# Heading', 'a: 1 # why', 'b: "#x"']);
  });

  it('come after enough to go by', () => {
    expect(codeLines(LEAD, 'py')).toEqual([]);
    expect(codeLines(`${LEAD}last = 1`, 'py')).toEqual([8]);
  });
});

describe('languages', () => {
  it('are told by the name of the file', () => {
    const names = ['a.py', 'a.pyi', 'a.mts', 'a.jsx', 'a.go', 'a.rs', 'a.java', 'a.c', 'a.hpp', 'a.cc'];
    const expected = ['py', 'py', 'js', 'js', 'go', 'rust', 'java', 'c', 'c', 'c'];
    expect(names.map(languageOf)).toEqual(expected);
    expect(['README.md', 'package.json', 'tsconfig.jsonc', 'a.yml', 'a.yaml'].map(languageOf)).toEqual([
      'md',
      'json',
      'json',
      'yaml',
      'yaml',
    ]);
    expect(['go', 'a.rsx', 'a.cs', 'a.jsonl'].map(languageOf)).toEqual(Array(4).fill(undefined));
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

  it('takes out a block and nothing else', () => {
    const cases = cutCases(file, 'block', 9, new SeededRandom(1));
    // The statement and its body, or the body alone.
    expect(cases.map(({ expected }) => expected).sort()).toEqual([
      'if ready:\n    start(\u{1F680}, now)\n    wait(1)',
      'start(\u{1F680}, now)\n    wait(1)',
    ]);
    for (const one of cases) {
      expect(one.prefix + one.expected + one.suffix).toBe(text);
      expect(one.suffix).toBe('\n');
      expect(placeOf(one)).toBe('block');
    }
  });

  it('takes out the rest of a comment, behind its mark', () => {
    const lines = [
      ...Array<string>(8).fill('x = 1'),
      '# Waits until it is ready.',
      '    # --',
      'y = 2  # why',
    ];
    const commented = { path: 'a.py', language: 'py', text: lines.join('\n') } as const;
    for (let seed = 0; seed < 50; seed++) {
      const [one, ...others] = cutCases(commented, 'comment', 9, new SeededRandom(seed));
      expect(others).toEqual([]);
      expect(one && placeOf(one)).toBe('comment');
      expect(`${one?.prefix}${one?.expected}`).toMatch(/\n# Waits until it is ready\.$/);
    }
  });

  it('leaves something to expect where a line ends with a character of two units', () => {
    const party = { path: 'a.py', language: 'py', text: `${LEAD}# done 🎉` } as const;
    const cases = Array.from({ length: 100 }, (_, seed) =>
      cutCases(party, 'comment', 9, new SeededRandom(seed)),
    ).flat();
    expect(cases.length).toBeGreaterThan(20);
    for (const { expected } of cases) expect(expected).toMatch(/🎉$/u);
  });

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
    const long = { ...file, text: 'value = 1\n'.repeat(10_000) };
    const suffixes: number[] = [];
    for (const { prefix, suffix } of cutCases(long, 'start', 50, new SeededRandom(3))) {
      expect(prefix.length).toBeLessThanOrEqual(MAX_BEFORE);
      expect(suffix.length).toBeLessThanOrEqual(MAX_AFTER);
      expect(prefix === '' || prefix.startsWith('value = 1\n')).toBe(true);
      suffixes.push(suffix.length);
    }
    // As much as an editor looks at.
    expect(Math.max(...suffixes)).toBe(MAX_AFTER);
  });

  it('cuts no character in two where the text behind it ends', () => {
    const faces = '\u{1F600}'.repeat(MAX_AFTER);
    for (const odd of ['', '_']) {
      const long = { ...file, text: `${LEAD}value = 1\n${odd}${faces}` };
      const [one] = cutCases(long, 'start', 1, new SeededRandom(1));
      expect(one?.suffix.length).toBe(MAX_AFTER - (odd === '' ? 1 : 0));
      expect(one?.suffix).not.toMatch(/\p{Cs}/u);
    }
  });

  it.each([
    ['one\ntwo\nthree', 9, 'three'],
    ['a long line', 4, 'line'],
    ['\u{1F600}\u{1F600}', 3, '\u{1F600}'],
    ['\u{1F600}\nab', 4, 'ab'],
    ['short', 5, 'short'],
  ])('keeps of %j at most %i units, from a line on where one begins', (whole, length, kept) => {
    expect(tailFromLineStart(whole, length)).toBe(kept);
  });
});

describe('case files', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  const options = { language: 'py', count: 10, perFile: 4, seed: 1 } as const;

  it('are the same for the same seed, and can be read back', async () => {
    for (const name of ['a.py', 'b.py', 'c.js', 'd.py']) {
      await writeFile(join(folder, name), LEAD + LEAD.replaceAll('first', name.slice(0, 1)).repeat(5));
    }
    const one = await cut([folder], { ...options, out: join(folder, 'one.jsonl') });
    await cut([folder], { ...options, out: join(folder, 'two.jsonl') });
    await cut([folder], { ...options, seed: 2, out: join(folder, 'three.jsonl') });
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

  it('are drawn from all folders, and in each from all packages, in turn', async () => {
    const code = (name: string, lines: number): string => LEAD + `${name}_value = ${name}(1)\n`.repeat(lines);
    const write = async (path: string, text: string): Promise<void> => {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), text);
    };
    for (let file = 0; file < 30; file++) await write(`one/large/${file}.py`, code('large', 400));
    for (const name of ['small', 'least']) await write(`one/${name}/a.py`, code(name, 50));
    for (let file = 0; file < 5; file++) await write(`two/only/${file}.py`, code('only', 50));
    await write('two/only/test/a.py', code('test', 50));
    const folders = [join(folder, 'one'), join(folder, 'two')];
    const exclude = /(?:^|\/)test\//;
    const cases = await cut(folders, { ...options, count: 20, perFile: 1, exclude, out: join(folder, 'o') });
    const packages = cases.map(({ path }) => path.split('/')[0] ?? '');
    const times = (name: string): number => packages.filter((each) => each === name).length;
    expect([times('only'), times('small'), times('least'), times('large')]).toEqual([10, 2, 2, 6]);
    expect(cases.some(({ path }) => path.includes('test'))).toBe(false);
  });

  it('hold blocks where these are asked for', async () => {
    await writeFile(join(folder, 'a.py'), `${LEAD}def f():\n    g(1)\n    return 2\n\n\n${LEAD.repeat(4)}`);
    const cases = await cut([folder], { ...options, place: 'block', out: join(folder, 'o') });
    expect(cases.map(placeOf)).toEqual(Array(4).fill('block'));
    expect(cases.map(({ id }) => id)).toContain('py-block-0001');
    expect(await readExpectedCases(join(folder, 'o'))).toEqual(cases);
  });

  it('are refused when they do not say what is expected', async () => {
    const path = join(folder, 'bad.jsonl');
    const good = JSON.stringify({ id: 'a', path: 'a.py', prefix: '', suffix: '', expected: 'x' });
    await writeFile(path, `${good}\n{"id": "b"}\n`);
    await expect(readExpectedCases(path)).rejects.toThrow(/^Line 2 of .*bad\.jsonl is no case/);
    await writeFile(path, `${good}\n${good.replace('"x"', '" "')}\n`);
    await expect(readExpectedCases(path)).rejects.toThrow('Case a does not say what is expected');
    await writeFile(path, `${good}\n${good.replace('"a"', '"b"')}\n${good}\n`);
    await expect(readExpectedCases(path)).rejects.toThrow('two cases a;');
    await writeFile(path, '\n');
    await expect(readExpectedCases(path)).rejects.toThrow('has no cases');
    await expect(cut([path], { ...options, out: path })).rejects.toThrow('give a folder of sources');
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
