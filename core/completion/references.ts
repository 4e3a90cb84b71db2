/**
 * Texts beside the prompt in which drafts are looked up, nearest first: what follows the cursor, what stands before the
 * prompt's window, and other files.
 *
 * The engine keeps the tokens of texts that did not change, so a keystroke must not change them.
 */
import { type DocumentSnapshot, MAX_BEFORE } from './document';

/** Where the text before the cursor was cut, its front moves with each keystroke: it begins behind a blank line instead. */
const BREAK = '\n\n';

/**
 * @param windowStart Where the prompt's window begins in `document.before`.
 * @param beside Texts of other files, nearest first.
 */
export function referencesFor(
  document: DocumentSnapshot,
  windowStart: number,
  beside: readonly string[],
): readonly string[] {
  return [document.after, frontOf(document.before, windowStart), ...beside].filter((text) => text !== '');
}

function frontOf(before: string, end: number): string {
  if (before.length < MAX_BEFORE) return before.slice(0, end);
  const start = before.indexOf(BREAK);
  return start < 0 ? '' : before.slice(start + BREAK.length, Math.max(end, start + BREAK.length));
}
