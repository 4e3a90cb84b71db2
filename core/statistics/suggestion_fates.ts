/**
 * What becomes of suggestions, told from the edits that follow: the editor says of a whole one at most that it was taken, and of parts nothing. One
 * suggestion is followed at a time, in memory, and its text is dropped with its end.
 */
import { normalizeLineBreaks, type Replacement } from '../completion/document';
import { beginsWith, isTyped, type Offer } from '../completion/taken_back';

/** How a suggestion ended. `line` and `word`: a part of it was taken so. `typedAlong`: somebody typed all of it. `left`: anything else. */
export const FATES = ['whole', 'line', 'word', 'typedAlong', 'typedOver', 'dismissed', 'left'] as const;
export type Fate = (typeof FATES)[number];

/** A suggestion as it is shown. */
export interface FollowedOffer extends Pick<Offer, 'uri' | 'offset' | 'text'> {
  readonly languageId: string;
  /** UTF-16 units right of the place that it replaces. */
  readonly replace: number;
  /** What else is shown when one asks for another; default: nothing. */
  readonly others?: readonly string[];
}

export interface FateCounter {
  shown(languageId: string): void;
  ended(languageId: string, fate: Fate): void;
  /** Characters that were inserted by accepting, less the key for it: UTF-16 units, those of a line break one. */
  saved(languageId: string, characters: number): void;
}

interface Followed {
  readonly uri: string;
  readonly languageId: string;
  /** Where what is left of it would be inserted. */
  offset: number;
  replace: number;
  /** What is left of it, and of the others that go on as it was typed so far. */
  rests: readonly string[];
  part: 'line' | 'word' | undefined;
}

export class SuggestionFates {
  private readonly counter: FateCounter;
  private current: Followed | undefined;

  constructor(counter: FateCounter) {
    this.counter = counter;
  }

  /** A suggestion is shown. What is left of the one that is followed is not another one. */
  offered({ uri, offset, text, languageId, replace, others = [] }: FollowedOffer): void {
    const rests = [text, ...others];
    const { current } = this;
    if (
      current?.uri === uri &&
      current.offset === offset &&
      current.rests.some((rest) => agree(rest, text))
    ) {
      current.rests = rests;
      current.replace = replace;
      return;
    }
    this.end('left');
    this.current = { uri, languageId, offset, replace, rests, part: undefined };
    this.counter.shown(languageId);
  }

  /** The document changed. */
  changed(uri: string, change: Replacement): void {
    const { current } = this;
    if (current?.uri !== uri) return;
    const { offset, length: removed, text: inserted } = change;
    if (offset !== current.offset || removed > current.replace || inserted === '') {
      this.end('left');
      return;
    }
    const matching = current.rests.filter((rest) => beginsWith(rest, inserted));
    if (matching.length === 0) {
      this.end('typedOver');
      return;
    }
    const text = normalizeLineBreaks(inserted);
    const accepted = !isTyped(text);
    if (accepted) this.counter.saved(current.languageId, text.length - 1);
    // The end of what is replaced may stay where it is instead of being written again.
    const kept = current.replace - removed;
    const done = matching.some(
      (rest) => rest === text || (accepted && kept > 0 && rest.length - text.length === kept),
    );
    if (accepted && (!done || current.part !== undefined)) {
      const kind = text.endsWith('\n') ? 'line' : 'word';
      current.part = current.part === 'line' ? 'line' : kind;
    }
    if (done) {
      this.end(accepted ? 'whole' : 'typedAlong');
      return;
    }
    current.offset += inserted.length;
    current.replace = kept;
    current.rests = matching.map((rest) => rest.slice(text.length));
  }

  dismissed(): void {
    this.end('dismissed');
  }

  /** The document is closed. */
  forget(uri: string): void {
    if (this.current?.uri === uri) this.end('left');
  }

  /** @param fate Where no part was taken. */
  private end(fate: Fate): void {
    const { current } = this;
    this.current = undefined;
    if (current !== undefined) this.counter.ended(current.languageId, current.part ?? fate);
  }
}

/** Whether one goes on with the other: lines may be added to what is shown. */
function agree(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}
