/** A part of a file that somebody types, key after key. */
import { type DocumentSnapshot, snapshotOfText } from '../../core/completion/document';
import { languageOfPath } from '../../core/completion/languages';
import type { SeededRandom } from '../random';
import type { OtherFiles } from '../open_files';
import { BEFORE_FIRST_MS, intervalAfter } from './typist';

export interface Stretch {
  /** Relative, with forward slashes. */
  readonly path: string;
  /** All of the file, line breaks as `\n`. */
  readonly text: string;
  /** The offset behind what is typed: the end of a line. */
  readonly end: number;
  /** The cursor's offset before the first key, and after each. The last is `end`. */
  readonly stops: readonly number[];
  /** What passes at each stop until the next key is pressed, ms. */
  readonly intervals: readonly number[];
  /** What else is open; default: nothing. */
  readonly others?: OtherFiles;
}

/** What a key writes: one character, behind Enter also the next line's indentation, which the editor writes. */
const KEY = /\n[ \t]*|[^\n]/gu;

/**
 * A stretch from the start of some line's text on, of at least `keys` keys, up to the end of a line; shorter where the file is. Undefined of
 * a file with too few lines to begin below the first one.
 */
export function chooseStretch(
  path: string,
  text: string,
  keys: number,
  random: SeededRandom,
): Stretch | undefined {
  const starts = [...text.matchAll(/(?<=\n[ \t]*)\S/g)]
    .map(({ index }) => index)
    .filter((at) => /\n[ \t]*$/.test(text.slice(0, at)));
  const long = starts.filter((at) => keysOf(text.slice(at)).length >= keys);
  const start = long.length > 0 ? long[random.below(long.length)] : starts[0];
  return start === undefined ? undefined : stretchFrom(path, text, start, keys, random);
}

/** @param start An offset in `text`. */
export function stretchFrom(
  path: string,
  text: string,
  start: number,
  keys: number,
  random: SeededRandom,
): Stretch {
  const stops = [start];
  const intervals = [BEFORE_FIRST_MS];
  let end = start;
  for (const key of keysOf(text.slice(start))) {
    if (stops.length > keys && key.startsWith('\n')) break;
    end += key.length;
    stops.push(end);
    intervals.push(intervalAfter(key, random));
  }
  return { path, text, end, stops, intervals };
}

/** As an editor has it when so much is typed; the rest of the stretch is not there yet. */
export function documentAt({ path, text, end }: Stretch, uri: string, cursor: number): DocumentSnapshot {
  return snapshotOfText({
    uri,
    path,
    languageId: languageOfPath(path),
    text: text.slice(0, cursor) + text.slice(end),
    offset: cursor,
  });
}

function keysOf(text: string): string[] {
  return text.match(KEY) ?? [];
}
