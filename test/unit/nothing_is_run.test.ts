/** What comes from documents, models and servers is text: the code that the extension ships evaluates none, and starts no shell. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Evaluation by name, running what `node:vm` only parses, and ways to start a program that go through a shell. */
const RUNS: readonly RegExp[] = [
  /\beval\s*\(/,
  /\bnew\s+Function\s*\(/,
  /\.runIn(?:New|This)?Context\s*\(/,
  /\bexec(?:Sync)?\s*\(\s*[`'"]/,
  /import\s*\{[^}]*\bexec(?:Sync)?\b[^}]*\}\s*from\s*'node:child_process'/,
  /\bshell:(?!\s*false)/,
  /\bcreateTerminal\s*\(|\bsendText\s*\(/,
];

const runs = (text: string): boolean => RUNS.some((pattern) => pattern.test(text));

describe('the code that is shipped', () => {
  it('evaluates no text and starts no shell', () => {
    const files = ['core', 'extension'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
        .map((entry) => join(entry.parentPath, entry.name)),
    );
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => runs(readFileSync(file, 'utf8')))).toEqual([]);
  });

  it('would be found out', () => {
    for (const text of [
      'eval(document)',
      "new Function('return 1')",
      'script.runInNewContext({})',
      "exec('ls ' + path)",
      "import { exec, fork } from 'node:child_process';",
      "spawn('ls', { shell: true })",
      'terminal.sendText(command)',
    ]) {
      expect(runs(text), text).toBe(true);
    }
    expect(runs("const found = pattern.exec(text); spawn('ls', { shell: false })")).toBe(false);
  });
});
