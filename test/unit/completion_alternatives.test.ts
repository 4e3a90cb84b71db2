/** Several suggestions for one place. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { Alternatives } from '../../core/completion/alternatives';
import type { CachedGeneration } from '../../core/completion/cache';
import { snapshotOfText } from '../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { type CompletionOutcome, nothing } from '../../core/completion/outcome';
import type { SuggestionRequest } from '../../core/completion/pipeline';

/** A text that a model says: its tokens, each a character, and how probable each is behind those before it. */
type Law = Readonly<Record<string, number>>;

const made = (text: string, generation?: CachedGeneration, shown = true): CompletionOutcome => ({
  ...nothing(shown ? 'shown' : 'does_not_fit'),
  shown,
  text,
  certainty: 0.5,
  source: 'model',
  stop: 'line_end',
  ...(generation === undefined ? {} : { generation }),
});

/** What a model says whose texts have these probabilities: behind a lead the likeliest character each time, until the text is over. */
class CharacterModel {
  private readonly law: Law;

  constructor(law: Law) {
    this.law = law;
  }

  /** How probable it is that a text begins with `start`; `end` closes a text. */
  private mass(start: string): number {
    return Object.entries(this.law).reduce(
      (sum, [text, p]) => sum + (`${text}\n`.startsWith(start) ? p : 0),
      0,
    );
  }

  say(
    lead: string,
    barred: readonly string[],
    least: number,
  ): { generation: CachedGeneration; barredProbability: number } {
    let text = lead;
    let sofar = 1;
    let stop: 'line_end' | 'unsure' = 'line_end';
    const probabilities: number[] = Array.from(
      lead,
      (_, at) => this.mass(lead.slice(0, at + 1)) / this.mass(lead.slice(0, at)),
    );
    const barredProbability = barred.reduce((sum, one) => sum + this.mass(lead + one) / this.mass(lead), 0);
    while (!text.endsWith('\n')) {
      const next = new Set(
        Object.keys(this.law).flatMap((one) =>
          `${one}\n`.startsWith(text) ? [`${one}\n`[text.length] ?? ''] : [],
        ),
      );
      if (text === lead) for (const one of barred) next.delete(one);
      const [best = '\n'] = [...next].toSorted((a, b) => this.mass(text + b) - this.mass(text + a));
      const probability = this.mass(text + best) / this.mass(text);
      probabilities.push(probability);
      sofar *= probability;
      text += best;
      if (sofar < least && !text.endsWith('\n')) {
        stop = 'unsure';
        break;
      }
    }
    const ids = Uint32Array.from(text, (one) => one.codePointAt(0) ?? 0);
    const rates = Float32Array.from(probabilities);
    const course = {
      probabilities: rates,
      ends: Uint32Array.from(ids, (_, at) => Math.min(at + 1, text.trimEnd().length)),
    };
    const generation = {
      ids,
      probabilities: rates,
      course,
      text: text.trimEnd(),
      stop,
      confidence: sofar,
      followsSchema: false,
      readsLine: false,
      endProbability: 0,
    };
    return { generation, barredProbability };
  }
}

const spelled = (ids: Uint32Array): string => String.fromCodePoint(...ids);

