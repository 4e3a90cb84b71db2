/** From completions and what the authors wrote to the figures of the quality suite. */
import type { Reason } from '../core/completion/reasons';
import type { Stop } from '../core/completion/stop';
import type { NativeTimings } from '../core/engine/native_types';
import type { TokenCourse } from '../core/completion/token_course';
import { LINE_PLACES, placeOf, type CompletionCase, type LinePlace, type Place } from './completion_case';
import { lineOf } from './closers';
import type { LineRecord } from './line_record';
import { byLanguage, LANGUAGES, languageOf } from './languages';
import { ownRow, type Row } from './report';
import { SHAPE_FAULTS, type ShapeFault, shapeFaults } from './shape';
import { indentationOf } from './source_lines';
import {
  beginsRight,
  endsRight,
  endsStatement,
  isExact,
  isFirstLineRight,
  isFirstWordRight,
  type Scored,
  similarity,
} from './scores';

export interface Completed {
  readonly case: CompletionCase;
  /** What was proposed, also where an editor would not show it. */
  readonly text: string;
  readonly shown: boolean;
  /** `shown`, or why it would not be. */
  readonly reason: Reason;
  /** What ended the generating. */
  readonly stop: Stop;
  /** 0 to 1. */
  readonly confidence: number;
  /** How sure it is that the text is right, 0 to 1. A block has none: it is asked for. */
  readonly certainty?: number;
  /** Of all tokens, from the first visible unit of the text on. */
  readonly course?: TokenCourse | undefined;
  /** Of what is suggested unasked where a block begins: each line that the model was asked for, shown or not. */
  readonly lines?: readonly LineRecord[];
  /** What of the text an editor shows that would not show all of it. */
  readonly part?: string;
  readonly endProbability: number;
  readonly timings: NativeTimings;
}

/** Exact rest of the line, percent, that the embedded model must reach on unseen code. */
const EXACT_FLOOR: Readonly<Partial<Record<LinePlace, number>>> = { mid: 28, start: 8 };

/** Shares of the most confident suggestions, percent. */
const MOST_CONFIDENT = [10, 25, 50];

/** What is said of a place with yes or no; the names are the ends of rows' names. */
export const LINE_CHECKS = { exact: isExact, 'first-word': isFirstWordRight } as const;
export const BLOCK_CHECKS = { 'first-line': isFirstLineRight, whole: isExact, end: endsRight } as const;

/**
 * Of places in a line: rows of the languages and places that occur, then those over all languages, then those over all.
 * @param prefix What their names begin with.
 */
export function qualityRows(all: readonly Completed[], prefix = 'quality/'): Row[] {
  const completed = all.filter((one) => placeOf(one.case) !== 'block');
  if (completed.length === 0) return [];
  const rows: Row[] = [];
  for (const language of LANGUAGES) {
    for (const place of LINE_PLACES) {
      const some = at(place, completed).filter((one) => languageOf(one.case.path) === language);
      if (some.length === 0) continue;
      const name = `${prefix}${language}-${place}`;
      rows.push(
        ownRow(`${name}-exact`, '%', percent(some, isExact), EXACT_FLOOR[place]),
        ownRow(`${name}-first-word`, '%', percent(some, isFirstWordRight)),
        ownRow(`${name}-similarity`, '%', meanSimilarity(some)),
        ownRow(`${name}-places`, 'places', some.length),
      );
    }
  }
  for (const place of LINE_PLACES) {
    const some = at(place, completed);
    if (some.length === 0) continue;
    rows.push(ownRow(`${prefix}${place}-exact`, '%', percent(some, isExact), EXACT_FLOOR[place]));
  }
  const sorted = completed.toSorted((a, b) => b.confidence - a.confidence);
  for (const share of MOST_CONFIDENT) {
    const surest = sorted.slice(0, Math.max(1, Math.round((sorted.length * share) / 100)));
    rows.push(ownRow(`${prefix}top${share}-exact`, '%', percent(surest, isExact)));
  }
  rows.push(...unaskedRows(completed, `${prefix}shown`));
  for (const place of LINE_PLACES) rows.push(...unaskedRows(at(place, completed), `${prefix}shown-${place}`));
  return rows;
}

/** What an editor shows while nobody asks, and how good that is. */
function unaskedRows(completed: readonly Completed[], name: string): Row[] {
  if (completed.length === 0) return [];
  const shown = completed.filter((one) => one.shown);
  const share = ownRow(name, '%', (100 * shown.length) / completed.length);
  const rows = [share, ...partRows(completed, `${name}-part`)];
  if (shown.length === 0) return rows;
  return [
    ...rows,
    ownRow(`${name}-exact`, '%', percent(shown, isExact)),
    ownRow(`${name}-first-word`, '%', percent(shown, isFirstWordRight)),
    ownRow(`${name}-similarity`, '%', meanSimilarity(shown)),
  ];
}

