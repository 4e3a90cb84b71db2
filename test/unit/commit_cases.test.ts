/** Cases that are cut from commits: what was changed before, and the file as it was meanwhile. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { commitCases, hunksOf } from '../../bench/commit_cases';
import { SeededRandom } from '../../bench/random';
import { editsOf } from '../../cli/case_snippets';

const LINES = Array.from({ length: 24 }, (_, line) => `value_${line} = ${line}`);

describe('cases of commits', () => {
  let folder = '';
  const git = (...words: string[]): Buffer =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=A', '-c', 'user.email=a@example.org', ...words], {
      stdio: 'pipe',
    });
  function commit(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    git('add', '--all');
    git('-c', 'commit.gpgsign=false', 'commit', '--quiet', '--message', 'a change');
  }

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'emberline-commits-'));
    git('init', '--quiet');
    commit({ 'a.py': `${LINES.join('\n')}\n`, 'b.md': 'prose\n' });
    const changed = LINES.map((line, at) => ([3, 12, 20].includes(at) ? `${line} + tax` : line));
    changed.splice(21, 1);
    commit({ 'a.py': `${changed.join('\n')}\n`, 'b.md': 'other prose\n' });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('have the changes above the place, and what was below it', async () => {
    const cases = await commitCases(folder, 'py', 10, new SeededRandom(1));
    expect(cases.map(({ id }) => id)).toEqual(['py-edit-0001', 'py-edit-0002']);
    for (const { prefix, suffix, expected, edits = [] } of cases) {
      const isLast = prefix.includes('value_19');
      expect((prefix + expected).split('\n')).toHaveLength(isLast ? 21 : 13);
      expect(expected.endsWith(' + tax') || ' + tax'.endsWith(expected)).toBe(true);
      expect(prefix).toContain('value_3 = 3 + tax\n');
      expect(suffix.startsWith(isLast ? '\nvalue_22' : '\nvalue_13 = 13\n')).toBe(true);
      expect(suffix.includes('tax')).toBe(false);
      expect(edits).toHaveLength(isLast ? 2 : 1);
      expect(edits[0]).toEqual({ path: 'a.py', before: 'value_3 = 3', after: 'value_3 = 3 + tax' });
    }
  });

  it('cut no character in two, and have line breaks as an editor has them', async () => {
    const faces = LINES.map((line) => `${line} == '${'😀'.repeat(20)}'`);
    const long = `# ${'😀'.repeat(20_000)}\n`;
    commit({ 'c.py': long + LINES.join('\r\n') });
    commit({ 'c.py': long + faces.join('\r\n'), 'b.md': 'prose again\n' });
    for (let seed = 1; seed <= 20; seed++) {
      const [first] = await commitCases(folder, 'py', 1, new SeededRandom(seed));
      const { prefix = '', expected = '', edits } = first ?? {};
      expect(prefix.startsWith('value_0')).toBe(true);
      expect(expected).not.toBe('');
      expect(JSON.stringify([prefix, expected, edits])).not.toMatch(/\\r|\\ud[89a-f]/);
    }
  });

  it('say that there is no history, or no git', async () => {
    await expect(commitCases('/', 'py', 1, new SeededRandom(1))).rejects.toThrow('Git finds no history');
    vi.stubEnv('PATH', '/none');
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(commitCases(folder, 'py', 1, new SeededRandom(1))).rejects.toThrow('git cannot be started');
  });
});

describe('the hunks of a diff', () => {
  it('are counted from 0, also where nothing was or nothing is left', () => {
    const diff = [
      'diff --git a/a.py b/a.py',
      '--- a/a.py',
      '+++ b/a.py',
      '@@ -2,0 +3,2 @@ def f():',
      '+x',
      '++y',
      '@@ -7 +9 @@',
      '--- a',
      '+b',
      '@@ -9,2 +10,0 @@',
      '-c',
      '-d',
      '',
    ].join('\n');
    const common = { path: 'a.py' };
    expect(hunksOf(diff)).toEqual([
      { ...common, oldLine: 2, newLine: 2, before: [], after: ['x', '+y'] },
      { ...common, oldLine: 6, newLine: 8, before: ['-- a'], after: ['b'] },
      { ...common, oldLine: 8, newLine: 10, before: ['c', 'd'], after: [] },
    ]);
  });
});

describe('what a case says was edited', () => {
  it('is the latest first, of its language', () => {
    const edits = [
      { path: 'a.ts', before: 'a', after: 'b' },
      { path: 'a.py', before: 'c', after: 'd' },
      { path: 'b.js', before: 'e', after: 'f' },
      { path: 'b.js', before: 'g', after: 'g' },
    ];
    expect(editsOf({ path: 'c.js', edits }).map(({ text }) => text)).toEqual(['-e\n+f\n', '-a\n+b\n']);
  });
});
