/** From completions and what the authors wrote to the figures of the quality suite. */
import type { Reason } from '../extension/completion/reasons';
import type { NativeTimings } from '../extension/engine/native_types';
import { LANGUAGES, PLACES, languageOf, placeOf, type CompletionCase, type Place } from './completion_case';
import { ownRow, type Row } from './report';

export interface Completed {
  readonly case: CompletionCase;
  /** What was proposed, also where an editor would not show it. */
  readonly text: string;
  readonly shown: boolean;
  /** `shown`, or why it would not be. */
  readonly reason: Reason;
  /** 0 to 1. */
  readonly confidence: number;
  readonly timings: NativeTimings;
}

/** Exact rest of the line, percent, that the embedded model must reach on unseen code. */
const EXACT_FLOOR: Readonly<Record<Place, number>> = { mid: 28, start: 8 };

/** Shares of the most confident suggestions, percent. */
const MOST_CONFIDENT = [10, 25, 50];

/** Equal but for blanks at the end of the line. */
export function isExact({ case: { expected }, text }: Completed): boolean {
  return text.trimEnd() === expected.trimEnd();
}

/** The first word or run of punctuation agrees; the blanks before it do not matter. */
export function isFirstWordRight({ case: { expected }, text }: Completed): boolean {
  const word = firstWord(expected);
  return word !== undefined && word === firstWord(text);
}

function firstWord(text: string): string | undefined {
  return /[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+/u.exec(text)?.[0];
}

/**
 * Rows of the languages and places that occur, then those over all languages, then those over all.
 * @param prefix What their names begin with.
 */
export function qualityRows(completed: readonly Completed[], prefix = 'quality/'): Row[] {
  const rows: Row[] = [];
  for (const language of LANGUAGES) {
    for (const place of PLACES) {
      const some = completed.filter(
        (one) => languageOf(one.case.path) === language && placeOf(one.case) === place,
      );
      if (some.length === 0) continue;
      const name = `${prefix}${language}-${place}`;
      rows.push(
        ownRow(`${name}-exact`, '%', percent(some, isExact), EXACT_FLOOR[place]),
        ownRow(`${name}-first-word`, '%', percent(some, isFirstWordRight)),
        ownRow(`${name}-places`, 'places', some.length),
      );
    }
  }
  for (const place of PLACES) {
    const some = completed.filter((one) => placeOf(one.case) === place);
    if (some.length === 0) continue;
    rows.push(ownRow(`${prefix}${place}-exact`, '%', percent(some, isExact), EXACT_FLOOR[place]));
  }
  const sorted = completed.toSorted((a, b) => b.confidence - a.confidence);
  for (const share of MOST_CONFIDENT) {
    const surest = sorted.slice(0, Math.max(1, Math.round((sorted.length * share) / 100)));
    rows.push(ownRow(`${prefix}top${share}-exact`, '%', percent(surest, isExact)));
  }
  const shown = completed.filter((one) => one.shown);
  rows.push(
    ownRow(
      `${prefix}shown`,
      '%',
      percent(completed, (one) => one.shown),
    ),
  );
  if (shown.length > 0) rows.push(ownRow(`${prefix}shown-exact`, '%', percent(shown, isExact)));
  return rows;
}

function percent<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.length === 0 ? 0 : (100 * items.filter(holds).length) / items.length;
}
