/**
 * Whether what a model made of a line is what was then typed there: what its certainty is measured by (calibration.ts). One line is followed at a time,
 * in memory, and dropped with its end.
 */
import { type Anchor, anchorAt, placeIn } from './anchor';
import type { CachedGeneration } from './cache';
import type { Calibration } from './calibration';
import { certaintyOf } from './certainty';
import { type DocumentSnapshot, lineAfter, lineBefore } from './document';
import { firstLine } from './postprocess';
import { courseFrom, probabilityOf } from './token_course';

interface Followed extends Anchor {
  readonly text: string;
  readonly certainty: number;
  readonly calibration: Calibration;
}

export class TypedLines {
  private followed: Followed | undefined;

  /** Somebody looks at a place of a document as it is now. */
  seen({ uri, before, after }: DocumentSnapshot): void {
    const { followed } = this;
    if (followed?.uri !== uri) return;
    const right = verdict(followed, before, after);
    if (right === 'open') return;
    this.followed = undefined;
    if (right !== 'gone') followed.calibration.add(followed.certainty, right === 'right');
  }

  /** A model made this of the rest of the line at a place. Of text in front of other text nobody says where it ends. */
  made(
    document: DocumentSnapshot,
    { text, stop, followsSchema, course, calibration }: CachedGeneration,
  ): void {
    if (calibration === undefined || this.followed?.uri === document.uri) return;
    if (followsSchema || stop === 'unsure' || stop === 'cancelled' || lineAfter(document).trim() !== '')
      return;
    const line = firstLine(text).trimEnd();
    const visible = line.trimStart();
    if (visible === '') return;
    const probability = probabilityOf(courseFrom(course, line.length - visible.length), visible.length);
    const certainty = certaintyOf({ probability, startsLine: lineBefore(document).trim() === '' });
    this.followed = { ...anchorAt(document.uri, document.before), text: line, certainty, calibration };
  }

  forget(uri: string): void {
    if (this.followed?.uri === uri) this.followed = undefined;
  }
}

type Verdict = 'right' | 'wrong' | 'open' | 'gone';

/** `open`: what is typed so far agrees. `gone`: nobody knows what was to stand there. */
function verdict(followed: Followed, before: string, after: string): Verdict {
  const { text } = followed;
  const whole = before + after;
  const start = placeIn(whole, followed);
  if (start === undefined) return 'gone';
  const end = whole.indexOf('\n', start);
  const line = whole.slice(start, end < 0 ? undefined : end);
  const typed = before.length - start;
  if (typed >= 0 && typed <= line.length) {
    // What the editor closes right of the cursor is not typed yet.
    return text.startsWith(line.slice(0, typed).trimEnd()) ? 'open' : 'wrong';
  }
  const said = line.trimEnd();
  if (said.trim() === '') return 'gone';
  if (said === text) return 'right';
  // Who went on below it had no more to say.
  return typed > 0 || !text.startsWith(said) ? 'wrong' : 'gone';
}
