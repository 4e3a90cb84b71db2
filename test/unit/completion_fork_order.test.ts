/** The order of forks, against all texts of small laws, listed. */
import { describe, expect, it } from 'vitest';
import { anyAnswer, type Fork, ForkOrder, type TokenAnswer } from '../../core/completion/fork_order';
import { SeededRandom } from '../../bench/random';

/** A token that ends the text. */
const END = 0;
const TOKENS = 4;
const LONGEST = 5;

/** A law of texts of at most LONGEST tokens, another one for each seed: that of the next token depends on all before it. */
class SmallLaw {
  private readonly seed: number;

  constructor(seed: number) {
    this.seed = seed;
  }

  /** The probabilities of the tokens behind `ids`, [TOKENS]. */
  next(ids: readonly number[]): number[] {
    if (ids.length === LONGEST - 1) return [1, 0, 0, 0];
    const random = new SeededRandom(ids.reduce((hash, id) => hash * 31 + id + 1, this.seed * 7_919 + 1));
    const weights = Array.from({ length: TOKENS }, () => random.next() ** 4);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  }

  /** All texts that begin with `ids`, with their probabilities; none is 0. */
  *texts(ids: readonly number[] = [], probability = 1): Generator<readonly [string, number]> {
    if (probability === 0) return;
    if (ids.at(-1) === END) yield [ids.join(' '), probability];
    else
      for (const [id, share] of this.next(ids).entries())
        yield* this.texts([...ids, id], probability * share);
  }

  /** What an engine says to a fork, the lead included: the likeliest token each time; it ends where it is less likely than `least`. */
  answer(
    { lead, barred, leadProbability }: Fork<unknown>,
    least = 0,
  ): TokenAnswer & { readonly barredProbability: number } {
    const ids = [...lead.ids];
    const probabilities = [...lead.probabilities];
    let barredProbability = 0;
    let sofar = leadProbability;
    while (ids.at(-1) !== END && (sofar >= least || ids.length === lead.ids.length)) {
      const law = this.next(ids);
      if (ids.length === lead.ids.length) {
        for (const id of barred) {
          barredProbability += law[id] ?? 0;
          law[id] = -1;
        }
      }
      const best = law.indexOf(Math.max(...law));
      const probability = law[best] ?? 0;
      ids.push(best);
      probabilities.push(probability);
      sofar *= probability;
    }
    const course = {
      probabilities: Float32Array.from(probabilities),
      ends: Uint32Array.from(ids, (_, at) => at + 1),
    };
    return { ids: Uint32Array.from(ids), probabilities: course.probabilities, course, barredProbability };
  }
}

interface Made {
  readonly text: string;
  readonly probability: number;
}

/** Every answer in order; `see` is told of each before it is made. */
function run(law: SmallLaw, least: number, see: (fork: Fork<string>) => void = () => undefined): Made[] {
  const order = new ForkOrder<string>(least);
  order.put(anyAnswer('place', 1));
  const made: Made[] = [];
  for (let fork = order.next(); fork !== undefined; fork = order.next()) {
    see(fork);
    const answer = law.answer(fork, least);
    const probability = order.add(fork, answer, answer.barredProbability);
    made.push({ text: answer.ids.join(' '), probability });
  }
  return made;
}

const SEEDS = Array.from({ length: 30 }, (_, seed) => seed);

describe('the order of forks', () => {
  it('gives every text once, with its probability', () => {
    for (const seed of SEEDS) {
      const law = new SmallLaw(seed);
      const all = new Map(law.texts());
      // Sums of rounded numbers: a part whose texts were all made has nearly nothing left.
      const made = run(law, 1e-6);
      expect(new Set(made.map(({ text }) => text)).size).toBe(made.length);
      for (const { text, probability } of made) {
        // One that became too improbable was not made to its end.
        if (text.endsWith(String(END))) expect(probability).toBeCloseTo(all.get(text) ?? -1, 5);
        else expect(probability).toBeLessThan(1e-5);
      }
      const probable = [...all].filter(([, probability]) => probability > 1e-5).map(([text]) => text);
      const texts = new Set(made.map(({ text }) => text));
      expect(probable.filter((text) => !texts.has(text))).toEqual([]);
    }
  });

  it('misses no text that is probable enough, and makes few others', () => {
    let found = 0;
    let tried = 0;
    for (const seed of SEEDS) {
      const law = new SmallLaw(seed);
      for (const least of [0.3, 0.1, 0.03]) {
        const made = run(law, least);
        const probable = [...law.texts()]
          .filter(([, probability]) => probability > least)
          .map(([text]) => text);
        const texts = new Set(made.map(({ text }) => text));
        expect(probable.filter((text) => !texts.has(text))).toEqual([]);
        found += probable.length;
        tried += made.length;
      }
    }
    expect(found).toBeGreaterThan(100);
    expect(tried).toBeLessThan(6 * found);
  });

  it('takes the part in which the most probable text may be', () => {
    for (const seed of SEEDS) {
      const law = new SmallLaw(seed);
      const all = [...law.texts()];
      const made: string[] = [];
      const bounds: number[] = [];
      run(law, 0.02, ({ lead, barred, most }) => {
        const start = [...lead.ids];
        const texts = all.filter(([text]) => {
          const ids = text.split(' ').map(Number);
          return start.every((id, at) => ids[at] === id) && !barred.includes(ids[start.length] ?? -1);
        });
        expect(most).toBeGreaterThan(Math.max(...texts.map(([, probability]) => probability)) - 1e-6);
        // Nothing in it was made before.
        expect(texts.some(([text]) => made.includes(text))).toBe(false);
        const answer = law.answer({ origin: '', lead, barred, leadProbability: 1, most });
        made.push(answer.ids.join(' '));
        bounds.push(most);
      });
      expect(bounds).toEqual(bounds.toSorted((a, b) => b - a));
    }
  });

  it('keeps what its lead is made of, tokens that only spell among them', () => {
    const order = new ForkOrder<string>(0.05);
    const course = { probabilities: Float32Array.of(0.5, 0.25), ends: Uint32Array.of(2, 5) };
    const answer = { ids: Uint32Array.of(9, 8, 7), probabilities: Float32Array.of(0.9, 0.5, 0.25), course };
    expect(order.add(anyAnswer('a', 1), answer, 0)).toBeCloseTo(0.1125);
    // Drawn, a token need not be the likeliest: what is left of the last one may be one token.
    const drawn = new ForkOrder<string>(0.2);
    drawn.add(anyAnswer('a', 1), answer, 0, true);
    expect(drawn.next()?.most).toBeCloseTo(0.45);
    expect(drawn.next()?.most).toBeCloseTo(0.3375);
    const forks = [order.next(), order.next(), order.next(), order.next()];
    expect(forks.map((fork) => fork && [[...fork.lead.ids], [...fork.barred]])).toEqual([
      [[9], [8]],
      [[9, 8], [7]],
      [[], [9]],
      undefined,
    ]);
    expect(forks[1]?.lead.course.ends).toEqual(Uint32Array.of(2));
    expect(forks[1]?.leadProbability).toBeCloseTo(0.45);
    expect(forks[2]?.most).toBeCloseTo(0.1);
    expect(order.isEmpty).toBe(true);
  });

  it('goes through several origins by how probable each is', () => {
    const order = new ForkOrder<string>(0.1);
    order.put(anyAnswer('unlikely', 0.05));
    order.put(anyAnswer('some', 0.3));
    order.put(anyAnswer('most', 0.7));
    expect([order.next(), order.next(), order.next()].map((fork) => fork?.origin)).toEqual([
      'most',
      'some',
      undefined,
    ]);
  });
});
