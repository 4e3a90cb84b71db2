/** Replays the cases with lookups and without, in turn, so that whatever else the machine does hits both alike. */
import { Failure, valueOf } from '../../cli/failure';
import type { Engine } from '../../core/engine/engine';
import type { NativeDrafting } from '../../core/engine/native_drafting';
import type { ReplayCase } from './replay_case';
import { type Manner, replay, type Sample } from './replay_request';

const PLAIN: Partial<NativeDrafting> = {};
const LOOKUP: Partial<NativeDrafting> = { lookup: true };

/** What was measured of one case, in the order it was taken. */
export interface PairedSamples {
  readonly of: ReplayCase;
  readonly plain: Sample[];
  readonly drafted: Sample[];
}

export interface LookupOptions {
  readonly rounds: number;
  /** Draft in a session that has measured nothing yet, each time. */
  readonly fresh: boolean;
}

/**
 * All cases once without a record, then `rounds` times. Every round goes through all of them, so that what is known of drafts
 * comes from other places, as in an editor. Throws Failure, also where drafts change a text.
 */
export async function sampleLookup(
  engine: Engine,
  cases: readonly ReplayCase[],
  manner: Manner,
  { rounds, fresh }: LookupOptions,
): Promise<PairedSamples[]> {
  const measured = cases.map((of): PairedSamples => ({ of, plain: [], drafted: [] }));
  for (let round = 0; round <= rounds; round++) {
    for (const { of, plain, drafted } of measured) {
      // The first of the two also finds colder caches.
      const draftFirst = round % 2 === 1;
      const samples = await inOrder(draftFirst, {
        plain: () => sample(engine, of, manner, PLAIN, fresh),
        drafted: () => sample(engine, of, manner, LOOKUP, fresh),
      });
      if (!sameIds(samples.plain.ids, samples.drafted.ids)) {
        throw new Failure({ code: 'RESULTS_DIFFER', message: `Drafts change the text of case ${of.id}.` });
      }
      if (round === 0) continue;
      plain.push(samples.plain);
      drafted.push(samples.drafted);
    }
  }
  return measured;
}

async function inOrder(
  draftFirst: boolean,
  { plain, drafted }: { readonly plain: () => Promise<Sample>; readonly drafted: () => Promise<Sample> },
): Promise<{ readonly plain: Sample; readonly drafted: Sample }> {
  if (draftFirst) {
    const first = await drafted();
    return { plain: await plain(), drafted: first };
  }
  const first = await plain();
  return { plain: first, drafted: await drafted() };
}

async function sample(
  engine: Engine,
  one: ReplayCase,
  manner: Manner,
  drafting: Partial<NativeDrafting>,
  fresh: boolean,
): Promise<Sample> {
  if (!fresh) return replay(engine, one, manner, drafting);
  // The prompt's keys and values come along; what was learnt of drafts does not.
  const fork = valueOf(await engine.fork());
  try {
    return await replay(fork, one, manner, drafting);
  } finally {
    await fork.dispose();
  }
}

export function sameIds(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
