/**
 * The grammar of a function with one parameter more: its line as it is, and at the end of its parameters the new one, whose name is
 * the instruction's. The model writes its type and its default, where the language has them and the instruction does not
 * say.
 */
import { spansOf } from './code_scan';
import { literal } from './edit_format';

export interface NewParameter {
  readonly name: string;
  /** Of the function; undefined: the first that is there. */
  readonly of: string | undefined;
  readonly type: string | undefined;
  readonly value: string | undefined;
}

/** Where a function's parameters stand, UTF-16 units of the line. */
interface Signature {
  readonly line: number;
  /** Behind the opening bracket. */
  readonly start: number;
  /** The closing one. */
  readonly end: number;
}

const IDENTIFIER = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`;
/** What a function begins with, in the languages that have a word for it. */
const WORDS = /\b(?:def|function\*?|func|fun|fn|sub|constructor)\b/u;
const NO_FUNCTION =
  /\b(?:if|for|while|switch|catch|return|await|yield|new|throw|elif|else|match|with|assert|print|in|and|or|not)\s*$/u;

/** GBNF of the answer in the form of edit_format.ts; undefined where there is no such function on one line. */
export function parameterGrammar(
  lines: readonly string[],
  parameter: NewParameter,
  languageId: string,
): string | undefined {
  const signature = signatureIn(lines, parameter.of, languageId);
  if (signature === undefined) return undefined;
  const line = lines[signature.line] ?? '';
  const given = splitAtCommas(line.slice(signature.start, signature.end), languageId);
  const place = given.findIndex((one) => /^\s*(?:\.\.\.|\*\*)/u.test(one));
  const before = place < 0 ? given : given.slice(0, place);
  const after = place < 0 ? [] : given.slice(place);
  const needsDefault = languageId === 'python' && hasDefault(before);
  const head = line.slice(0, signature.start) + before.join(',').trimEnd();
  const trailing = /,\s*$/u.test(head);
  const comma = before.some((one) => one.trim() !== '') && !trailing ? ', ' : trailing ? ' ' : '';
  const rest = after.length === 0 ? '' : `, ${after.join(',').trimStart()}`;
  const { rules, name } = declaration(parameter, languageId, needsDefault);
  const start = literal(`${signature.line + 1}|${head}${comma}`);
  return [`root ::= ${start} ${name} ${literal(rest + line.slice(signature.end))}`, ...rules].join('\n');
}

function signatureIn(
  lines: readonly string[],
  of: string | undefined,
  languageId: string,
): Signature | undefined {
  const wanted =
    of === undefined
      ? undefined
      : new RegExp(`(?<![\\p{L}\\p{N}_$])${of.replace(/\$/g, '\\$&')}(?![\\p{L}\\p{N}_$])`, 'u');
  for (const [index, line] of lines.entries()) {
    const code = onlyCode(line, languageId);
    for (const { index: at } of code.matchAll(/\(/gu)) {
      const head = code.slice(0, at);
      const end = closing(code, at);
      if (end === undefined || !beginsFunction(head, code.slice(end + 1))) continue;
      if (wanted !== undefined && !wanted.test(head)) continue;
      return { line: index, start: at + 1, end };
    }
  }
  return undefined;
}

/** Whether a bracket behind `head` opens parameters, and not arguments. */
function beginsFunction(head: string, tail: string): boolean {
  if (
    WORDS.test(head) &&
    new RegExp(`(?:${IDENTIFIER}|\\bfunction\\*?|\\bfunc)\\s*(?:<[^<>]*>)?\\s*$`, 'u').test(head)
  )
    return true;
  if (/=>\s*[^,;]*/u.test(tail) && /(?:=|^|[(,:])\s*(?:async\s*)?$/u.test(head)) return true;
  // A method, or a function of the C family.
  const called =
    new RegExp(`${IDENTIFIER}\\s*$`, 'u').test(head) && !NO_FUNCTION.test(head) && !/[=.]/u.test(head);
  return (
    called &&
    /^\s*(?::[^=]*|const|noexcept|override|throws\s[\w\s,]*|\s)*\{?\s*$/u.test(tail) &&
    /\{\s*$/u.test(tail)
  );
}

/** The same length, with blanks in place of strings and comments. */
function onlyCode(line: string, languageId: string): string {
  return spansOf(line, languageId)
    .map(({ kind, start, end }) => (kind === 'code' ? line.slice(start, end) : ' '.repeat(end - start)))
    .join('');
}

function closing(code: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < code.length; at++) {
    const character = code[at] ?? '';
    if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character) && --depth === 0) return at;
  }
  return undefined;
}

function splitAtCommas(text: string, languageId: string): string[] {
  const code = onlyCode(text, languageId);
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < code.length; at++) {
    const character = code[at] ?? '';
    if ('([{<'.includes(character)) depth++;
    else if (')]}>'.includes(character) && !code.slice(0, at).endsWith('=')) depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

/** Whether a parameter that may be given by its place has a default; behind `*` none has to. */
function hasDefault(parameters: readonly string[]): boolean {
  const star = parameters.findIndex((one) => /^\s*\*/u.test(one));
  return star < 0 && parameters.some((one) => one.includes('='));
}

interface Declaration {
  readonly name: string;
  readonly rules: readonly string[];
}

type Style = 'annotated' | 'python' | 'plain' | 'type first' | 'type behind';

const STYLES: ReadonlyMap<string, Style> = new Map<string, Style>([
  ['python', 'python'],
  ...['typescript', 'typescriptreact', 'rust', 'kotlin', 'scala', 'swift'].map((id): [string, Style] => [
    id,
    'annotated',
  ]),
  ...['c', 'cpp', 'csharp', 'java', 'dart', 'objective-c', 'cuda-cpp'].map((id): [string, Style] => [
    id,
    'type first',
  ]),
  ['go', 'type behind'],
]);
/** Where a parameter may have a default. */
const DEFAULTS = new Set([
  'python',
  'typescript',
  'typescriptreact',
  'javascript',
  'javascriptreact',
  'kotlin',
  'php',
  'ruby',
  'cpp',
]);

function declaration(
  { name, type, value }: NewParameter,
  languageId: string,
  needsDefault: boolean,
): Declaration {
  const style = STYLES.get(languageId) ?? 'plain';
  const mayDefault = DEFAULTS.has(languageId);
  const typeRule = type === undefined ? 'type' : literal(type);
  const valueRule = value === undefined ? 'value' : literal(value);
  const equals = (rule: string): string => (mayDefault || value !== undefined ? rule : '""');
  const optional = (rule: string): string => (needsDefault || value !== undefined ? rule : `(${rule})?`);
  const rules = [
    String.raw`type ::= word ("." word)? ("[" word ("," " "? word)? "]" | "[]")?`,
    'word ::= [A-Za-z_] [A-Za-z0-9_]{0,15}',
    `value ::= ${VALUES.get(languageId) ?? ANY_VALUE}`,
    String.raw`number ::= "-"? [0-9]{1,4} ("." [0-9]{1,3})?`,
    `text ::= "\\"" [A-Za-z0-9_ .-]{0,16} "\\"" | "'" [A-Za-z0-9_ .-]{0,16} "'"`,
  ];
  const whole = ((): string => {
    switch (style) {
      case 'python': {
        const bare = optional(`"=" ${valueRule}`);
        const annotated = `": " ${typeRule} ${optional(`" = " ${valueRule}`)}`;
        return `${literal(name)} ${type === undefined ? `(${bare} | ${annotated})` : annotated}`;
      }
      case 'annotated':
        return `${literal(name)} ": " ${typeRule} ${equals(optional(`" = " ${valueRule}`))}`;
      case 'type first':
        return `${typeRule} ${literal(` ${name}`)} ${equals(optional(`" = " ${valueRule}`))}`;
      case 'type behind':
        return `${literal(`${name} `)} ${typeRule}`;
      case 'plain':
        return `${literal(name)} ${equals(optional(`" = " ${valueRule}`))}`;
    }
  })();
  return { name: 'parameter', rules: [`parameter ::= ${whole}`, ...rules] };
}

const ANY_VALUE = '"true" | "false" | "null" | number | text';
const VALUES: ReadonlyMap<string, string> = new Map([
  ['python', '"None" | "True" | "False" | number | text'],
  ['ruby', '"nil" | "true" | "false" | number | text'],
  ['cpp', '"true" | "false" | "nullptr" | number'],
]);
