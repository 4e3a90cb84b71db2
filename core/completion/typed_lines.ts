/**
 * Whether what a model made of a line is what was then typed there: what its certainty is measured by (calibration.ts). One line is followed at a time,
 * in memory, from the first that was made of it until the cursor has left it.
 */
import { type Anchor, anchorAt, placeIn } from './anchor';
import type { Calibration } from './calibration';
import type { DocumentSnapshot } from './document';
import type { CompletionOutcome } from './outcome';

interface FollowedLine extends Anchor {
  readonly text: string;
  readonly certainty: number;
  readonly calibration: Calibration;
}

export class TypedLines {
  private followed: FollowedLine | undefined;

  /** Somebody looks at a place of a document as it is now. */
  seen({ uri, before, after }: DocumentSnapshot): void {
    const { followed } = this;
    if (followed?.uri !== uri) return;
    const fate = fateOf(followed, before, after);
    if (fate === 'open') return;
    this.followed = undefined;
    if (fate !== 'gone') followed.calibration.add(followed.certainty, fate === 'right');
  }

  /** A model made this at a place. Who goes on in another document may not come back to the line that was followed. */
  made({ uri, kind, before }: DocumentSnapshot, { line, generation }: CompletionOutcome): void {
    const calibration = generation?.calibration;
    if (calibration === undefined || line === undefined || kind !== 'text') return;
    if (this.followed?.uri === uri) return;
    const { text, certainty } = line;
    this.followed = { ...anchorAt(uri, before), text: text.trimEnd(), certainty, calibration };
  }

  forget(uri: string): void {
    if (this.followed?.uri === uri) this.followed = undefined;
  }
}

/** `open`: the cursor is on the line. `gone`: nobody knows what was to stand there. */
function fateOf(followed: FollowedLine, before: string, after: string): 'right' | 'wrong' | 'open' | 'gone' {
  const start = placeIn(followed, before, after);
  if (start === undefined) return 'gone';
  const whole = before + after;
  const end = whole.indexOf('\n', start);
  const line = whole.slice(start, end < 0 ? undefined : end).trimEnd();
  const cursor = before.length - start;
  if (cursor >= 0 && !before.includes('\n', start)) return 'open';
  if (line.trim() === '') return 'gone';
  if (line === followed.text) return 'right';
  // Who went on above it may have more to say.
  return cursor < 0 && followed.text.startsWith(line) ? 'gone' : 'wrong';
}
