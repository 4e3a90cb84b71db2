/**
 * A definition in a few lines: the signature of a function, the head of a type with the heads of its members. Read by indentation, as
 * people write code in any language: what is one level deeper than a head belongs to it.
 */
import { isScript } from './imports';

/** A head that goes on over more lines than this is cut. */
const MOST_HEAD_LINES = 8;
const MOST_MEMBERS = 16;
/** UTF-16 units of a line. */
const MOST_LINE = 160;
/** What has members that are worth knowing. */
const TYPE =
  /^(?:(?:export|default|declare|abstract|public|private|protected|internal|static|final|sealed|data|pub(?:\([^)]*\))?|template\s*<[^>]*>)\s+)*(?:class|interface|struct|enum|trait|record|protocol|object|namespace|type)\b/;
/** A value rather than a signature: a line of it says what it is. */
const ASSIGNMENT = /^(?:export\s+)?(?:const|let|var)\s|^[\w.$]+\s*(?::[^=]*)?=(?!=)/;
/** A function or a class that is a value. */
const DEFINED_VALUE = /=>\s*\{?$|=\s*(?:async\s+)?(?:function|class)\b/;
const EXPORTED = /^(?:module\.)?exports(?:\.[\w$]+)?\s*=\s*/;
/** A module that stands for something it defines under a name. */
const NAMED_DEFAULT = /^(?:export\s+default|(?:module\.)?exports\s*=)\s+([A-Za-z_$][\w$]*)\s*;?\s*(?:\n|$)/;
/** Comments, decorators and what closes something. */
const NO_MEMBER = /^(?:\/\/|\/\*|\*|#(?!\[)|@|[})\]]|pass\b)/;
/** A docstring, and the quotes that end it. */
const DOCSTRING = /^[rbu]?("{3}|'{3})/i;

/** Of what a text defines under a name at its outermost level; undefined where it does not, or in a way that is not known. */
export function definitionIn(text: string, name: string, languageId: string): string | undefined {
  const at = text.search(beginning(name, languageId));
  if (at < 0) return undefined;
  const [, own] = NAMED_DEFAULT.exec(text.slice(at, at + MOST_LINE)) ?? [];
  if (own !== undefined && own !== name) return definitionIn(text, own, languageId);
  return definitionAt(text, text.slice(0, at).split('\n').length - 1);
}

/** @param line Where it begins, from 0. */
export function definitionAt(text: string, line: number): string | undefined {
  const lines = text.split('\n');
  const head = headAt(lines, line);
  const [first = ''] = head;
  if (first.trim() === '') return undefined;
  if (ASSIGNMENT.test(first) && !DEFINED_VALUE.test(head.join(' '))) return `${first}\n`;
  if (!TYPE.test(first.trim().replace(EXPORTED, ''))) return `${finished(head)}\n`;
  const members = membersBelow(lines, line, head.length);
  if (members.length === 0) return `${finished(head)}\n`;
  const end = head.at(-1)?.trimEnd().endsWith('{') === true ? [`${indentationOf(first)}}`] : [];
  return `${[...head, ...members, ...end].join('\n')}\n`;
}

function beginning(name: string, languageId: string): RegExp {
  const escaped = name.replace(/[^\w]/g, '\\$&');
  if (languageId === 'python') {
    return new RegExp(
      `^(?:async[ \\t]+)?(?:def|class)[ \\t]+${escaped}\\b|^${escaped}[ \\t]*(?::[^=\\n]*)?=(?!=)`,
      'm',
    );
  }
  if (!isScript(languageId)) return /(?!)/;
  if (name === 'default') return /^export\s+default\b|^(?:module\.)?exports\s*=(?!=)/m;
  const words = 'function\\s{0,9}\\*?|class|interface|type|enum|const|let|var|namespace';
  const marks = 'export|default|declare|abstract|async';
  return new RegExp(
    `^(?:(?:${marks})\\s+)*(?:${words})\\s{0,9}\\b${escaped}(?![\\w$])|^(?:module\\.)?exports\\.${escaped}\\s*=(?!=)`,
    'm',
  );
}

/** The lines up to where its brackets are closed, but for the one that opens its body. */
function headAt(lines: readonly string[], start: number): string[] {
  const head: string[] = [];
  for (let depth = 0; head.length < MOST_HEAD_LINES;) {
    const line = lines[start + head.length];
    if (line === undefined) break;
    head.push(line.slice(0, MOST_LINE));
    const code = line.trimEnd();
    depth += count(code, /[([]/g) - count(code, /[)\]]/g);
    if (depth <= 0) break;
  }
  return head;
}

/** Each one level deeper than the head, but for those that only its own class may use. */
function membersBelow(lines: readonly string[], start: number, headLines: number): string[] {
  const outer = indentationOf(lines[start] ?? '').length;
  const members: string[] = [];
  let level = 0;
  for (let at = start + headLines; at < lines.length && members.length < MOST_MEMBERS; at++) {
    const line = lines[at] ?? '';
    if (line.trim() === '') continue;
    const depth = indentationOf(line).length;
    if (depth <= outer) break;
    level ||= depth;
    const [, quotes] = DOCSTRING.exec(line.trim()) ?? [];
    if (quotes !== undefined) {
      at = docstringEnd(lines, at, quotes);
      continue;
    }
    if (depth !== level || NO_MEMBER.test(line.trim()) || isPrivate(line.trim())) continue;
    const head = headAt(lines, at);
    members.push(finished(head));
    at += head.length - 1;
  }
  return members;
}

/** The last line of a docstring that begins in line `at`. */
function docstringEnd(lines: readonly string[], at: number, quotes: string): number {
  const first = lines[at] ?? '';
  if (first.indexOf(quotes) !== first.lastIndexOf(quotes)) return at;
  let end = at + 1;
  while (end < lines.length && lines[end]?.includes(quotes) !== true) end++;
  return end;
}

/** Without the body that it opens. */
function finished(head: readonly string[]): string {
  const text = head.join('\n').trimEnd();
  if (text.endsWith('{')) return `${text.slice(0, -1).trimEnd()};`;
  return text.endsWith(':') ? `${text} ...` : text;
}

function isPrivate(code: string): boolean {
  return /^(?:private\b|#[A-Za-z]|(?:async\s+)?def\s+_(?!_init__)|(?:async\s+)?_\w*\s*[:=(])/.test(code);
}

function indentationOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function count(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0;
}