/** Where only a part of a text is shown: how often, and how often the author's line goes on like that. */
function partRows(completed: readonly Completed[], name: string): Row[] {
  const parts = completed.flatMap(({ case: { expected }, part }) =>
    part === undefined ? [] : [{ expected, text: part }],
  );
  if (parts.length === 0) return [];
  const right = parts.filter(beginsRight).length;
  return [
    ownRow(name, '%', (100 * parts.length) / completed.length),
    ownRow(`${name}-right`, '%', (100 * right) / parts.length),
  ];
}

/** Of all that is shown unasked, parts included: how much of it has a shape that is wrong whatever it says (shape.ts). */
export function shapeRows(completed: readonly Completed[], prefix = 'quality/'): Row[] {
  const faults = completed.flatMap((one) => {
    const text = shownText(one);
    const isRight = text === undefined || one.case.expected.startsWith(text);
    return isRight ? [] : shapeFaults({ ...one.case, text });
  });
  const shown = completed.filter((one) => shownText(one) !== undefined).length;
  if (shown === 0) return [];
  const count = (fault: ShapeFault): number => faults.filter((one) => one === fault).length;
  return [
    ownRow(`${prefix}shown-places`, 'places', shown),
    ...SHAPE_FAULTS.map((fault) => ownRow(`${prefix}shown-${fault}`, 'places', count(fault), 0)),
  ];
}

/** What an editor shows of it; undefined where that is nothing. */
function shownText({ text, shown, part }: Completed): string | undefined {
  return shown ? text : part;
}

/** Of blocks: rows of the languages that occur, then those over all. */
export function blockRows(all: readonly Completed[], prefix = 'quality/'): Row[] {
  const completed = at('block', all);
  return byLanguage(completed, (one) => one.case.path).flatMap(([language, some]) => {
    const name = language === 'all' ? `${prefix}block` : `${prefix}${language}-block`;
    return [
      ...Object.entries(BLOCK_CHECKS).map(([check, holds]) =>
        ownRow(`${name}-${check}`, '%', percent(some, holds)),
      ),
      ownRow(`${name}-similarity`, '%', meanSimilarity(some)),
      ownRow(`${name}-places`, 'places', some.length),
    ];
  });
}

/**
 * Of what is shown unasked where blocks begin: how often, and how good it is; then the same of those of several lines. A share of nothing has
 * no row.
 */
export function suggestedRows(suggested: readonly Completed[], prefix = 'quality/'): Row[] {
  if (suggested.length === 0) return [];
  const shown = suggested.filter((one) => one.shown);
  const several = shown.filter((one) => one.text.includes('\n'));
  const ended = several.filter((one) => endsStatement(scored(one), indentationOf(lineOf(one.case.prefix))));
  const parts = ended.filter((one) => beginsRight(scored(one)) && !endsRight(scored(one)));
  const share = (some: readonly Completed[], of = suggested): number => (100 * some.length) / of.length;
  const name = `${prefix}suggested-block`;
  return [
    ownRow(name, '%', share(shown)),
    ...(shown.length === 0 ? [] : [ownRow(`${name}-first-line`, '%', percent(shown, isFirstLineRight))]),
    ownRow(`${name}-several`, '%', share(several)),
    ...(several.length === 0
      ? []
      : [
          ownRow(`${name}-several-first-line`, '%', percent(several, isFirstLineRight)),
          ownRow(`${name}-several-right`, '%', percent(several, beginsRight)),
          ownRow(`${name}-several-end`, '%', percent(several, endsRight)),
          ownRow(`${name}-several-part`, '%', share(parts, several)),
          ownRow(`${name}-several-statement-end`, '%', share(ended, several)),
        ]),
  ];
}

function at(place: Place, completed: readonly Completed[]): Completed[] {
  return completed.filter((one) => placeOf(one.case) === place);
}

function scored({ case: { expected }, text }: Completed): Scored {
  return { expected, text };
}

function percent(some: readonly Completed[], holds: (one: Scored) => boolean): number {
  return (100 * some.filter((one) => holds(scored(one))).length) / some.length;
}

function meanSimilarity(some: readonly Completed[]): number {
  return (100 * some.reduce((sum, one) => sum + similarity(scored(one)), 0)) / some.length;
}
