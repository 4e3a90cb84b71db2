/** The stretches of a folder's files that are typed. */
import { Failure } from '../../cli/failure';
import { LANGUAGES } from '../languages';
import { OpenFiles } from '../open_files';
import { SeededRandom } from '../random';
import { sourceFiles } from '../source_files';
import { chooseStretch, type Stretch } from './stretch';

/** Of each file, and a few more up to the end of a line. */
const KEYS_A_FILE = 300;

/**
 * Of as many files as it takes to type `keys` keys, or of all; languages take turns. The same seed gives the same stretches and intervals. Throws
 * Failure where there is no file.
 */
export async function chooseStretches(folder: string, keys: number, seed: number): Promise<Stretch[]> {
  const random = new SeededRandom(seed);
  const open = new OpenFiles([folder]);
  const stretches: Stretch[] = [];
  let left = keys;
  let turns = LANGUAGES.map((language) => sourceFiles([folder], language, random));
  while (turns.length > 0 && left > 0) {
    const going: typeof turns = [];
    for (const files of turns) {
      const next = await files.next();
      if (next.done === true) continue;
      going.push(files);
      if (left <= 0) break;
      const { path, text } = next.value;
      const stretch = chooseStretch(path, text, Math.min(left, KEYS_A_FILE), random);
      if (stretch === undefined) continue;
      const {
        end,
        stops: [start = end],
      } = stretch;
      const place = {
        path,
        prefix: text.slice(0, start),
        expected: text.slice(start, end),
        suffix: text.slice(end),
      };
      stretches.push({ ...stretch, others: await open.besideOf(place) });
      left -= stretch.stops.length - 1;
    }
    turns = going;
  }
  if (stretches.length > 0) return stretches;
  throw new Failure({ code: 'INVALID_ARGUMENT', message: `${folder} has no source files; give another.` });
}
