/**
 * Fits a suggestion to the text right of the cursor on its line. Editors close brackets and quotes while one types, and a
 * model that does not see the rest of the cursor's line, as the embedded one, closes them again.
 */
import { brackets, OPENER_OF, QUOTES, unpaired } from './brackets';
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

/** The line that a suggestion is fitted into. */
export interface CursorLine {
  /** What stands left of the cursor. */
  readonly left: string;
  /** What stands right of it. */
  readonly right: string;
  /** Whether the model has read that, and ended the text itself: then it stands between as it is, if it is whole. */
  readonly between?: boolean;
}

export function fitToLine(text: string, line: CursorLine): Fit {
  const right = line.right.trimEnd();
  if (right === '') return insert(text.trimEnd());
  const between = line.between === true && isWhole(text) && !joinsWords(text, right);
  if (between && staysPaired(text, right, { ...line, right })) return insert(text);
  if (!ONLY_CLOSERS.test(right)) return fitBeforeCode(text, { ...line, right });
  const fit = fitBeforeClosers(text, { ...line, right });
  if (fit.kind !== 'insert') return fit;
  const stays = staysPaired(fit.text, right.slice(fit.replace), { ...line, right });
  return stays ? fit : { kind: 'does_not_fit' };
}

/** What the editor closed stands right of the cursor: of a suggestion that closes it as well, that part is left out or replaces it. */
function fitBeforeClosers(text: string, line: CursorLine): Fit {
  const { right } = line;
  const close = firstUnmatchedCloser(text, right);
  if (close === undefined) return fitWithoutCloser(text, right);
  const whole = text.trimEnd();
  const closing = whole.slice(close);
  const more = closing.length > right.length && saysAgain(closing, right);
  if (more && staysPaired(whole, '', line)) return { kind: 'insert', text: whole, replace: right.length };
  const head = withoutMark(text.slice(0, close), right);
  return insert(/^\s/.test(right) ? head.trimEnd() : head);
}

function insert(text: string): Fit {
  return text.trim() === '' ? { kind: 'already_there' } : { kind: 'insert', text, replace: 0 };
}

/**
 * Code stands right of the cursor: a suggestion makes sense only when it leads exactly there, says all of it again with more around it, ends
 * with how it begins, or closes the bracket that it begins with.
 */
function fitBeforeCode(text: string, line: CursorLine): Fit {
  const { right } = line;
  // The model may end the item or the statement that goes on without a mark here.
  const candidates = [text.trimEnd(), text.trimEnd().replace(/[,;]$/, '')];
  const code = right.trimStart();
  const leading = candidates.find((one) => one.endsWith(code));
  const around = candidates.find((one) => saysAgain(one, right) && staysPaired(one, '', line));
  if (leading === undefined && around !== undefined) {
    return { kind: 'insert', text: around, replace: right.length };
  }
  const head =
    leading?.slice(0, leading.endsWith(right) ? -right.length : -code.length) ?? headBefore(text, right);
  const fits = head !== undefined && !joinsWords(head, right) && staysPaired(head, right, line);
  return fits ? insert(head) : { kind: 'does_not_fit' };
}

/** What stands in front of the start of the rest of the line, with which the suggestion ends or which it closes. */
function headBefore(text: string, right: string): string | undefined {
  const whole = text.trimEnd();
  for (let length = right.length - 1; length > 0; length--) {
    const start = right.slice(0, length);
    if (start.trim() === '' || joinsWords(start, right.slice(length))) continue;
    if (whole.endsWith(start)) return whole.slice(0, -length);
  }
  const { closer } = brackets(whole);
  return closer !== undefined && whole[closer] === right[0] ? whole.slice(0, closer) : undefined;
}

/**
 * Whether all of the code right of the cursor stands in `text`, in at most two pieces that are not cut out of words, the second at its end:
 * then the suggestion adds to it, in front of it, within or behind.
 */
function saysAgain(text: string, right: string): boolean {
  for (let cut = right.length; cut > 0; cut--) {
    const [first, last] = [right.slice(0, cut), right.slice(cut)];
    if (!text.endsWith(last)) continue;
    const rest = text.slice(0, text.length - last.length);
    for (let at = rest.indexOf(first); at >= 0; at = rest.indexOf(first, at + 1)) {
      const [ahead, behind] = [rest.slice(0, at), rest.slice(at + first.length)];
      const cutsWord = joinsWords(ahead, first) || joinsWords(first, behind + last);
      if (!cutsWord && !joinsWords(behind, last)) return true;
    }
  }
  return false;
}

/** The rest of the line would begin within a word of the suggestion. */
function joinsWords(text: string, right: string): boolean {
  return endsWithIdentifier(text) && startsWithIdentifier(right);
}

/** With the suggestion no more brackets and quotes of the line stand alone than without. */
function staysPaired(text: string, rest: string, { left, right }: CursorLine): boolean {
  return unpaired(left + text + rest) <= unpaired(left + right);
}

/** Every bracket and quote that it opens it closes, and no other. */
function isWhole(text: string): boolean {
  const { closer, missing, quoted } = brackets(text);
  return closer === undefined && missing === '' && !quoted;
}

/** The suggestion closes nothing that was open before. */
function fitWithoutCloser(text: string, right: string): Fit {
  const head = withoutMark(text.trimEnd(), right);
  // What it opens itself, the bracket that stands there would close, and leave its own open.
  const { missing, quoted } = brackets(head);
  return insert(OPENER_OF.has(right.trimStart()[0] ?? '') && !quoted ? head + missing : head);
}

/** Without the marks of a statement or an item at its end that stand right of the cursor. */
function withoutMark(text: string, right: string): string {
  const [marks = ''] = /^[;,:]*/.exec(right) ?? [];
  const trimmed = text.trimEnd();
  const again = marks === '' ? undefined : [marks, marks[0] ?? ''].find((mark) => trimmed.endsWith(mark));
  return again === undefined ? text : trimmed.slice(0, -again.length);
}

/**
 * The offset of the first bracket that closes what was opened before the cursor, or of the first quote, when the text right
 * of the cursor closes a string, that ends it; undefined when there is none.
 */
function firstUnmatchedCloser(text: string, right: string): number | undefined {
  const closers = right.trimStart();
  const first = closers[0] ?? '';
  const three = first.repeat(3);
  if (QUOTES.has(first)) return firstUnescaped(text, closers.startsWith(three) ? three : first);
  const { closer } = brackets(text);
  return first === '>' ? (firstUnmatchedAngle(text.slice(0, closer)) ?? closer) : closer;
}

/** Where a tag or a list of types ends that began before the cursor: elsewhere such brackets compare, or are arrows, and pair with nothing. */
function firstUnmatchedAngle(text: string): number | undefined {
  let nested = 0;
  let open = 0;
  for (const { 0: part, index } of text.matchAll(/"[^"]*"|'[^']*'|[=-]>|\s[<>]+=?\s|[<>(){}[\]]/g)) {
    if ('([{'.includes(part)) nested++;
    else if (')]}'.includes(part)) nested--;
    else if (nested === 0 && part === '<') open++;
    else if (nested === 0 && part === '>' && --open < 0) return index;
  }
  return undefined;
}

function firstUnescaped(text: string, quote: string): number | undefined {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith(quote, at)) return at;
  }
  return undefined;
}
