/**
 * What somebody does not want at a place: suggestions that were dismissed, or accepted and then taken out again, by undo or by deleting them,
 * and any text that was just deleted there. It is not offered unasked again at that place.
 */
import { Deletions, type Seen } from './deletions';
import { normalizeLineBreaks, type Replacement } from './document';

/** A suggestion as it was shown. */
export interface Offer {
  readonly uri: string;
  /** Where its text would be inserted. */
  readonly offset: number;
  /** The text before that, or the end of it. */
  readonly before: string;
  readonly text: string;
  /** What stands right of the place and gives way to it; default: nothing. */
  readonly replaced?: string;
}

/** Where something is asked. */
export type AskedPlace = Pick<Offer, 'uri' | 'offset' | 'before'>;

/** Accepted: what of it still stands in the document. */
interface Accepted extends Offer {
  end: number;
}

interface Refused {
  readonly uri: string;
  readonly context: string;
  readonly text: string;
}

/** How much text before a place tells it from others, UTF-16 units. */
const CONTEXT = 128;
/** Places that are remembered. */
const MOST_REFUSED = 32;
/** Whoever deletes less than this corrects a slip, visible UTF-16 units. */
const LEAST_DELETED = 3;
/** Whoever types adds a unit at a time; more at once that continues as suggested was accepted. */
const LEAST_ACCEPTED = 2;
/** What an editor adds by itself when the first of the two is typed. */
const PAIRS = new Set(['()', '[]', '{}', '<>', '""', "''", '``']);
/** A line break in a comment or a list, as it goes on there. */
const NEXT_LINE = /^\r?\n[ \t]*(?:\*|\/\/\/?|#|-)[ \t]*$/;

/**
 * Whether what was inserted at once may be one key: a line break comes with its indentation and the mark of a comment, a bracket with the
 * one that closes it.
 */
export function isTyped(inserted: string): boolean {
  const isBlank = inserted.trim() === '';
  return inserted.length < LEAST_ACCEPTED || isBlank || PAIRS.has(inserted) || NEXT_LINE.test(inserted);
}

export class TakenBack {
  private offer: Offer | undefined;
  private accepted: Accepted | undefined;
  private readonly refused: Refused[] = [];
  private readonly deletions = new Deletions();
  /** Of a deletion that may go on. */
  private growing: Refused | undefined;

  /** A suggestion is shown. */
  offered(offer: Offer): void {
    this.offer = offer;
  }

  /** What is shown was dismissed. */
  dismissed(): void {
    if (this.offer !== undefined) this.refuse(this.offer);
    this.offer = undefined;
  }

  /** The text around the cursor as it is. */
  look(seen: Seen): void {
    this.deletions.look(seen);
  }

  /** Something is asked at a place: what was deleted there is not wanted. */
  asked({ uri, before, offset }: AskedPlace): void {
    const text = normalizeLineBreaks(this.deletions.at(uri, offset) ?? '');
    if (text.trim().length < LEAST_DELETED) return;
    if (this.growing !== undefined) this.drop(this.growing);
    this.growing = this.refuse({ uri, before, text });
  }

  /** The document changed. */
  changed(uri: string, change: Replacement): void {
    this.deletions.changed(uri, change);
    if (change.text !== '') this.growing = undefined;
    if (this.accepted?.uri === uri) this.follow(this.accepted, change);
    const { offer } = this;
    if (offer?.uri !== uri) return;
    const { offset, text: inserted } = change;
    const taken = !isTyped(inserted) && beginsWith(offer.text, inserted);
    if (taken && offset === offer.offset) this.accepted = { ...offer, end: offset + inserted.length };
    this.offer = undefined;
  }

  /** Whether this was taken back here, or a part of it, or more. */
  has(uri: string, before: string, text: string): boolean {
    const context = before.slice(-CONTEXT);
    const said = text.trim();
    return this.refused.some(
      (one) =>
        one.uri === uri &&
        one.context === context &&
        (one.text.startsWith(said) || said.startsWith(one.text)),
    );
  }

  forget(uri: string): void {
    for (let at = this.refused.length - 1; at >= 0; at--) {
      if (this.refused[at]?.uri === uri) this.refused.splice(at, 1);
    }
    if (this.accepted?.uri === uri) this.accepted = undefined;
    if (this.offer?.uri === uri) this.offer = undefined;
    this.deletions.forget(uri);
  }

  /** What was accepted may only be taken out from its end on: whoever edits within it keeps it. */
  private follow(accepted: Accepted, { offset, length: removed, text: inserted }: Replacement): void {
    const untouched = offset >= accepted.end;
    if (untouched) return;
    const { replaced = '' } = accepted;
    // An undo brings back what had given way.
    const undone = inserted === replaced && offset === accepted.offset;
    const fromItsEnd =
      (inserted === '' || undone) && offset + removed >= accepted.end && offset >= accepted.offset;
    if (!fromItsEnd) {
      this.accepted = undefined;
      return;
    }
    accepted.end = offset;
    if (offset > accepted.offset) return;
    this.refuse(accepted);
    this.accepted = undefined;
  }

  private refuse({ uri, before, text }: Pick<Offer, 'uri' | 'before' | 'text'>): Refused {
    const refused = { uri, context: before.slice(-CONTEXT), text: text.trim() };
    this.refused.push(refused);
    if (this.refused.length > MOST_REFUSED) this.refused.shift();
    return refused;
  }

  private drop(refused: Refused): void {
    const at = this.refused.indexOf(refused);
    if (at >= 0) this.refused.splice(at, 1);
  }
}

/** Whether a text begins with another, whatever the line breaks of that are. A paste may be far longer, and is not even read then. */
export function beginsWith(text: string, inserted: string): boolean {
  return inserted.length <= 2 * text.length && text.startsWith(normalizeLineBreaks(inserted));
}
