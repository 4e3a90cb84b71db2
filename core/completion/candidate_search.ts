/**
 * Different answers to one question, each made when somebody asks for it: first the one that the model likes best, then others, which fork off earlier ones
 * at the tokens of which it was least sure (fork_order.ts), so that the KV cache has all of them up to there. Edits by instruction and texts at the cursor
 * are looked for by this.
 */
import { anyAnswer, type Fork, ForkOrder, type TokenAnswer } from './fork_order';

/** More than three nobody looks through. */
export const MOST_CANDIDATES = 3;
/** Answers that are tried for another one; what comes to nothing, or is there already, is none. */
const MOST_TRIED = 4;
/** What cannot be more probable than this is not tried: where a grammar leaves no choice, that is the same text in odd tokens. */
const LEAST_PROBABILITY = 0.005;

/** What a request may have besides. */
export type RequestFork = Pick<Fork<unknown>, 'lead' | 'barred'>;

/** What came of asking. */
export interface Tried {
  /** What was said, the lead included; undefined where it was cancelled or failed. */
  readonly answer: TokenAnswer | undefined;
  /** How probable the barred tokens were together behind the lead, 0 to 1. */
  readonly barredProbability: number;
  /** What would come of it; undefined: nothing that could be offered. */
  readonly result: string | undefined;
}

export class CandidateSearch {
  private readonly order = new ForkOrder<undefined>(LEAST_PROBABILITY);
  /** Results that were offered, without their blanks. */
  private readonly known = new Set<string>();
  private found = 0;
  private asked = false;

  /** @param known A result from before: nobody who wants it otherwise wants it again. */
  constructor(known?: string) {
    if (known !== undefined) this.known.add(withoutBlanks(known));
  }

  /**
   * Takes in a first answer that was made elsewhere.
   * @param answer Its tokens, which need not be the likeliest; none where they are not known.
   */
  begin(answer: TokenAnswer | undefined, result: string): void {
    this.asked = true;
    this.found++;
    this.known.add(withoutBlanks(result));
    const any = anyAnswer(undefined, 1);
    if (answer === undefined) this.order.put(any);
    else this.order.add(any, answer, 0, true);
  }

  /**
   * The next one that was not offered yet, or what cancelled the search or failed; of the first answer of all it is told what is wrong with it. Undefined
   * where there is no other. One call at a time.
   * @param ask Asks; without a fork, for any answer.
   */
  async next<Made>(
    ask: (fork: RequestFork | undefined) => Promise<Made>,
    judge: (made: Made) => Tried,
  ): Promise<Made | undefined> {
    const isFirst = !this.asked;
    if (isFirst) this.order.put(anyAnswer(undefined, 1));
    this.asked = true;
    if (this.found >= MOST_CANDIDATES) return undefined;
    const tellsWhy = isFirst && this.known.size === 0;
    for (let tried = 0; tried < MOST_TRIED; tried++) {
      const fork = this.order.next();
      if (fork === undefined) return undefined;
      const hasBegun = fork.lead.ids.length > 0 || fork.barred.length > 0;
      const made = await ask(hasBegun ? fork : undefined);
      const { answer, barredProbability, result } = judge(made);
      if (answer === undefined) {
        this.order.put(fork);
        return made;
      }
      // Of an answer whose tokens are not known nothing forks off: it is asked for again.
      if (answer.ids.length === 0) this.order.put(fork);
      else this.order.add(fork, answer, barredProbability);
      if (result === undefined) {
        if (tellsWhy) return made;
        continue;
      }
      const plain = withoutBlanks(result);
      if (this.known.has(plain)) continue;
      this.known.add(plain);
      this.found++;
      return made;
    }
    return undefined;
  }
}

/** What two texts have in common that differ in blanks alone. */
export function withoutBlanks(text: string): string {
  return text.replace(/\s+/g, '');
}
