/** From samples of decoding with and without lookups to rows: tokens a second beside those of plain decode. */
import { DraftingTotals } from '../../core/completion/drafting_totals';
import { besideRow, ownRow, type Row } from '../report';
import { median } from '../statistics';
import type { PairedSamples } from './lookup_samples';
import { KINDS, repeats } from './replay_case';

const MS_PER_SECOND = 1_000;

/** Of cases with the same number of tokens in every sample, all together: the sums of the medians count. */
export interface Speedup {
  /** Tokens a second. */
  readonly drafted: number;
  readonly plain: number;
}

export function speedupOf(measured: readonly PairedSamples[]): Speedup {
  let tokens = 0;
  let plainMs = 0;
  let draftedMs = 0;
  for (const { plain, drafted } of measured) {
    tokens += plain[0]?.ids.length ?? 0;
    plainMs += median(plain.map(({ ms }) => ms));
    draftedMs += median(drafted.map(({ ms }) => ms));
  }
  const perSecond = MS_PER_SECOND * tokens;
  return { drafted: perSecond / draftedMs, plain: perSecond / plainMs };
}

/**
 * A row with the speed of lookups, plain decode as the peer, and where anything was drafted rows with the share of drafted
 * tokens that were right and the tokens for each time the model ran.
 */
function rowsOf(name: string, measured: readonly PairedSamples[]): Row[] {
  const { drafted, plain } = speedupOf(measured);
  const totals = new DraftingTotals();
  for (const one of measured) for (const sample of one.drafted) totals.add(sample.drafting);
  return [
    besideRow({ name, unit: 'tok/s', ours: drafted, peer: plain }, 'higher'),
    ...(totals.drafted === 0 ? [] : [ownRow(`${name}-acceptance`, '%', 100 * totals.acceptance)]),
    ownRow(`${name}-tokens-a-step`, 'tokens', totals.tokensPerStep),
  ];
}

/** How many times faster than plain decode the case is that gains least. */
function leastGain(name: string, measured: readonly PairedSamples[]): Row {
  const gains = measured.map((one) => speedupOf([one])).map(({ drafted, plain }) => drafted / plain);
  return ownRow(`${name}-least-gain`, 'x', Math.min(...gains));
}

/**
 * Rows of each kind of case, then of those that repeat something and of the rest.
 * @param variant Behind each name, `-sampled` for one; may be empty.
 */
export function lookupRows(measured: readonly PairedSamples[], variant: string): Row[] {
  const of = (name: string, some: (one: PairedSamples) => boolean): Row[] => {
    const chosen = measured.filter(some);
    return chosen.length === 0 ? [] : rowsOf(`replay/${name}${variant}`, chosen);
  };
  const rest = measured.filter((one) => !repeats(one.of.kind));
  return [
    ...KINDS.flatMap((kind) => of(`${kind}-lookup`, (one) => one.of.kind === kind)),
    ...of('repetitive-half', (one) => repeats(one.of.kind)),
    ...of('rest', (one) => rest.includes(one)),
    ...(rest.length === 0 ? [] : [leastGain(`replay/rest${variant}`, rest)]),
  ];
}
