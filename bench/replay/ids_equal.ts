/** Greedy text with drafts and without, token for token: both must be the same. */
import { Failure, valueOf } from '../../cli/failure';
import { type Engine } from '../../core/engine/engine';
import { GREEDY } from '../../core/engine/engine_request';
import { ownRow, type Row } from '../report';

/** Tokens of a text before another is gone on with. */
const PIECE_TOKENS = 128;
const PROGRESS_TOKENS = 2_000;

export interface Comparison {
  readonly compared: number;
  readonly mismatches: number;
  /** Drafted tokens that were verified: 0 would mean that nothing was put to the test. */
  readonly drafted: number;
  /** Of those, how many were right. */
  readonly accepted: number;
}

/**
 * Goes on from each text in turn until `tokens` tokens are compared. Whatever is looked up is verified, likely or not, so that
 * batches of every size occur. Throws Failure.
 */
export async function compareIds(
  engine: Engine,
  texts: readonly string[],
  tokens: number,
): Promise<Comparison> {
  const open = [...texts];
  let compared = 0;
  let mismatches = 0;
  let drafted = 0;
  let accepted = 0;
  for (let text = open.shift(); compared < tokens; text = open.shift()) {
    if (text === undefined) {
      throw new Failure({ code: 'EARLY_END', message: `All texts end before ${tokens} tokens; add some.` });
    }
    const call = {
      prompt: text,
      maxTokens: Math.min(PIECE_TOKENS, tokens - compared),
      singleLine: false,
      banBlankStart: false,
      sampling: GREEDY,
    };
    const plain = valueOf(await engine.complete(call));
    const guessed = valueOf(await engine.complete({ ...call, drafting: { lookup: true, adaptive: false } }));
    const length = Math.max(plain.ids.length, guessed.ids.length);
    for (let at = 0; at < length; at++) if (plain.ids[at] !== guessed.ids[at]) mismatches += 1;
    if (Math.floor((compared + length) / PROGRESS_TOKENS) > Math.floor(compared / PROGRESS_TOKENS))
      console.error(`replay: ${compared + length} of ${tokens} tokens, ${mismatches} differ`);
    compared += length;
    drafted += guessed.drafting.drafted;
    accepted += guessed.drafting.accepted;
    if (plain.stop === 'max_tokens') open.push(text + plain.text);
  }
  return { compared, mismatches, drafted, accepted };
}

export function comparisonRows({ compared, mismatches, drafted, accepted }: Comparison): Row[] {
  return [
    ownRow('replay/ids-compared', 'tokens', compared),
    ownRow('replay/ids-drafted', 'tokens', drafted),
    ownRow('replay/ids-accepted', 'tokens', accepted),
    ownRow('replay/ids-different', 'tokens', mismatches, 0),
  ];
}
