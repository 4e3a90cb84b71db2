/**
 * In which order other answers are made: each forks off an earlier one at a token, and goes on as the model likes best.
 *
 * The texts that a model can write are parted by where they first differ from those that were made: a part has those that share the tokens
 * before a place and go on with none that was tried there (Lawler, "A procedure for computing the k best solutions to discrete optimization
 * problems", Management Science 18, 1972). None of them is more probable than the shared tokens, times what the tried ones leave, or the last
 * of these where it was the likeliest. The part comes first in which the most probable text may be, and its answer parts it in turn: no text
 * as probable as `least` is missed.
 */
import type { NativeCompletion } from '../engine/native_types';
import { probabilityOf, type TokenCourse } from './token_course';

/** What a model said, token by token. */
export interface TokenAnswer {
  readonly ids: Uint32Array;
  /** How probable each was, 0 to 1. */
  readonly probabilities: Float32Array;
  /** Of the last of them; those in front only spell what stands left of the cursor. */
  readonly course: TokenCourse;
}

/** What is asked: an answer that begins with `lead`, and goes on with none of `barred`. */
export interface Fork<Origin> {
  /** What the answers are to. */
  readonly origin: Origin;
  readonly lead: TokenAnswer;
  readonly barred: Uint32Array;
  /** How probable the lead is, 0 to 1. */
  readonly leadProbability: number;
  /** No such answer alone is more probable than this, 0 to 1. */
  readonly most: number;
}

/** One that has not begun. */
export const NO_ANSWER: TokenAnswer = {
  ids: new Uint32Array(),
  probabilities: new Float32Array(),
  course: { probabilities: new Float32Array(), ends: new Uint32Array() },
};

/** Every answer to `origin`. `probability`: that it is asked for at all, 0 to 1. */
export function anyAnswer<Origin>(origin: Origin, probability: number): Fork<Origin> {
  return {
    origin,
    lead: NO_ANSWER,
    barred: new Uint32Array(),
    leadProbability: probability,
    most: probability,
  };
}

export class ForkOrder<Origin> {
  private readonly open: Fork<Origin>[] = [];
  private readonly least: number;

  /** @param least Parts are left out in which no text can be as probable as this, 0 to 1. */
  constructor(least: number) {
    this.least = least;
  }

  /** Whether no part is left. */
  get isEmpty(): boolean {
    return this.open.length === 0;
  }

  /**
   * Takes in what was said to `fork`, the lead included, and returns how probable that was, 0 to 1.
   * @param barredProbability How probable the barred tokens were together behind the lead, 0 to 1.
   * @param isDrawn Whether its tokens need not be the likeliest.
   */
  add(
    { origin, lead, barred, leadProbability }: Fork<Origin>,
    answer: TokenAnswer,
    barredProbability: number,
    isDrawn = false,
  ): number {
    const { ids, probabilities } = answer;
    const from = lead.ids.length;
    let sofar = leadProbability;
    for (let at = from; at < ids.length; at++) {
      const probability = probabilities[at] ?? 0;
      const rest = 1 - (at === from ? barredProbability + probability : probability);
      this.put({
        origin,
        lead: firstOf(answer, at),
        barred: Uint32Array.of(...(at === from ? barred : []), ids[at] ?? 0),
        leadProbability: sofar,
        most: sofar * (isDrawn ? rest : Math.min(rest, probability)),
      });
      sofar *= probability;
    }
    return sofar;
  }

  /** Also one that was taken out, and to which nothing was said after all. */
  put(fork: Fork<Origin>): void {
    if (fork.most < this.least) return;
    const behind = this.open.findIndex(({ most }) => most < fork.most);
    this.open.splice(behind < 0 ? this.open.length : behind, 0, fork);
  }

  /** Takes out the part in which the most probable text may be, of several the one that was put first; undefined where none is left. */
  next(): Fork<Origin> | undefined {
    return this.open.shift();
  }
}

/** The first `count` tokens of an answer. */
export function firstOf({ ids, probabilities, course }: TokenAnswer, count: number): TokenAnswer {
  const rated = Math.max(0, count - (ids.length - course.ends.length));
  return {
    ids: ids.slice(0, count),
    probabilities: probabilities.slice(0, count),
    course: { probabilities: course.probabilities.slice(0, rated), ends: course.ends.slice(0, rated) },
  };
}

/** As if the lead had been generated with what follows it. */
export function withLead(completion: NativeCompletion, lead: TokenAnswer): NativeCompletion {
  const { ids, idProbabilities, tokenProbabilities, tokenEnds } = completion;
  return {
    ...completion,
    ids: Uint32Array.of(...lead.ids, ...ids),
    idProbabilities: Float32Array.of(...lead.probabilities, ...idProbabilities),
    confidence: probabilityOf(lead.course) * completion.confidence,
    tokenProbabilities: Float32Array.of(...lead.course.probabilities, ...tokenProbabilities),
    tokenEnds: Uint32Array.of(...lead.course.ends, ...tokenEnds),
  };
}

/** What a completion says of itself, for others that fork off it. */
export function answerOf(completion: NativeCompletion): TokenAnswer {
  const { ids, idProbabilities, tokenProbabilities, tokenEnds } = completion;
  return {
    ids,
    probabilities: idProbabilities,
    course: { probabilities: tokenProbabilities, ends: tokenEnds },
  };
}
