/**
 * Whether an edited text can still be parsed, as far as that can be told without a parser for its language: brackets and strings
 * that close, blocks that are indented as Python wants them, JSON that is JSON, JavaScript that Node can read. Only what
 * was in order before is asked to be so afterwards.
 */
import { Script } from 'node:vm';
import { JSON_LANGUAGES } from '../completion/document';
import { readJson } from '../schema/json_reader';
import { spansOf } from './code_scan';
import { linesOf } from './text_lines';

const CLOSER_OF: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const CLOSERS = new Set(Object.values(CLOSER_OF));

/** What an edit can break: a closed set. */
export const PROBLEMS = {
  unclosed: 'It has brackets or quotes that do not close.',
  not_json: 'It has text that is no JSON.',
  not_python: 'It has blocks that are not indented as Python wants them.',
  not_javascript: 'It has text that is no JavaScript.',
} as const;

export type Problem = keyof typeof PROBLEMS;

/** What an edit broke; undefined where nothing is known to be broken. */
export function broken(before: string, after: string, languageId: string): Problem | undefined {
  for (const [problem, holds] of checksFor(languageId)) {
    if (holds(before) && !holds(after)) return problem;
  }
  return undefined;
}

type Check = readonly [problem: Problem, holds: (text: string) => boolean];

function checksFor(languageId: string): readonly Check[] {
  const balanced: Check = ['unclosed', (text) => isBalanced(text, languageId)];
  if (JSON_LANGUAGES.has(languageId)) return [['not_json', isJson]];
  if (languageId === 'python') return [balanced, ['not_python', hasPythonBlocks]];
  if (languageId === 'javascript') return [balanced, ['not_javascript', isScript]];
  return [balanced];
}

function isBalanced(text: string, languageId: string): boolean {
  const open: string[] = [];
  for (const span of spansOf(text, languageId)) {
    if (span.open) return false;
    if (span.kind !== 'code') continue;
    for (const character of text.slice(span.start, span.end)) {
      const closer = CLOSER_OF[character];
      if (closer !== undefined) open.push(closer);
      else if (CLOSERS.has(character) && open.pop() !== character) return false;
    }
  }
  return open.length === 0;
}

function isJson(text: string): boolean {
  const reading = readJson(`${text}\n`);
  return reading?.partial === undefined && reading?.open.length === 1 && reading.open[0]?.items.length === 1;
}

const MODULE = /^\s*(?:import|export)\b/mu;

/** The language's own reader, which runs nothing. Modules, which it does not take, are left to the other checks. */
function isScript(text: string): boolean {
  if (MODULE.test(text)) return true;
  try {
    return new Script(text) instanceof Script;
  } catch {
    return false;
  }
}

/** Python's rules of indentation (Language Reference 2.1.8), outside brackets, strings and continued lines. */
function hasPythonBlocks(text: string): boolean {
  const levels = [''];
  let opensBlock = false;
  for (const { code, indentation } of logicalLines(text)) {
    const current = levels.at(-1) ?? '';
    if (opensBlock) {
      if (!indentation.startsWith(current) || indentation.length <= current.length) return false;
      levels.push(indentation);
    } else {
      while (levels.length > 1 && (levels.at(-1) ?? '').length > indentation.length) levels.pop();
      if (levels.at(-1) !== indentation) return false;
    }
    opensBlock = code.endsWith(':');
  }
  return !opensBlock;
}

interface LogicalLine {
  /** Without strings and comments, trimmed. */
  readonly code: string;
  readonly indentation: string;
}

function* logicalLines(text: string): Generator<LogicalLine, void> {
  const plain = withoutTexts(text);
  let depth = 0;
  let pending: { indentation: string; code: string } | undefined;
  for (const { text: line } of linesOf(plain)) {
    if (pending === undefined && line.trim() === '') continue;
    pending ??= { indentation: /^[ \t]*/.exec(line)?.[0] ?? '', code: '' };
    pending.code += ` ${line.trim()}`;
    for (const character of line) depth += '([{'.includes(character) ? 1 : ')]}'.includes(character) ? -1 : 0;
    if (depth > 0 || line.endsWith('\\')) continue;
    yield { ...pending, code: pending.code.trim() };
    pending = undefined;
    depth = 0;
  }
}

/** The same lines with `_` in place of strings, and without comments. */
function withoutTexts(text: string): string {
  return spansOf(text, 'python')
    .map(({ kind, start, end }) => {
      const part = text.slice(start, end);
      if (kind === 'code') return part;
      if (kind === 'comment') return '';
      // Within brackets, lines of a string are no lines of the program.
      return `(${part.replace(/[^\r\n]+/g, '_')})`;
    })
    .join('');
}
