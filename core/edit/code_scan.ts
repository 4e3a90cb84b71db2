/**
 * Which parts of a text are code, which strings, which comments: enough of a language's lexical grammar to count brackets and to
 * tell a name from a word in a string. A regular expression is a string. What it does not know of (heredocs) it takes for code.
 */
import { commentLine } from '../completion/languages';

export type SpanKind = 'code' | 'string' | 'comment';

export interface Span {
  readonly kind: SpanKind;
  readonly start: number;
  readonly end: number;
  /** Whether a string or a block comment has no end. */
  readonly open: boolean;
}

interface Lexicon {
  readonly lineComments: readonly string[];
  readonly blockComment: readonly [string, string] | undefined;
  /** Longest first. */
  readonly quotes: readonly Quote[];
}

interface Quote {
  readonly mark: string;
  /** Whether the string may go over lines. */
  readonly long: boolean;
}

const SLASHES = '//';
const BACKTICKS: ReadonlySet<string> = new Set([
  ...['javascript', 'javascriptreact', 'typescript', 'typescriptreact', 'vue', 'svelte', 'go', 'shellscript'],
]);
const TRIPLE_QUOTES: ReadonlySet<string> = new Set([
  'python',
  'toml',
  'kotlin',
  'scala',
  'swift',
  'dart',
  'java',
  'elixir',
]);
/** Where a quote may stand for something else than the start of a string. */
const CHARACTER_QUOTES: ReadonlySet<string> = new Set([
  'rust',
  'haskell',
  'lisp',
  'clojure',
  'scheme',
  'ocaml',
]);
/** Where a `'` behind a word is an apostrophe, as most of it is no code, … */
const TEXTS: ReadonlySet<string> = new Set(['html', 'svelte', 'vue', 'xml', 'xsl', 'yaml']);
/** … where it is one within a word, as texts stand beside the code, … */
const TEXTS_BESIDE: ReadonlySet<string> = new Set([
  'javascript',
  'javascriptreact',
  'php',
  'typescriptreact',
]);
/** … or where it parts the digits of a number, unless the word is the prefix of a literal. */
const DIGIT_QUOTES: ReadonlySet<string> = new Set(['c', 'cpp', 'cuda-cpp']);
const LITERAL_PREFIX = /^(?:u8|[uUL])$/;
/** Where a `#` within a word begins no comment. */
const HASH_BEFORE_WORDS: ReadonlySet<string> = new Set(['shellscript', 'yaml']);
const REGULAR_EXPRESSIONS: ReadonlySet<string> = new Set([
  'javascript',
  'javascriptreact',
  'typescript',
  'typescriptreact',
]);
/** An operand comes next, where a slash would divide nothing. */
const BEFORE_OPERAND = /(?:[(,=:[!&|?{;]|=>|\breturn)\s*$/;
const REGULAR_EXPRESSION = /\/(?:\\.|\[(?:\\.|[^\]\\\r\n])*\]|[^/\\[\r\n])+\/[a-z]*/y;
/** How a string begins in which a backslash and a quote are characters like others, and what ends it, by what its start names. */
interface RawString {
  readonly start: RegExp;
  readonly end: (name: string) => string;
}

const CPP_RAW: RawString = {
  start: /(?<![\p{L}\p{N}_])(?:u8|[uUL])?R"([^()\\\s]{0,16})\(/uy,
  end: (name) => `)${name}"`,
};
const RUST_RAW: RawString = { start: /(?<![\p{L}\p{N}_])[bc]?r(#+)"/uy, end: (name) => `"${name}` };
const RAW_STRINGS: ReadonlyMap<string, RawString> = new Map([
  ['cpp', CPP_RAW],
  ['cuda-cpp', CPP_RAW],
  ['rust', RUST_RAW],
]);
const NO_STRINGS: ReadonlySet<string> = new Set(['markdown', 'plaintext', 'latex', 'tex']);

export function spansOf(text: string, languageId: string): readonly Span[] {
  const lexicon = lexiconOf(languageId);
  const spans: Span[] = [];
  let code = 0;
  let at = 0;
  const take = (kind: SpanKind, end: number, open: boolean): void => {
    if (at > code) spans.push({ kind: 'code', start: code, end: at, open: false });
    spans.push({ kind, start: at, end, open });
    at = end;
    code = end;
  };
  while (at < text.length) {
    const { lineComments, blockComment } = lexicon;
    const comment = lineComments.find((mark) => text.startsWith(mark, at));
    const quote = lexicon.quotes.find(({ mark }) => text.startsWith(mark, at));
    const rawEnd = rawStringEnd(text, at, languageId);
    if (blockComment !== undefined && text.startsWith(blockComment[0], at)) {
      const end = text.indexOf(blockComment[1], at + blockComment[0].length);
      take('comment', end < 0 ? text.length : end + blockComment[1].length, end < 0);
    } else if (comment !== undefined && beginsComment(text, at, languageId)) {
      take('comment', lineEnd(text, at), false);
    } else if (rawEnd !== undefined) {
      take('string', rawEnd.at, rawEnd.open);
    } else if (quote !== undefined && beginsString(text, at, languageId)) {
      const end = stringEnd(text, at + quote.mark.length, quote);
      take('string', end.at, end.open);
    } else if (text[at] === '/' && REGULAR_EXPRESSIONS.has(languageId)) {
      const end = regularExpressionEnd(text, at);
      if (end === undefined) at++;
      else take('string', end, false);
    } else {
      // What a backslash stands before begins nothing.
      at = Math.min(text.length, at + (text[at] === '\\' ? 2 : 1));
    }
  }
  if (at > code) spans.push({ kind: 'code', start: code, end: at, open: false });
  return spans;
}

function lexiconOf(languageId: string): Lexicon {
  const [mark = ''] = commentLine(languageId, '').trim().split(' ');
  const lineComments = ['//', '#', '--', '%', ';'].filter(
    (one) => one === mark || (one === '#' && languageId === 'php'),
  );
  const blockComment =
    mark === SLASHES || mark === '/*' || languageId === 'sql'
      ? (['/*', '*/'] as const)
      : mark === '<!--'
        ? (['<!--', '-->'] as const)
        : undefined;
  if (NO_STRINGS.has(languageId)) return { lineComments: [], blockComment: undefined, quotes: [] };
  const quotes: Quote[] = [];
  if (TRIPLE_QUOTES.has(languageId)) quotes.push({ mark: '"""', long: true }, { mark: "'''", long: true });
  quotes.push({ mark: '"', long: false }, { mark: "'", long: false });
  if (BACKTICKS.has(languageId)) quotes.push({ mark: '`', long: true });
  return { lineComments, blockComment, quotes };
}

function beginsComment(text: string, at: number, languageId: string): boolean {
  if (text[at] !== '#') return true;
  // PHP has attributes as well.
  if (languageId === 'php') return text[at + 1] !== '[';
  // The last index of an array, or a variable's name.
  if (languageId === 'perl') return text[at - 1] !== '$';
  return !HASH_BEFORE_WORDS.has(languageId) || /^$|[\s;()|&<>`]/.test(text[at - 1] ?? '');
}

function beginsString(text: string, at: number, languageId: string): boolean {
  if (text[at] !== "'") return true;
  if (CHARACTER_QUOTES.has(languageId)) return /^'(?:\\.|[^\\'\n])'/u.test(text.slice(at, at + 8));
  const [word = ''] = /[\p{L}\p{N}_]*$/u.exec(text.slice(Math.max(0, at - 8), at)) ?? [];
  if (word === '') return true;
  if (DIGIT_QUOTES.has(languageId)) return LITERAL_PREFIX.test(word);
  if (TEXTS_BESIDE.has(languageId)) return !/^[\p{L}\p{N}_]/u.test(text.slice(at + 1, at + 3));
  return !TEXTS.has(languageId);
}

function regularExpressionEnd(text: string, at: number): number | undefined {
  if (!BEFORE_OPERAND.test(text.slice(Math.max(0, at - 32), at))) return undefined;
  const found = matchAt(REGULAR_EXPRESSION, text, at);
  return found === undefined ? undefined : at + found[0].length;
}

function rawStringEnd(text: string, at: number, languageId: string): StringEnd | undefined {
  const raw = RAW_STRINGS.get(languageId);
  const start = raw && matchAt(raw.start, text, at);
  if (raw === undefined || !start) return undefined;
  const mark = raw.end(start[1] ?? '');
  const end = text.indexOf(mark, at + start[0].length);
  return end < 0 ? { at: text.length, open: true } : { at: end + mark.length, open: false };
}

/** @param pattern A sticky one. */
function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

interface StringEnd {
  readonly at: number;
  /** Whether the string has none. */
  readonly open: boolean;
}

function stringEnd(text: string, from: number, { mark, long }: Quote): StringEnd {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith(mark, at)) return { at: at + mark.length, open: false };
    else if (!long && (text[at] === '\n' || text[at] === '\r')) return { at, open: true };
  }
  return { at: text.length, open: true };
}

function lineEnd(text: string, from: number): number {
  const end = text.slice(from).search(/[\r\n]/);
  return end < 0 ? text.length : from + end;
}
