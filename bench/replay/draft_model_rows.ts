/** Rows of drafts by a model: speed beside plain decode, and what was found beside Leviathan's formulas. */
import type { DraftingTotals } from '../../core/completion/drafting_totals';
import { besideRow, ownRow, type Row } from '../report';
import { expectedSpeedup, expectedTokens } from './leviathan';

/** Of an interval of length 1, to the precision of a float. */
const HALVINGS = 50;

/** What was measured with drafts of one length from one model. */
export interface DraftRun {
  /** Which of the draft models, the best first. */
  readonly noise: number;
  /** Tokens of a draft. */
  readonly drafted: number;
  /** Of all texts. */
  readonly tokens: number;
  readonly plainMs: number;
  readonly draftedMs: number;
  readonly totals: DraftingTotals;
}

/**
 * How probable it is that a drafted token is right when those before it were, 0 to 1: with that at each of its tokens, a draft
 * would have as many that are right as were found. A draft that the end of the text cut short then counts for what it has.
 */
export function acceptanceOf({ drafted, totals }: Pick<DraftRun, 'drafted' | 'totals'>): number {
  const accepted = drafted * totals.acceptance;
  let least = 0;
  let most = 1;
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (least + most) / 2;
    if (expectedTokens(middle, drafted) - 1 < accepted) least = middle;
    else most = middle;
  }
  return most;
}

/** Tokens for each draft: those that were right, and one more. */
function tokensADraft({ accepted, batches }: DraftingTotals): number {
  return batches === 0 ? 1 : accepted / batches + 1;
}

/** @param draftMs Of a token of the draft model. */
export function draftModelRows(runs: readonly DraftRun[], draftMs: number): Row[] {
  return runs.flatMap((run) => {
    const { noise, drafted, tokens, plainMs, draftedMs, totals } = run;
    const name = `replay/draft-k${drafted}-noise${noise}`;
    const acceptance = acceptanceOf(run);
    const speedup = plainMs / draftedMs;
    const cost = draftMs / (plainMs / tokens);
    const besides = (figure: string, unit: string, ours: number, peer: number): Row =>
      besideRow({ name: name + figure, unit, ours, peer }, 'higher');
    return [
      besides('', 'tok/s', (1_000 * tokens) / draftedMs, (1_000 * tokens) / plainMs),
      ownRow(`${name}-acceptance`, '%', 100 * acceptance),
      besides('-tokens-a-draft', 'tokens', tokensADraft(totals), expectedTokens(acceptance, drafted)),
      besides('-speedup', 'x', speedup, expectedSpeedup(acceptance, drafted, cost)),
    ];
  });
}
