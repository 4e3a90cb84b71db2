/** Places of a quality run, as far as they say how sure one can be of a suggestion, and of parts of one. */
import { join } from 'node:path';
import { ROOT } from '../../cli/engine_options';
import type { Evidence } from '../../core/completion/certainty';
import { partsOf } from '../../core/completion/sure_part';
import { probabilityOf, type TokenCourse } from '../../core/completion/token_course';
import { numberTable, readNumberTable } from '../number_table';
import { type Detail, readDetails } from '../quality_details';
import { beginsRight } from '../scores';

export interface Observation extends Evidence {
  /** Which place it is of: the parts of one line are no independent witnesses. */
  readonly at: number;
  /** The text was what the author wrote; of a part: the author's text goes on like that. */
  readonly right: boolean;
}

/** What the weights in the code were fitted to: of whole lines, and of parts. */
export const OWN_TABLES = {
  lines: join(ROOT, 'bench', 'certainty', 'lines.csv'),
  parts: join(ROOT, 'bench', 'certainty', 'parts.csv'),
} as const;
const COLUMNS = ['place', 'probability', 'startsLine', 'right'];

export type Observations = Readonly<Record<keyof typeof OWN_TABLES, readonly Observation[]>>;

/** Of a details file, the lines that were drawn as an editor draws them, and that nothing but doubt would hide. Throws Failure. */
export async function observationsOfDetails(path: string): Promise<Observations> {
  const drawn = (await readDetails(path)).filter(
    ({ temperature, reason }) => temperature > 0 && /^(shown|low_confidence)$/.test(reason),
  );
  return { lines: drawn.flatMap(ofLine), parts: drawn.flatMap(ofParts) };
}

function ofLine(detail: Detail, at: number): Observation[] {
  const course = courseOf(detail);
  if (course === undefined) return [];
  const { place, text, exact } = detail;
  const probability = probabilityOf(course, text.trimStart().length);
  return [{ at, probability, startsLine: place === 'start', right: exact }];
}

function ofParts(detail: Detail, at: number): Observation[] {
  const course = courseOf(detail);
  // In front of other text nothing is shown in part.
  if (course === undefined || detail.lineAfter.trim() !== '') return [];
  const { place, text, expected } = detail;
  const line = text.trimStart();
  const lead = text.slice(0, text.length - line.length);
  return Array.from(partsOf(line, detail.line + lead), (length) => ({
    at,
    probability: probabilityOf(course, length),
    startsLine: place === 'start',
    right: beginsRight({ expected, text: lead + line.slice(0, length) }),
  }));
}

function courseOf({ tokens }: Detail): TokenCourse | undefined {
  if (tokens === undefined) return undefined;
  const { probabilities, ends } = tokens;
  return { probabilities: Float32Array.from(probabilities), ends: Uint32Array.from(ends) };
}

export function tableOf(observations: readonly Observation[]): Uint8Array {
  return numberTable(
    COLUMNS,
    observations.map(({ at, probability, startsLine, right }) => [
      at,
      probability,
      Number(startsLine),
      Number(right),
    ]),
  );
}

/** What the tables hold. Throws Failure. */
export async function ownObservations(): Promise<Observations> {
  return { lines: await readObservations(OWN_TABLES.lines), parts: await readObservations(OWN_TABLES.parts) };
}

/** Throws Failure for what {@link tableOf} does not write. */
async function readObservations(path: string): Promise<Observation[]> {
  const rows = await readNumberTable(path, COLUMNS);
  return rows.map(([at = 0, probability = 0, startsLine, right]) => ({
    at,
    probability,
    startsLine: startsLine === 1,
    right: right === 1,
  }));
}
