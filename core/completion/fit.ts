/**
 * Fits a suggestion to the text right of the cursor on its line. Editors close brackets and quotes while one types, and a
 * model that does not see the rest of the cursor's line, as the embedded one, closes them again.
 */
import { brackets, OPENER_OF, QUOTES } from './brackets';
import { endsWithIdentifier, startsWithIdentifier } from './characters';

export type Fit =
  /** Insert `text`, replacing the next `replace` UTF-16 units right of the cursor (which `text` contains again). */
  | { readonly kind: 'insert'; readonly text: string; readonly replace: number }
  /** All of it stands there already. */
  | { readonly kind: 'already_there' }
  /** The line would not make sense with the suggestion in its middle. */
  | { readonly kind: 'does_not_fit' };

/** Nothing but closing brackets, quotes and the marks that end a statement or an item. */
const ONLY_CLOSERS = /^[\s)\]}>"'`;,:]*$/;

/**
 * @param lineAfter The rest of the line right of the cursor.
 * @param between Whether the model has read that, and ended the text itself: then it stands between as it is, if it is whole.
 */
export function fitToLine(text: string, lineAfter: string, between = false): Fit {
  const right = lineAfter.trimEnd();
  if (right === '') return insert(text.trimEnd());
  if (between && isWhole(text) && !joinsWords(text, right)) return insert(text);
  if (!ONLY_CLOSERS.test(right)) return fitBeforeCode(text, right);
  const close = firstUnmatchedCloser(text, right);
  if (close === undefined) return fitWithoutCloser(text, right);
  const closing = text.slice(close).trimEnd();
  if (closing.startsWith(right) && closing.length > right.length) {
    return { kind: 'insert', text: text.trimEnd(), replace: right.length };
  }
  const head = text.slice(0, close);
  return insert(/^\s/.test(right) ? head.trimEnd() : head);
}

function insert(text: string): Fit {
  return text.trim() === '' ? { kind: 'already_there' } : { kind: 'insert', text, replace: 0 };
}

/** Code stands right of the cursor: a suggestion makes sense only when it leads exactly there. */
function fitBeforeCode(text: string, right: string): Fit {
  const code = right.trimStart();
  // The model may end the item or the statement that goes on without a mark here.
  const trimmed = [text.trimEnd(), text.trimEnd().replace(/[,;]$/, '')].find((one) => one.endsWith(code));
  if (trimmed === undefined) return { kind: 'does_not_fit' };
  const head = trimmed.slice(0, trimmed.endsWith(right) ? -right.length : -code.length);
  return joinsWords(head, right) ? { kind: 'does_not_fit' } : insert(head);
}

/** The rest of the line would begin within a word of the suggestion. */
function joinsWords(text: string, right: string): boolean {
  return endsWithIdentifier(text) && startsWithIdentifier(right);
}

/** Every bracket and quote that it opens it closes, and no other. */
function isWhole(text: string): boolean {
  const { closer, missing, quoted } = brackets(text);
  return closer === undefined && missing === '' && !quoted;
}

/** The suggestion closes nothing that was open before; it may still end with the statement's mark that stands there. */
function fitWithoutCloser(text: string, right: string): Fit {
  const trimmed = text.trimEnd();
  const mark = /^[;,:]+$/.test(right) ? right : '';
  if (mark !== '' && trimmed.endsWith(mark)) return insert(trimmed.slice(0, -mark.length));
  // What it opens itself, the bracket that stands there would close, and leave its own open.
  const { missing, quoted } = brackets(trimmed);
  return insert(OPENER_OF.has(right.trimStart()[0] ?? '') && !quoted ? trimmed + missing : trimmed);
}

/**
 * The offset of the first bracket that closes what was opened before the cursor, or of the first quote, when the text right
 * of the cursor closes a string, that ends it; undefined when there is none.
 */
function firstUnmatchedCloser(text: string, right: string): number | undefined {
  const first = right.trimStart()[0] ?? '';
  if (QUOTES.has(first)) return firstUnescaped(text, first);
  return brackets(text).closer;
}

function firstUnescaped(text: string, quote: string): number | undefined {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === quote) return at;
  }
  return undefined;
}
