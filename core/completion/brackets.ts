/** Brackets and quotes of a piece of code, in any language that has the usual ones. */

export const OPENER_OF: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
const CLOSER_OF: ReadonlyMap<string, string> = new Map(
  [...OPENER_OF].map(([closer, opener]) => [opener, closer]),
);
export const QUOTES = new Set(['"', "'", '`']);

const CONTRACTION = /^(?:[dmst]|ll|re|ve)(?![\p{L}\p{N}_'])/u;
const LIFETIME = /^[\p{L}_][\p{L}\p{N}_]*(?!['\p{L}\p{N}_])/u;

/** Whether the `'` at `at` is a mark by itself: an apostrophe, one that parts the digits of a number, or that of a lifetime in Rust. */
function isOwnMark(text: string, at: number): boolean {
  if (text[at] !== "'") return false;
  const [before, behind] = [text.slice(0, at), text.slice(at + 1)];
  if (/\p{N}$/u.test(before) && /^\p{N}/u.test(behind)) return true;
  if (/[\p{L}\p{N}]{2}$|\bI$/u.test(before) && CONTRACTION.test(behind)) return true;
  if (before.endsWith('&') && LIFETIME.test(behind)) return true;
  if (/<(?:'\w+,\s*)*$/.test(before) && /^\w+\s*[,:>]/.test(behind)) return true;
  // Letters in front may be the prefix of a string, and one may begin like a lifetime, where another quote comes.
  if (behind.includes("'")) return false;
  return /^static\b/.test(behind) || (/[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(behind));
}

export interface Brackets {
  /** The offset of the first that closes what the text does not open. */
  readonly closer: number | undefined;
  /** What closes those that are open at the end. */
  readonly missing: string;
  /** Whether a quote stands alone. */
  readonly quoted: boolean;
}

/** @param open What closes the brackets that are open before `text`, innermost first; the text may close them. */
export function brackets(text: string, open = ''): Brackets {
  let missing = open;
  let quote = '';
  let alone = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote !== '') {
      if (character === '\\') at++;
      else if (character === quote) quote = '';
    } else if (QUOTES.has(character)) {
      if (isOwnMark(text, at)) continue;
      // One without another ends what began before the cursor.
      if (text.includes(character, at + 1)) quote = character;
      else alone = true;
    } else if (CLOSER_OF.has(character)) {
      missing = `${CLOSER_OF.get(character)}${missing}`;
    } else if (OPENER_OF.has(character)) {
      if (!missing.startsWith(character)) return { closer: at, missing: '', quoted: alone };
      missing = missing.slice(1);
    }
  }
  return { closer: undefined, missing, quoted: quote !== '' || alone };
}

/** What is said of the quotes of a piece of a line. */
interface Quotes {
  /** The one that is open behind it, or nothing. */
  readonly open: string;
  /** Whether any begins in it. */
  readonly begins: boolean;
}

/** @param within The quote that is open before `text`, or nothing. */
export function quotes(text: string, within = ''): Quotes {
  let open = within;
  let begins = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (open !== '') {
      if (character === '\\') at++;
      else if (character === open) open = '';
    } else if (QUOTES.has(character) && !isOwnMark(text, at)) {
      open = character;
      begins = true;
    }
  }
  return { open, begins };
}

/** How many brackets and quotes of a line stand there without the other of their pair. */
export function unpaired(line: string): number {
  const { closer, missing, quoted } = brackets(line);
  if (closer !== undefined) return 1 + unpaired(line.slice(closer + 1));
  return missing.length + (quoted ? 1 : 0);
}
