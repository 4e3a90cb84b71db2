/**
 * Finished generations, so that typing along a suggestion, accepting it word by word, deleting back to where it began and
 * undoing all show its rest without asking the model.
 */

import { type Anchor, anchorAt, typedAlong } from './anchor';
import type { Calibration } from './calibration';
import type { Stop } from './stop';
import type { TokenAnswer } from './fork_order';

/** The model ended the line: nothing follows once all of its text stands in the document. */
const ENDS_OF_LINE: ReadonlySet<Stop> = new Set(['line_end', 'end_token', 'grammar']);

/** What the model said, token by token, and what came of it. */
export interface CachedGeneration extends TokenAnswer {
  /** What the model produced, before it was fitted to the text right of the cursor. */
  readonly text: string;
  /** Why it ended. */
  readonly stop: Stop;
  readonly confidence: number;
  readonly followsSchema: boolean;
  /** How sure the model was that the line ends at the anchor, 0 to 1. */
  readonly endProbability: number;
  /** Whether the model has read what stands right of the cursor. */
  readonly readsLine: boolean;
  /** How sure one may be of the model. Default: as of the embedded one. */
  readonly calibration?: Calibration | undefined;
}

export interface CacheHit {
  readonly generation: CachedGeneration;
  /** The part of the text that is not typed yet; empty only when the line is complete. */
  readonly rest: string;
}

interface Entry extends Anchor, Right {
  readonly generation: CachedGeneration;
}

/** What stands right of a place. */
interface Right {
  readonly line: string;
  /** The lines below begin so: a suggestion is for what stood there then. */
  readonly below: string;
}

/** Of the lines below, UTF-16 units that have to be the same. */
const MOST_BELOW = 1_024;

/** A bounded list of entries, the most recently used last. */
export class CompletionCache {
  private readonly entries: Entry[] = [];
  private readonly capacity: number;

  constructor(capacity = 64) {
    this.capacity = capacity;
  }

  get size(): number {
    return this.entries.length;
  }

  /** @param after All that stands right of the cursor, as for `find`. */
  add(uri: string, before: string, after: string, generation: CachedGeneration): void {
    const { context } = anchorAt(uri, before);
    const right = rightOf(after);
    const same = this.entries.findIndex(
      (entry) => entry.uri === uri && entry.context === context && entry.line === right.line,
    );
    if (same >= 0) this.entries.splice(same, 1);
    this.entries.push({ uri, context, ...right, generation });
    if (this.entries.length > this.capacity) this.entries.shift();
  }

  /** The newest entry that `before` continues, if any. */
  find(uri: string, before: string, after: string): CacheHit | undefined {
    const right = rightOf(after);
    for (let index = this.entries.length - 1; index >= 0; index--) {
      const entry = this.entries[index];
      if (entry === undefined || !continuesRight(entry, right)) continue;
      const typed = typedAlong(entry, entry.generation.text, uri, before);
      if (typed === undefined) continue;
      const rest = entry.generation.text.slice(typed);
      if (rest.trim() === '' && !ENDS_OF_LINE.has(entry.generation.stop)) continue;
      this.entries.splice(index, 1);
      this.entries.push(entry);
      return { generation: entry.generation, rest };
    }
    return undefined;
  }

  forget(uri: string): void {
    for (let index = this.entries.length - 1; index >= 0; index--) {
      if (this.entries[index]?.uri === uri) this.entries.splice(index, 1);
    }
  }

  clear(): void {
    this.entries.length = 0;
  }
}

function rightOf(after: string): Right {
  const end = after.indexOf('\n');
  return end < 0
    ? { line: after, below: '' }
    : { line: after.slice(0, end), below: after.slice(end, end + MOST_BELOW) };
}

/** The line's rest is the same, or has more or fewer of the brackets and quotes at its start that the editor closes and that are typed over. */
function continuesRight(then: Right, now: Right): boolean {
  if (then.below !== now.below) return false;
  const [longer, shorter] =
    now.line.length < then.line.length ? [then.line, now.line] : [now.line, then.line];
  const closed = longer.slice(0, longer.length - shorter.length);
  return longer.endsWith(shorter) && /^[)\]}>"'`]*$/.test(closed);
}
