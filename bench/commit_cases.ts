/**
 * Cases from a repository's history: a line that a commit writes, with what the commit changed before it. Somebody who makes a commit is taken to make its
 * changes one after the other, file by file from top to bottom, which is roughly what people do: the order, and what was tried in between, no history tells.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Failure } from '../cli/failure';
import { MAX_AFTER, MAX_BEFORE } from '../core/completion/document';
import { columnWithin, tailFromLineStart } from './case_cutter';
import type { CompletionCase } from './completion_case';
import { type Language, languageOf } from './languages';
import type { SeededRandom } from './random';
import { codeLines, indentationOf } from './source_lines';
import { firstUnits } from './whole_characters';

/** What somebody remembers to have changed. */
const MOST_EDITS = 8;
/** A commit with more hunks was made by a program, or moves files. */
const MOST_HUNKS = 60;
/** No commit crowds out the others. */
const MOST_A_COMMIT = 3;
const MOST_BYTES = 64 * 1024 * 1024;

/** Lines of a file that gave way to others. */
export interface Hunk {
  readonly path: string;
  /** The first line, from 0, of those that are gone: in the old text, and of the others in the new one. */
  readonly oldLine: number;
  readonly newLine: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Cases of the latest commits of the repository in `folder`. Throws Failure. */
export async function commitCases(
  folder: string,
  language: Language,
  count: number,
  random: SeededRandom,
): Promise<CompletionCase[]> {
  const cases: CompletionCase[] = [];
  for (const commit of (await git(folder, 'log', '--no-merges', '--format=%H')).trim().split('\n')) {
    if (cases.length >= count) break;
    const hunks = hunksOf(
      await git(folder, 'diff-tree', '-p', '-U0', '--no-commit-id', '--diff-filter=M', '-r', commit),
    );
    for (const chosen of placesIn(hunks, language, random).slice(0, count - cases.length)) {
      const { path } = chosen.hunk;
      const [was, is] = await Promise.all([
        git(folder, 'show', `${commit}^:${path}`),
        git(folder, 'show', `${commit}:${path}`),
      ]);
      const made = caseOf(chosen, was, is, language, random);
      const number = String(cases.length + 1).padStart(4, '0');
      if (made !== undefined) cases.push({ id: `${language}-edit-${number}`, ...made });
    }
  }
  return cases;
}

/** Of what `git diff -U0` prints, in its order. */
export function hunksOf(diff: string): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let path = '';
  for (const part of diff.split(/^(?=diff --git |@@ )/m)) {
    if (part.startsWith('diff ')) path = /^\+\+\+ b\/(.*)$/m.exec(part)?.[1] ?? '';
    const [, old, oldLines, now] = /^@@ -(\d+)(?:,(\d+))? \+(\d+)/.exec(part) ?? [];
    if (path === '' || old === undefined || now === undefined) continue;
    const lines = part.split('\n').slice(1);
    const marked = (mark: string): string[] =>
      lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
    const [before, after] = [marked('-'), marked('+')];
    // Git counts from 1; where nothing was, it names the line before.
    const oldLine = Number(old) - (oldLines === '0' ? 0 : 1);
    hunks.push({ path, oldLine, newLine: Number(now) - (after.length === 0 ? 0 : 1), before, after });
  }
  return hunks;
}

interface Chosen {
  readonly hunk: Hunk;
  /** Those before it. */
  readonly earlier: readonly Hunk[];
}

/** Hunks that write something in the language, with others before them. */
function placesIn(hunks: readonly Hunk[], language: Language, random: SeededRandom): readonly Chosen[] {
  if (hunks.length > MOST_HUNKS) return [];
  const candidates = hunks.flatMap((hunk, at) =>
    at > 0 && hunk.after.length > 0 && languageOf(hunk.path) === language
      ? [{ hunk, earlier: hunks.slice(0, at) }]
      : [],
  );
  return random.shuffled(candidates).slice(0, MOST_A_COMMIT);
}

/** The file with all that the commit changed above the place, and as it was below. */
function caseOf(
  { hunk, earlier }: Chosen,
  was: string,
  is: string,
  language: Language,
  random: SeededRandom,
): Omit<CompletionCase, 'id'> | undefined {
  const { path, oldLine, newLine, before, after } = hunk;
  const code = codeLines(is, language).filter((line) => line >= newLine && line < newLine + after.length);
  const [line] = random.shuffled(code);
  if (line === undefined) return undefined;
  const lines = is.split('\n');
  const text = lines[line] ?? '';
  const column = random.below(2) === 0 ? indentationOf(text) : columnWithin(text, random);
  if (column === undefined) return undefined;
  const above = lines.slice(0, line).map((one) => `${one}\n`);
  const below = was.split('\n').slice(oldLine + before.length);
  const edits = earlier.slice(-MOST_EDITS).map((one) => ({
    path: one.path,
    before: one.before.join('\n'),
    after: one.after.join('\n'),
  }));
  return {
    path,
    prefix: tailFromLineStart(above.join('') + text.slice(0, column), MAX_BEFORE),
    suffix: firstUnits(`\n${below.join('\n')}`, MAX_AFTER),
    expected: text.slice(column),
    edits,
  };
}

/** What it prints, with line breaks as `\n`. */
async function git(folder: string, ...words: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('git', ['-C', folder, ...words], { maxBuffer: MOST_BYTES });
    return stdout.replaceAll('\r\n', '\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Failure({ code: 'GIT_MISSING', message: 'git cannot be started; put it on the PATH.' });
    throw new Failure({
      code: 'INVALID_ARGUMENT',
      message: `Git finds no history in ${folder}; give a folder of a repository with all of its commits.`,
    });
  }
}
