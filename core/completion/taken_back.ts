/**
 * Suggestions that were accepted and then taken out again, by undo or by deleting them: they are not offered unasked again at that place.
 * Edits tell, since no editor says that a suggestion was refused.
 */
import { normalizeLineBreaks } from './document';

/** A change of a document: `removed` UTF-16 units at `offset` became `inserted`. */
export interface Change {
  readonly offset: number;
  readonly removed: number;
  readonly inserted: string;
}

/** A suggestion as it was shown. */
export interface Offer {
  readonly uri: string;
  /** Where its text would be inserted. */
  readonly offset: number;
  /** The text before that, or the end of it. */
  readonly before: string;
  readonly text: string;
}

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
/** Whoever types adds a unit at a time; more at once that continues as suggested was accepted. */
const LEAST_ACCEPTED = 2;

export class TakenBack {
  private offer: Offer | undefined;
  private accepted: Accepted | undefined;
  private readonly refused: Refused[] = [];

  /** A suggestion is shown. */
  offered(offer: Offer): void {
    this.offer = offer;
  }

  /** The document changed. */
  changed(uri: string, change: Change): void {
    if (this.accepted?.uri === uri) this.follow(this.accepted, change);
    const { offer } = this;
    if (offer?.uri !== uri) return;
    const { offset, inserted } = change;
    const taken = inserted.length >= LEAST_ACCEPTED && offer.text.startsWith(normalizeLineBreaks(inserted));
    if (taken && offset === offer.offset) this.accepted = { ...offer, end: offset + inserted.length };
    this.offer = undefined;
  }

  /** Whether this was taken back here. */
  has(uri: string, before: string, text: string): boolean {
    const context = before.slice(-CONTEXT);
    return this.refused.some((one) => one.uri === uri && one.context === context && one.text === text);
  }

  forget(uri: string): void {
    for (let at = this.refused.length - 1; at >= 0; at--) {
      if (this.refused[at]?.uri === uri) this.refused.splice(at, 1);
    }
    if (this.accepted?.uri === uri) this.accepted = undefined;
    if (this.offer?.uri === uri) this.offer = undefined;
  }

  /** What was accepted may only be taken out from its end on: whoever edits within it keeps it. */
  private follow(accepted: Accepted, { offset, removed, inserted }: Change): void {
    const untouched = offset >= accepted.end;
    if (untouched) return;
    const fromItsEnd = inserted === '' && offset + removed >= accepted.end && offset >= accepted.offset;
    if (!fromItsEnd) {
      this.accepted = undefined;
      return;
    }
    accepted.end = offset;
    if (offset > accepted.offset) return;
    const { uri, before, text } = accepted;
    this.refused.push({ uri, context: before.slice(-CONTEXT), text });
    if (this.refused.length > MOST_REFUSED) this.refused.shift();
    this.accepted = undefined;
  }
}
