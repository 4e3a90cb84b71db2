/** What lookups are worth on the recorded cases: over several lines and over one, greedy and sampled, and in a fresh session. */
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import type { Engine } from '../../core/engine/engine';
import type { Row } from '../report';
import { lookupRows } from './lookup_rows';
import { type LookupOptions, sampleLookup } from './lookup_samples';
import { readReplayCases } from './replay_case';
import type { Manner } from './replay_request';

const SEVERAL: Manner = { lines: 'several', temperature: 0, maxTokens: 80 };
const ONE: Manner = { lines: 'one', temperature: 0, maxTokens: DEFAULT_OPTIONS.maxTokens };
const { temperature } = DEFAULT_OPTIONS.sampling;

interface Variant extends Pick<LookupOptions, 'fresh'> {
  /** Behind the names of its rows. */
  readonly suffix: string;
  readonly manner: Manner;
}

export const LOOKUP_PARTS = ['lookup', 'sampled', 'line', 'line-sampled', 'fresh'] as const;
export type LookupPart = (typeof LOOKUP_PARTS)[number];

const VARIANTS: Readonly<Record<LookupPart, Variant>> = {
  lookup: { suffix: '', manner: SEVERAL, fresh: false },
  sampled: { suffix: '-sampled', manner: { ...SEVERAL, temperature }, fresh: false },
  line: { suffix: '-line', manner: ONE, fresh: false },
  'line-sampled': { suffix: '-line-sampled', manner: { ...ONE, temperature }, fresh: false },
  fresh: { suffix: '-fresh', manner: SEVERAL, fresh: true },
};

/** Throws Failure. */
export async function runLookup(engine: Engine, part: LookupPart, rounds: number): Promise<Row[]> {
  const { suffix, manner, fresh } = VARIANTS[part];
  return lookupRows(await sampleLookup(engine, await readReplayCases(), manner, { rounds, fresh }), suffix);
}
