/**
 * The part of a line that is sure enough to be shown where all of it is less so: up to the end of a word or a bracket behind which nothing
 * is left open. What a model says first it knows better than what it goes on with.
 */
import { brackets, quotes } from './brackets';
import { tempered } from './calibration';
import { certaintyOfPart } from './certainty';
import { endsWithIdentifier, startsWithIdentifier } from './characters';
import { probabilityOf, type TokenCourse } from './token_course';

/** Shorter than this, accepting it saves nothing, visible UTF-16 units. */
const LEAST_UNITS = 4;
/** What a part may end with: a name, a number, or something closed. */
const ENDS = /[\p{L}\p{N}_$)\]}"'`]$/u;

export interface SurePart {
  /** UTF-16 units from the start of the line. */
  readonly length: number;
  /** How sure it is that the line goes on like this, 0 to 1. */
  readonly certainty: number;
}

/** What a part has to be. */
export interface PartRules {
  /** What stands before the line at its place: a string may begin there. */
  readonly head: string;
  /** How sure, 0 to 1. */
  readonly least: number;
  /** Of the model's certainty. Default: 1. */
  readonly temperature?: number;
  /** What must not be shown. Default: anything may. */
  readonly isBarred?: (part: string) => boolean;
}

/** The longest part of `line` that is sure enough; undefined where there is none. */
export function surePart(line: string, course: TokenCourse, rules: PartRules): SurePart | undefined {
  const { head, least, temperature = 1, isBarred } = rules;
  const startsLine = head.trim() === '';
  for (const length of partsOf(line, head)) {
    const probability = probabilityOf(course, length);
    const certainty = tempered(certaintyOfPart({ probability, startsLine }), temperature);
    if (certainty >= least && isBarred?.(line.slice(0, length)) !== true) return { length, certainty };
  }
  return undefined;
}

/** The lengths of the parts that could stand for themselves, the longest first, UTF-16 units. */
export function* partsOf(line: string, head: string): Generator<number> {
  const within = quotes(head).open;
  for (let length = line.length - 1; length >= LEAST_UNITS; length--) {
    const part = line.slice(0, length);
    if (isWhole(part, line.slice(length)) && !leavesQuoteOpen(part, within)) yield length;
  }
}

function isWhole(part: string, rest: string): boolean {
  if (!ENDS.test(part) || part.trim().length < LEAST_UNITS) return false;
  if (endsWithIdentifier(part) && startsWithIdentifier(rest)) return false;
  const { closer, missing, quoted } = brackets(part);
  return closer === undefined && missing === '' && !quoted;
}

/** Whether a string that begins in `part` goes on behind it, where one in quotes of the kind `within` is open before it. */
function leavesQuoteOpen(part: string, within: string): boolean {
  const { open, begins } = quotes(part, within);
  return begins && open !== '';
}
