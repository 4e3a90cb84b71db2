/**
 * What was deleted last: key by key, at once, or by an undo. Editors tell where and how much, but not what: that is read from the text around the
 * cursor as it was before.
 */
import type { Replacement } from './document';

/** A part of a document as it is, line breaks as they are. */
export interface Seen {
  readonly uri: string;
  /** Where it begins, UTF-16 units from the start of the document. */
  readonly start: number;
  readonly text: string;
}

/** A text that grows longer is a paste's, and not kept: nobody deletes that with a few keys, UTF-16 units. */
const MOST_SEEN = 20_000;

interface Deleted {
  readonly uri: string;
  readonly offset: number;
  readonly text: string;
}

export class Deletions {
  private seen: Seen | undefined;
  private last: Deleted | undefined;

  /** The text around the cursor: what is deleted of it later is known. */
  look(seen: Seen): void {
    this.seen = seen;
  }

  /** The document changed. */
  changed(uri: string, change: Replacement): void {
    const { offset, length: removed, text: inserted } = change;
    const gone = this.follow(uri, change);
    const { last } = this;
    if (inserted !== '' || removed === 0) this.last = undefined;
    else if (gone === undefined) this.last = undefined;
    else if (last?.uri === uri && last.offset === offset + removed)
      this.last = { uri, offset, text: gone + last.text };
    else if (last?.uri === uri && last.offset === offset) this.last = { ...last, text: last.text + gone };
    else this.last = { uri, offset, text: gone };
  }

  /** What was deleted here, if nothing else changed since. */
  at(uri: string, offset: number): string | undefined {
    return this.last?.uri === uri && this.last.offset === offset ? this.last.text : undefined;
  }

  forget(uri: string): void {
    if (this.seen?.uri === uri) this.seen = undefined;
    if (this.last?.uri === uri) this.last = undefined;
  }

  /** Changes what is seen of the document, and returns what is gone from it; undefined where that is not known. */
  private follow(uri: string, { offset, length: removed, text: inserted }: Replacement): string | undefined {
    const { seen } = this;
    if (seen?.uri !== uri) return undefined;
    const from = offset - seen.start;
    const to = from + removed;
    if (from > seen.text.length) return undefined;
    if (to < 0) {
      this.seen = { ...seen, start: seen.start - removed + inserted.length };
      return undefined;
    }
    if (from < 0 || to > seen.text.length || seen.text.length + inserted.length > MOST_SEEN) {
      this.seen = undefined;
      return undefined;
    }
    this.seen = { ...seen, text: seen.text.slice(0, from) + inserted + seen.text.slice(to) };
    return seen.text.slice(from, to);
  }
}
