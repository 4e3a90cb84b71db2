/** A stretch of a document that is followed through edits. */
import type { Replacement } from '../completion/document';

export class TrackedRange {
  private from: number;
  private to: number;

  /** An empty one. */
  constructor(offset: number) {
    this.from = offset;
    this.to = offset;
  }

  get start(): number {
    return this.from;
  }

  get end(): number {
    return this.to;
  }

  get isEmpty(): boolean {
    return this.from === this.to;
  }

  /** `text` took the place of its end from `offset` on, and of whatever was behind it. */
  rewrite({ offset, text }: Pick<Replacement, 'offset' | 'text'>): void {
    this.to = offset + text.length;
  }

  /**
   * Follows what someone else replaced. False when it touches the range or its ends, which is then where it was: what belongs
   * to whom can no longer be told.
   * @param replacements Of one edit; they do not overlap.
   */
  follow(replacements: readonly Replacement[]): boolean {
    if (replacements.some(({ offset, length }) => offset <= this.to && offset + length >= this.from)) {
      return false;
    }
    let shift = 0;
    for (const { offset, length, text } of replacements)
      if (offset < this.from) shift += text.length - length;
    this.from += shift;
    this.to += shift;
    return true;
  }
}
