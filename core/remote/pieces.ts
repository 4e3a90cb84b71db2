/** What comes of an answer, whichever protocol brings it. */
import { listOf, numberOf, objectOf, textOf } from '../http/json_values';
import type { NativeStop, NativeTimings } from '../engine/native_types';

export interface RemoteToken {
  readonly text: string;
  /** 0 to 1. */
  readonly probability: number;
  /** How probable it was that the line or the text ended in its place, as far as the server says, 0 to 1. */
  readonly endProbability: number;
}

/** What the server counted. */
export type RemoteCounts = Pick<NativeTimings, 'promptTokens' | 'reusedTokens' | 'generatedTokens'>;

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

/** `{token, logprob, top_logprobs}`, as llama.cpp's server and newer ones of OpenAI's protocol write it. */
export function ratedOf(one: Readonly<Record<string, unknown>>): Rated {
  const rated = (value: unknown): Omit<Rated, 'others'> => {
    const { token, logprob } = objectOf(value);
    return { text: textOf(token), logprob: numberOf(logprob) };
  };
  return { ...rated(one), others: listOf(one['top_logprobs']).map(rated) };
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
