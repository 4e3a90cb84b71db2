/**
 * Which parts of a text are code, which strings, which comments: enough of a language's lexical grammar to count brackets and to
 * tell a name from a word in a string. What it does not know of (regular expressions, heredocs) it takes for code.
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
  readonly lineComment: string | undefined;
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
    const { lineComment, blockComment } = lexicon;
    const quote = lexicon.quotes.find(({ mark }) => text.startsWith(mark, at));
    if (blockComment !== undefined && text.startsWith(blockComment[0], at)) {
      const end = text.indexOf(blockComment[1], at + blockComment[0].length);
      take('comment', end < 0 ? text.length : end + blockComment[1].length, end < 0);
    } else if (lineComment !== undefined && text.startsWith(lineComment, at)) {
      take('comment', lineEnd(text, at), false);
    } else if (quote !== undefined && beginsString(text, at, languageId)) {
      const end = stringEnd(text, at + quote.mark.length, quote);
      take('string', end.at, end.open);
    } else {
      at++;
    }
  }
  if (at > code) spans.push({ kind: 'code', start: code, end: at, open: false });
  return spans;
}

function lexiconOf(languageId: string): Lexicon {
  const [mark = ''] = commentLine(languageId, '').trim().split(' ');
  const lineComment = ['//', '#', '--', '%', ';'].includes(mark) ? mark : undefined;
  const blockComment =
    mark === SLASHES || mark === '/*' || languageId === 'sql'
      ? (['/*', '*/'] as const)
      : mark === '<!--'
        ? (['<!--', '-->'] as const)
        : undefined;
  if (NO_STRINGS.has(languageId)) return { lineComment: undefined, blockComment: undefined, quotes: [] };
  const quotes: Quote[] = [];
  if (TRIPLE_QUOTES.has(languageId)) quotes.push({ mark: '"""', long: true }, { mark: "'''", long: true });
  quotes.push({ mark: '"', long: false }, { mark: "'", long: false });
  if (BACKTICKS.has(languageId)) quotes.push({ mark: '`', long: true });
  return { lineComment, blockComment, quotes };
}

function beginsString(text: string, at: number, languageId: string): boolean {
  if (text[at] !== "'" || !CHARACTER_QUOTES.has(languageId)) return true;
  return /^'(?:\\.|[^\\'\n])'/u.test(text.slice(at, at + 8));
}

function stringEnd(
  text: string,
  from: number,
  { mark, long }: Quote,
): { readonly at: number; readonly open: boolean } {
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
