/** Whether what was generated is shown: fitted to the text right of the cursor, and sure enough, all of it or the part that is. */
import type { CachedGeneration } from './cache';
import { tempered } from './calibration';
import { certaintyOf, certaintyUnderSchema, leastOfPart } from './certainty';
import { type DocumentSnapshot, lineAfter, lineBefore } from './document';
import { isEmptyComment } from './languages';
import type { CompletionOutcome } from './outcome';
import { postprocess, repeatsNeighbour } from './postprocess';
import type { Reason } from './reasons';
import { surePart } from './sure_part';
import { courseFrom, probabilityOf } from './token_course';

/** A line of which the model is this sure that it ends at the cursor is taken to be complete. */
export const LINE_COMPLETE = 0.5;
/** What is likelier wrong than right is not shown where a part of it is likelier right than wrong. */
const LIKELY = 0.5;

/** What is judged: what was generated as far as it is not typed yet, and what the model did for it now. */
export interface Candidate extends Pick<
  CompletionOutcome,
  'source' | 'ids' | 'timings' | 'drafting' | 'remote'
> {
  readonly generation: CachedGeneration;
  /** UTF-16 units of its text. */
  readonly typed: number;
}

/** Where it would be shown. */
interface Circumstances {
  readonly document: DocumentSnapshot;
  /** Somebody asked: what the model doubts is shown as well. */
  readonly explicit: boolean;
  /** How sure it has to be otherwise, 0 to 1. */
  readonly leastCertainty: number;
}

/** The verdict on a candidate at a place. */
export function judge(candidate: Candidate, circumstances: Circumstances): CompletionOutcome {
  const { document, explicit, leastCertainty } = circumstances;
  const { generation, typed, ...origin } = candidate;
  const raw = generation.text.slice(typed);
  const { stop, followsSchema, course, readsLine, calibration } = generation;
  const { temperature = 1 } = calibration ?? {};
  const { text, replace, reason } = postprocess(raw, stop, document, readsLine);
  const visible = text.trimStart();
  const indentation = text.slice(0, text.length - visible.length);
  const rest = courseFrom(course, typed + Math.max(0, raw.indexOf(visible)));
  const confidence = followsSchema ? confidenceUnderSchema(candidate) : probabilityOf(rest);
  const startsLine = lineBefore(document).trim() === '';
  const fitted = certaintyOf({ probability: probabilityOf(rest, visible.length), startsLine });
  const certainty = followsSchema ? certaintyUnderSchema(confidence) : tempered(fitted, temperature);
  // Whoever typed along showed that the line went on.
  const endProbability = typed === 0 ? generation.endProbability : 0;
  const all = typed === 0 ? { generation } : {};
  const made = { text, replace, stop, confidence, certainty, endProbability, ...all, ...origin };
  const whole = followsSchema ? made : { ...made, course: rest };
  if (!explicit && endsHere(endProbability, document)) return hidden(whole, 'line_complete');
  // A comment that says nothing yet is typed sooner than read.
  if (!explicit && isEmptyComment(document.languageId, text)) return hidden(whole, 'blank_result');
  if (reason !== undefined) return hidden(whole, reason);
  const least = explicit ? 0 : leastCertainty;
  // What was not made to its end is a part at best.
  const isMade = stop !== 'unsure';
  const isSure = certainty >= least && isMade;
  const stays = isSure && (explicit || certainty >= LIKELY);
  const standsAlone = !followsSchema && lineAfter(document).trim() === '';
  const said = standsAlone && isMade && typed === 0 ? { ...whole, line: { text, certainty: fitted } } : whole;
  const part =
    standsAlone && !stays
      ? surePart(visible, rest, {
          head: lineBefore(document) + indentation,
          least: isSure ? LIKELY : leastOfPart(least),
          temperature,
          // What all of it does not repeat, a part of it may.
          isBarred: (shown) => repeatsNeighbour(indentation + shown, 0, document),
        })
      : undefined;
  if (part === undefined) {
    return isSure ? { ...said, shown: true, reason: 'shown' } : hidden(said, 'low_confidence');
  }
  const shown = { text: text.slice(0, indentation.length + part.length), certainty: part.certainty };
  return { ...said, ...shown, uncut: { text, certainty }, shown: true, reason: 'shown' };
}

/** Text that follows a schema is not what the model's tokens spelled: each unit is taken to be as sure as any other. */
function confidenceUnderSchema({ generation, typed }: Candidate): number {
  const { text, confidence } = generation;
  return confidence ** (text === '' ? 1 : 1 - typed / text.length);
}

function hidden(made: Omit<CompletionOutcome, 'shown' | 'reason'>, reason: Reason): CompletionOutcome {
  return { ...made, shown: false, reason };
}

/**
 * True when the model is sure that nothing more belongs on this line. At a line's start a break would only mean a blank
 * line, and a blank before the cursor says that more follows.
 */
function endsHere(endProbability: number, document: DocumentSnapshot): boolean {
  return endProbability >= LINE_COMPLETE && /\S$/.test(lineBefore(document));
}