describe('alternatives', () => {
  let requests: SuggestionRequest[] = [];
  let law: Law = {};
  let first: CompletionOutcome | undefined;
  let alternatives: Alternatives;
  /** What a text has to have in it to be shown. */
  let fits: (text: string) => boolean = () => true;
  let controller = new AbortController();
  let abortAt = Infinity;

  const complete = (request: SuggestionRequest): Promise<CompletionOutcome> => {
    requests.push(request);
    const { fork } = request;
    if (fork === undefined && first !== undefined) return Promise.resolve(first);
    if (requests.length >= abortAt) {
      controller.abort();
      return Promise.resolve({ ...nothing('cancelled'), stop: 'cancelled' });
    }
    const model = new CharacterModel(law);
    const lead = fork === undefined ? '' : spelled(fork.lead.ids);
    const barred = fork === undefined ? [] : Array.from(fork.barred, (id) => String.fromCodePoint(id));
    const { generation, barredProbability } = model.say(lead, barred, fork?.leastConfidence ?? 0);
    const { text, stop } = generation;
    return Promise.resolve({ ...made(text, generation, fits(text)), stop, barredProbability });
  };

  beforeEach(() => {
    requests = [];
    law = {};
    first = undefined;
    fits = () => true;
    controller = new AbortController();
    abortAt = Infinity;
    alternatives = new Alternatives({ complete }, () => DEFAULT_OPTIONS);
  });

  async function texts(text = 'x = '): Promise<string[]> {
    const source = { uri: 'u', path: 'a.py', languageId: 'python', text, offset: text.length };
    const { signal } = controller;
    const outcomes = await alternatives.complete({ document: snapshotOfText(source), signal });
    return outcomes.map((one) => (one.shown ? one.text : `(${one.reason})`));
  }

  it('are what is suggested unasked, then the most probable others', async () => {
    law = { 'f(a)': 0.5, 'f(b)': 0.1, 'g()': 0.25, '12': 0.15 };
    expect(await texts()).toEqual(['f(a)', 'g()', '12']);
    expect(requests.every(({ explicit }) => explicit === true)).toBe(true);
    const [asked, ...forks] = requests;
    expect(asked?.fork).toBeUndefined();
    expect(forks.map(({ fork }) => fork && [spelled(fork.lead.ids), spelled(fork.barred)])).toEqual([
      ['', 'f'],
      ['', 'fg'],
    ]);
  });

  it('leave out what does not fit or is a mere guess', async () => {
    law = { a: 0.5, b: 0.3, c: 0.196, d: 0.004 };
    fits = (text) => text !== 'b';
    expect(await texts()).toEqual(['a', 'c']);
  });

  it('are not made to the end where they are a mere guess', async () => {
    law = {
      a: 0.9,
      ...Object.fromEntries(Array.from('ABCDEFGHIJKLMNOPQRST', (one) => [`bbbb${one}`, 0.005])),
    };
    expect(await texts()).toEqual(['a']);
    expect(requests.length).toBe(2);
    expect(requests[1]?.fork?.leastConfidence).toBeCloseTo(0.01);
  });

  it('leave out the first line of several that are offered', async () => {
    const { generation } = new CharacterModel({ 'if a:': 1 }).say('', [], 0);
    law = { 'if a:': 0.6, 'if c:': 0.4 };
    first = made('if a:\n    b()', { ...generation, probabilities: Float32Array.of(1, 1, 1, 0.6, 1, 1) });
    expect(await texts()).toEqual(['if a:\n    b()', 'if c:']);
  });

  it('leave out what differs from one of them in blanks alone', async () => {
    law = { 'f(a, b)': 0.4, 'f(a,b)': 0.3, 'f( a, b )': 0.2, 'f(a)': 0.1 };
    expect(await texts()).toEqual(['f(a, b)', 'f(a)']);
  });

  it('are others when somebody asks again, and behind the last the first again', async () => {
    law = { a: 0.3, b: 0.25, c: 0.2, d: 0.15, e: 0.1 };
    expect(await texts()).toEqual(['a', 'b', 'c']);
    expect(await texts()).toEqual(['d', 'e']);
    expect(await texts()).toEqual(['a', 'b', 'c']);
    expect(await texts('y = ')).toEqual(['a', 'b', 'c']);
    expect(await texts()).toEqual(['a', 'b', 'c']);
  });

  it('are those of the model that is there, once it is another one', async () => {
    law = { a: 0.3, b: 0.25, c: 0.2, d: 0.15, e: 0.1 };
    expect(await texts()).toEqual(['a', 'b', 'c']);
    law = { p: 0.3, q: 0.25, r: 0.2, s: 0.15, t: 0.1 };
    alternatives.reset();
    expect(await texts()).toEqual(['p', 'q', 'r']);
  });

  it('are mere guesses when somebody asks again where nothing likelier is left', async () => {
    const guesses = Object.fromEntries(Array.from('ABCDE', (one) => [`b${one}`, 0.004]));
    law = { a: 0.98, ...guesses, c: 0.00005 };
    expect(await texts()).toEqual(['a']);
    expect(await texts()).toEqual(['bA', 'bB', 'bC']);
    expect(await texts()).toEqual(['bD', 'bE']);
    expect(await texts()).toEqual(['a']);
  });

  it('are waited for longer when somebody asks again: there is nothing else to show', async () => {
    law = { a: 0.4, b: 0.3, c: 0.3 };
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 60));
    alternatives = new Alternatives({ complete }, () => DEFAULT_OPTIONS, 50);
    const asked = [await texts(), await texts(), await texts()];
    clock.mockRestore();
    expect(asked).toEqual([['a'], ['b'], ['c']]);
  });

  it('begin with the first again in a document that was closed meanwhile', async () => {
    law = { a: 0.3, b: 0.25, c: 0.2, d: 0.15, e: 0.1 };
    expect(await texts()).toEqual(['a', 'b', 'c']);
    alternatives.forget('another');
    expect(await texts()).toEqual(['d', 'e']);
    alternatives.forget('u');
    expect(await texts()).toEqual(['a', 'b', 'c']);
  });

  it('stand in for a first one that cannot be shown', async () => {
    law = { a: 0.6, b: 0.4 };
    fits = (text) => text !== 'a';
    expect(await texts()).toEqual(['b']);
  });

  it('ask anew where the first one was typed along: what is left of it says nothing of its tokens', async () => {
    law = { 'b + c': 0.6, 'b - c': 0.4 };
    first = { ...made('b + c'), source: 'cache' };
    expect(await texts()).toEqual(['b + c', 'b - c']);
    expect(requests[1]?.fork?.lead.ids).toHaveLength(0);
    expect(requests[1]?.fork?.barred).toHaveLength(0);
  });

  it('are not looked for where the model is not asked', async () => {
    first = nothing('read_only');
    expect(await texts()).toEqual(['(read_only)']);
    expect(requests).toHaveLength(1);
  });

  it('are lines behind the cursor’s where that is complete', async () => {
    const next = new CharacterModel({ 'b()': 0.7, 'c()': 0.3 }).say('', [], 0).generation;
    law = { 'c()': 0.3, 'b()': 0.7 };
    const line = { ...made('b()', next), endProbability: 0 };
    first = { ...made('\nb()'), endProbability: 0.9, further: [line] };
    expect(await texts('a()')).toEqual(['\nb()', '\nc()']);
    const [, fork] = requests;
    expect(fork?.document.before).toBe('a()\n');
    expect(fork?.mayEnd).toBe(true);
  });

  it('end with the request, and are offered next time: nobody has seen them', async () => {
    law = { a: 0.4, b: 0.3, c: 0.2, d: 0.1 };
    abortAt = 3;
    expect(await texts()).toEqual(['a']);
    controller = new AbortController();
    abortAt = Infinity;
    expect(await texts()).toEqual(['a', 'b', 'c']);
    expect(await texts()).toEqual(['d']);
  });

  it('end where the engine cannot be asked', async () => {
    law = { a: 0.6, b: 0.4 };
    let calls = 0;
    const failing = (request: SuggestionRequest): Promise<CompletionOutcome> =>
      calls++ === 0 ? complete(request) : Promise.resolve(nothing('generating'));
    alternatives = new Alternatives({ complete: failing }, () => DEFAULT_OPTIONS);
    expect(await texts()).toEqual(['a']);
    expect(calls).toBe(2);
  });
});
