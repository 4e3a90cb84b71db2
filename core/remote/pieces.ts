/** What comes of an answer, whichever protocol brings it. */
import type { NativeStop } from '../engine/native_types';

export interface RemoteToken {
  readonly text: string;
  /** 0 to 1. */
  readonly probability: number;
  /** How probable it was that the line or the text ended in its place, as far as the server says, 0 to 1. */
  readonly endProbability: number;
}

/** What the server counted. */
export interface RemoteCounts {
  readonly promptTokens: number;
  /** Of these, how many it had read before. */
  readonly reusedTokens: number;
  readonly generatedTokens: number;
}

export interface RemotePiece {
  readonly text: string;
  /** With their probabilities; empty where the server gives none. */
  readonly tokens: readonly RemoteToken[];
  /** Set in the last one. */
  readonly stop?: NativeStop;
  readonly counts?: RemoteCounts;
}

/** Of a token and what could have come instead, as logarithms. */
export interface Rated {
  readonly text: string;
  readonly logprob: number;
  readonly others: readonly { readonly text: string; readonly logprob: number }[];
}

/** An end token has no text, or one like these. */
const ENDS =
  /^(?:$|<\|?(?:endoftext|im_end|eot_id|EOT|file_sep|fim_pad|end_of_text|eos|\/s)\|?>|<EOT>|<｜end|<\[end|[ \t]*[\r\n])/;

export function tokenOf({ text, logprob, others }: Rated): RemoteToken {
  const all = others.some((other) => other.text === text) ? others : [{ text, logprob }, ...others];
  const ends = all
    .filter((other) => ENDS.test(other.text))
    .reduce((sum, other) => sum + probabilityOf(other.logprob), 0);
  return { text, probability: probabilityOf(logprob), endProbability: Math.min(1, ends) };
}

/** Servers write a probability of none as a very small logarithm, or as null. */
function probabilityOf(logprob: number): number {
  return Number.isFinite(logprob) ? Math.min(1, Math.exp(Math.min(0, logprob))) : 0;
}
