/** The grammar of a docstring: one sentence, where the language has it, of the first function or class of the lines. */
import { spansOf } from './code_scan';
import { literal } from './edit_format';

/** Where documentation stands. */
const BEFORE: ReadonlySet<string> = new Set([
  ...[
    'javascript',
    'javascriptreact',
    'typescript',
    'typescriptreact',
    'java',
    'c',
    'cpp',
    'csharp',
    'php',
    'kotlin',
  ],
  ...['scala', 'dart', 'rust', 'go', 'swift'],
]);
const SLASHES: ReadonlyMap<string, string> = new Map([
  ['rust', '/// '],
  ['csharp', '/// '],
  ['swift', '/// '],
  ['dart', '/// '],
  ['go', '// '],
]);
const BEGINS =
  /^\s*(?:export\s+|default\s+|async\s+|public\s+|private\s+|protected\s+|static\s+|abstract\s+|final\s+|pub(?:\([^)]*\))?\s+|inline\s+|virtual\s+|constexpr\s+)*(?:def|class|function|func|fn|fun|interface|struct|enum|trait|impl|const\s+\w+\s*=\s*(?:async\s*)?(?:function|\())|^\s*(?:[\w<>[\],:*&]+\s+)+\*?\w+\s*\([^;]*\)\s*(?:const\s*)?\{\s*$/u;

/** GBNF of the answer in the form of edit_format.ts; undefined where there is nothing to describe, or its text is there. */
export function docstringGrammar(
  lines: readonly string[],
  languageId: string,
  unit: string,
): string | undefined {
  const at = lines.findIndex((line) => BEGINS.test(line));
  const line = lines[at];
  if (line === undefined) return undefined;
  const indentation = /^[ \t]*/u.exec(line)?.[0] ?? '';
  // Words alone: a small model that may write numbers counts on and on.
  const sentence = String.raw`sentence ::= [A-Z] [a-z]{0,14} (" " [A-Za-z] [A-Za-z_()'-]{0,18} ","?){1,14} "."`;
  if (languageId === 'python') {
    // Of one with several lines, it stands behind the last.
    const end = endOfHead(lines, at);
    const head = lines[end];
    if (head === undefined || /^\s*(?:"""|''')/u.test(lines[end + 1] ?? '')) return undefined;
    const quotes = '"""';
    const start = literal(`${end + 1}|${head}\n+|${indentation}${unit}${quotes}`);
    return `root ::= ${start} sentence ${literal(quotes)}\n${sentence}`;
  }
  if (!BEFORE.has(languageId)) return undefined;
  const slashes = SLASHES.get(languageId);
  const [open, close] = slashes === undefined ? ['/** ', ' */'] : [slashes, ''];
  const start = literal(`${at + 1}|${indentation}${open}`);
  return `root ::= ${start} sentence ${literal(`${close}\n+|${line}`)}\n${sentence}`;
}

/** The line with the `:` of the Python head that begins at line `at`; -1 where its body begins on that line. */
function endOfHead(lines: readonly string[], at: number): number {
  const text = lines.slice(at).join('\n');
  let depth = 0;
  for (const { kind, start, end } of spansOf(text, 'python')) {
    if (kind !== 'code') continue;
    for (let index = start; index < end; index++) {
      const character = text[index] ?? '';
      if ('([{'.includes(character)) depth++;
      else if (')]}'.includes(character)) depth--;
      else if (character === ':' && depth === 0) {
        const [rest = ''] = text.slice(index + 1).split('\n');
        return /^\s*(?:#.*)?$/u.test(rest) ? at + text.slice(0, index).split('\n').length - 1 : -1;
      }
    }
  }
  return -1;
}
