/** What stands at the cursor in grey, from key to key, and whether it is right. */

/** What a key does to what is shown. */
export interface Sight {
  /** What stands there until the next key is pressed; empty where nothing does. */
  readonly text: string;
  /** It is not the rest of what stood there before. */
  readonly fresh: boolean;
  /** Something else, or nothing, takes the place of a rest that what was typed had not contradicted. */
  readonly flickers: boolean;
}

/** Follows what an editor shows: it keeps the rest of what is typed along until there is an answer. */
export class Ghost {
  private shown = '';

  /**
   * @param typed What was typed or accepted.
   * @param answer What is to be shown now, empty for nothing; undefined where the next key came first.
   */
  after(typed: string, answer: string | undefined): Sight {
    const rest = this.shown.startsWith(typed) ? this.shown.slice(typed.length) : '';
    this.shown = answer ?? rest;
    const changed = this.shown !== rest;
    return { text: this.shown, fresh: changed && this.shown !== '', flickers: changed && rest !== '' };
  }

  /** Lines come below what is shown, which stays as it is. */
  grow(sight: Sight, text: string): Sight {
    this.shown = text;
    return { ...sight, text, flickers: sight.flickers || !text.startsWith(sight.text) };
  }
}

export interface Agreement {
  /** The file goes on with all of the text. */
  readonly right: boolean;
  /** … and the line ends behind it, blanks aside. */
  readonly toLineEnd: boolean;
}

/** @param following What the author wrote from the cursor on. */
export function agreementOf(text: string, following: string): Agreement {
  const right = following.startsWith(text);
  return { right, toLineEnd: right && /^[ \t]*(?:\n|$)/.test(following.slice(text.length)) };
}
