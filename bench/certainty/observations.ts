/** Places of a quality run, as far as they say how sure one can be of a suggestion. */
import { join } from 'node:path';
import { ROOT } from '../../cli/engine_options';
import { readText } from '../../cli/files';
import { type Evidence } from '../../core/completion/certainty';
import { numberTable, readNumberTable } from '../number_table';

export interface Observation extends Evidence {
  /** The text was what the author wrote. */
  readonly right: boolean;
}

/** What the weights in the code were fitted to. */
export const OWN_TABLE = join(ROOT, 'bench', 'certainty', 'observations.csv');
const COLUMNS = ['confidence', 'tokens', 'startsLine', 'right'];

/** What of a details file's line counts here; `quality_details.ts` writes it. */
interface Line {
  readonly temperature: number;
  readonly reason: string;
  readonly place: string;
  readonly confidence: number;
  readonly exact: boolean;
  readonly timings: { readonly generatedTokens: number };
}

/** Of a details file, the lines that were drawn as an editor draws them, and that nothing but doubt would hide. Throws Failure. */
export async function observationsOfDetails(path: string): Promise<Observation[]> {
  const lines = (await readText(path)).split('\n').filter((line) => line.trim() !== '');
  return lines
    .map((line) => JSON.parse(line) as Line)
    .filter(({ temperature, reason }) => temperature > 0 && /^(shown|low_confidence)$/.test(reason))
    .map(({ place, confidence, exact, timings }) => ({
      confidence,
      tokens: timings.generatedTokens,
      startsLine: place === 'start',
      right: exact,
    }));
}

export function tableOf(observations: readonly Observation[]): Uint8Array {
  return numberTable(
    COLUMNS,
    observations.map(({ confidence, tokens, startsLine, right }) => [
      confidence,
      tokens,
      Number(startsLine),
      Number(right),
    ]),
  );
}

/** Throws Failure for what {@link tableOf} does not write. */
export async function readObservations(path: string): Promise<Observation[]> {
  const rows = await readNumberTable(path, COLUMNS);
  return rows.map(([confidence = 0, tokens = 0, startsLine, right]) => ({
    confidence,
    tokens,
    startsLine: startsLine === 1,
    right: right === 1,
  }));
}
