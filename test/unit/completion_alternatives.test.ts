/** Several suggestions for one place. */
import { beforeEach, describe, expect, it } from 'vitest';
import { Alternatives } from '../../core/completion/alternatives';
import { snapshotOfText } from '../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { type CompletionOutcome, nothing, type SuggestionRequest } from '../../core/completion/pipeline';

const made = (text: string, certainty = 0.5, shown = true): CompletionOutcome => ({
  ...nothing(shown ? 'shown' : 'does_not_fit'),
  shown,
  text,
  certainty,
  source: 'model',
  stop: 'line_end',
});

describe('alternatives', () => {
  let requests: SuggestionRequest[] = [];
  let first = made('first');
  let draws: CompletionOutcome[] = [];
  let alternatives: Alternatives;

  beforeEach(() => {
    requests = [];
    first = made('first');
    draws = [];
    const complete = (request: SuggestionRequest): Promise<CompletionOutcome> => {
      requests.push(request);
      return Promise.resolve(request.sampling === undefined ? first : (draws.shift() ?? first));
    };
    alternatives = new Alternatives({ complete }, () => DEFAULT_OPTIONS);
  });

  async function texts(text = 'x = ', signal = new AbortController().signal): Promise<string[]> {
    const source = { uri: 'u', path: 'a.py', languageId: 'python', text, offset: text.length };
    const outcomes = await alternatives.complete({ document: snapshotOfText(source), signal });
    return outcomes.map((one) => one.text);
  }

  it('are what is suggested unasked, then others, the surer first', async () => {
    draws = [made('first'), made('second', 0.2), made('third', 0.4), made('never drawn')];
    expect(await texts()).toEqual(['first', 'third', 'second']);
    const [asked, ...drawn] = requests;
    expect(asked?.sampling).toBeUndefined();
    expect(drawn.map(({ sampling }) => sampling?.seed)).toEqual([0, 1, 2]);
    expect(drawn.every(({ sampling }) => (sampling?.temperature ?? 0) >= 0.8)).toBe(true);
    expect(requests.every(({ explicit }) => explicit === true)).toBe(true);
  });

  it('leave out what does not fit or is a mere guess', async () => {
    draws = [made('a', 0.5, false), made('b', 0.01), made('c')];
    expect(await texts()).toEqual(['first', 'c']);
  });

  it('leave out the first line of several that are offered', async () => {
    first = made('if a:\n    b()');
    draws = [made('if a:'), made('if c:')];
    expect(await texts()).toEqual(['if a:\n    b()', 'if c:']);
  });

  it('leave out what differs from one of them in blanks alone', async () => {
    first = made('f(a, b)');
    draws = [made('f(a,b)'), made('f( a, b )'), made('f(a)'), made('f(a )'), made('f(ab)')];
    expect(await texts()).toEqual(['f(a, b)', 'f(a)', 'f(ab)']);
  });

  it('are others when somebody asks again, and the first where there are none', async () => {
    draws = [made('a'), made('b'), made('a'), made('c'), made('d')];
    expect(await texts()).toEqual(['first', 'a', 'b']);
    expect(await texts()).toEqual(['c', 'd']);
    expect(await texts()).toEqual(['first']);
    draws = [made('a')];
    expect(await texts('y = ')).toEqual(['first', 'a']);
  });

  it('stand in for a first one that cannot be shown', async () => {
    first = made('', 0, false);
    draws = [made('a')];
    expect(await texts()).toEqual(['a']);
  });

  it('are not drawn where the model is not asked', async () => {
    first = nothing('read_only');
    expect(await texts()).toEqual(['']);
    expect(requests).toHaveLength(1);
  });

  it('end with the request, and are offered next time: nobody has seen them', async () => {
    draws = [made('a')];
    await texts('x = ', AbortSignal.abort());
    expect(requests).toHaveLength(2);
    draws = [made('a')];
    expect(await texts()).toEqual(['first', 'a']);
  });
});
