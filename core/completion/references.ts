/**
 * What a prompt leaves of its document, nearest first: the lines below the cursor's, and what stands before the prompt's window. Drafts
 * are looked up there, and in other files, and a small model remembers both (memory.ts).
 *
 * The engine keeps the tokens of texts that did not change, so a keystroke must not change them.
 */
import type { NativeCompletionRequest } from '../engine/native_types';
import { type DocumentSnapshot, MAX_AFTER, MAX_BEFORE } from './document';
import { readAlike } from './similar_windows';

/** A text that a snapshot cuts has an end that moves with each keystroke: it is taken from one blank line, or to one, instead. */
const BREAK = '\n\n';

/** A text of another file. */
export interface OtherText {
  readonly text: string;
  readonly languageId: string;
}

/** What references are for. */
export interface ReferenceUse {
  /** Drafts are looked up. */
  readonly drafts: boolean;
  /** The rest of the document has a say in what comes next. */
  readonly remembers: boolean;
  /** So have other files of its language. */
  readonly remembersOthers: boolean;
}

/** Those of a request. */
export type References = Pick<NativeCompletionRequest, 'references' | 'remembered' | 'rememberedBeside'>;

/**
 * All that is used of the document and of other files, those first that have a say.
 * @param windowStart Where the prompt's window begins in `document.before`.
 * @param beside Texts of other files, nearest first.
 */
export function referencesFor(
  document: DocumentSnapshot,
  windowStart: number,
  beside: readonly OtherText[],
  { drafts, remembers, remembersOthers }: ReferenceUse,
): References {
  const own = ownReferences(document, windowStart);
  const others = beside.filter((other) => other.text !== '');
  const alike = others.filter(({ languageId }) => readAlike(languageId, document.languageId));
  const known = remembersOthers ? alike : [];
  const unknown = drafts ? others.filter((other) => !known.includes(other)) : [];
  return {
    references: [...(drafts || remembers ? own : []), ...[...known, ...unknown].map((other) => other.text)],
    remembered: remembers ? own.length : 0,
    rememberedBeside: known.length,
  };
}

/** What the prompt leaves of the document. */
function ownReferences(document: DocumentSnapshot, windowStart: number): readonly string[] {
  return [below(document.after), above(document.before, windowStart)].filter((text) => text !== '');
}

/** From the next line on: the rest of the cursor's is edited with it. */
function below(after: string): string {
  const lineEnd = after.indexOf('\n');
  if (lineEnd < 0) return '';
  const end = after.length < MAX_AFTER ? after.length : after.lastIndexOf(BREAK) + 1;
  return after.slice(lineEnd + 1, end);
}

function above(before: string, end: number): string {
  if (before.length < MAX_BEFORE) return before.slice(0, end);
  const start = before.indexOf(BREAK);
  return start < 0 ? '' : before.slice(start + BREAK.length, Math.max(end, start + BREAK.length));
}
