/** Texts for one cursor, by engines that say what they are told to. */
import { describe, expect, it } from 'vitest';
import { type Asking, OneEngine, type Question, type Reply } from '../../../core/completion/asking';
import { CandidateList } from '../../../core/completion/candidate_list';
import { type DocumentSnapshot, snapshotOfText } from '../../../core/completion/document';
import type { GenerationEngine } from '../../../core/completion/engine_port';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { PromptWriter } from '../../../core/completion/prompt_writer';
import type { EngineAnswer, EngineRequest } from '../../../core/engine/engine_request';
import { NO_COMPLETION } from '../../../core/engine/native_types';
import { askedAgain } from '../../../core/generate/asked_again';
import { TextCandidates } from '../../../core/generate/text_candidates';
import { type MadeText, TextMaker } from '../../../core/generate/text_maker';
import { asTokens } from '../made_up_tokens';

type Tokens = readonly (readonly [string, number])[];

const NEVER = new AbortController().signal;
const TEXT = 'def half(n):';
const PLACE: DocumentSnapshot = snapshotOfText({
  uri: 'u',
  path: 'a.py',
  languageId: 'python',
  text: TEXT,
  offset: TEXT.length,
});

/** Says one answer after the other, token by token until nobody listens; of a fork, what follows its lead. */
class ScriptedEngine implements GenerationEngine {
  readonly state = 'ready';
  readonly speed = { prefillTokensPerSecond: undefined };
  readonly requests: EngineRequest[] = [];
  private readonly tokens: string[] = [];
  private readonly answers: Tokens[];
  private readonly hasIds: boolean;

  /** @param hasIds Whether its tokens are known. */
  constructor(answers: readonly Tokens[], hasIds = true) {
    this.answers = [...answers];
    this.hasIds = hasIds;
  }

  idOf(token: string): number {
    if (!this.tokens.includes(token)) this.tokens.push(token);
    return this.tokens.indexOf(token);
  }

  complete(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer> {
    return this.generate(request, signal, () => undefined);
  }

  generate(
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer> {
    this.requests.push(request);
    const isOver = (): boolean => signal.aborted;
    const answer = this.answers.shift();
    if (answer === undefined)
      return Promise.resolve({ ok: false, error: { code: 'DEVICE_FAILED', message: 'The device failed.' } });
    if (signal.aborted) {
      this.answers.unshift(answer);
      return Promise.resolve({ ok: true, value: NO_COMPLETION });
    }
    const lead = [...(request.lead ?? [])].map((id) => this.tokens[id] ?? '').join('');
    if (lead !== '') onText(lead);
    const said: (readonly [string, number])[] = [];
    for (const token of answer) {
      if (isOver()) break;
      said.push(token);
      onText(token[0]);
    }
    const value = {
      ...NO_COMPLETION,
      ...asTokens(said),
      text: lead + said.map(([token]) => token).join(''),
      ids: this.hasIds ? Uint32Array.from(said, ([token]) => this.idOf(token)) : new Uint32Array(),
      stop: isOver() ? 'cancelled' : 'end_token',
    } as const;
    return Promise.resolve({ ok: true, value });
  }
}

function askingOf(local: ScriptedEngine, remote?: ScriptedEngine): Asking<GenerationEngine> {
  const one = (engine: ScriptedEngine): OneEngine<GenerationEngine> =>
    new OneEngine<GenerationEngine>(engine, new PromptWriter(engine));
  const here = one(local);
  if (remote === undefined) return here;
  const there = one(remote);
  return {
    state: 'ready',
    async ask(question: Question<GenerationEngine>): Promise<Reply> {
      if (question.namesTokens === true) return here.ask(question);
      return { ...(await there.ask(question)), remote: true };
    },
    forget: () => undefined,
    reset: () => undefined,
  };
}

function makerOf(local: ScriptedEngine, remote?: ScriptedEngine): TextMaker {
  return new TextMaker({ asking: askingOf(local, remote), options: () => DEFAULT_OPTIONS, beside: () => [] });
}

async function begun(
  maker: TextMaker,
): Promise<{ readonly first: MadeText; readonly others: TextCandidates }> {
  const first = await maker.make(PLACE, { signal: NEVER });
  const others = new TextCandidates(maker, { document: PLACE });
  others.begin(first);
  return { first, others };
}

const FIRST: Tokens = [
  ['\n    ', 0.9],
  ['return', 0.8],
  [' n / 2', 0.6],
  ['\n\nx', 0.5],
];

describe('a text within a line', () => {
  const text = 'x = foo(, b)';
  const offset = 'x = foo('.length;
  const place = snapshotOfText({ uri: 'u', path: 'a.py', languageId: 'python', text, offset });

  it.each([
    ['has read what stands behind it', { layout: 'suffix_prefix', suffix: 1, prefix: 2 }, 'a'],
    ['has not', undefined, ''],
  ])('stands there as it is where the model %s', async (_, fim, expected) => {
    const engine = Object.assign(new ScriptedEngine([[['a', 0.9]]]), fim && { fim });
    const made = await makerOf(engine).make(place, { signal: NEVER });
    expect([made.text, made.replaced]).toEqual([expected, '']);
  });
});

describe('texts for one cursor', () => {
  it('end where a reader would say so, and are whole though the model was stopped there', async () => {
    const engine = new ScriptedEngine([FIRST]);
    const pieces: string[] = [];
    const made = await makerOf(engine).make(PLACE, { signal: NEVER, onText: (piece) => pieces.push(piece) });
    expect(made).toMatchObject({ text: '\n    return n / 2', whole: true, replaced: '' });
    expect(pieces.join('')).toBe(made.text);
  });

  it('fork off where the model was least sure of what is to be seen', async () => {
    const engine = new ScriptedEngine([FIRST, [[' n // 2', 0.3]], [[' n * 0.5', 0.05]]]);
    const { others } = await begun(makerOf(engine));
    expect((await others.next(NEVER))?.text).toBe('\n    return n // 2');
    const { lead, barred, prompt, sampling } = engine.requests[1] ?? {};
    expect([...(lead ?? [])]).toEqual([engine.idOf('\n    '), engine.idOf('return')]);
    expect([...(barred ?? [])]).toEqual([engine.idOf(' n / 2')]);
    expect([prompt, sampling?.temperature]).toEqual([engine.requests[0]?.prompt, 0]);
    await others.next(NEVER);
    expect(await others.next(NEVER)).toBeUndefined();
    expect(engine.requests).toHaveLength(3);
  });

  it('differ in more than blanks', async () => {
    const engine = new ScriptedEngine([FIRST, [['  n / 2', 0.3]], [[' n', 0.3]]]);
    const { others } = await begun(makerOf(engine));
    expect((await others.next(NEVER))?.text).toBe('\n    return n');
  });

  it('are cancelled and asked for again', async () => {
    const engine = new ScriptedEngine([FIRST, [[' n // 2', 0.3]]]);
    const { others } = await begun(makerOf(engine));
    expect((await others.next(AbortSignal.abort()))?.whole).toBe(false);
    expect((await others.next(NEVER))?.text).toBe('\n    return n // 2');
  });

  it('say why where the engine fails', async () => {
    const { others } = await begun(makerOf(new ScriptedEngine([FIRST])));
    expect((await others.next(NEVER))?.answer).toMatchObject({ ok: false, error: { code: 'DEVICE_FAILED' } });
  });

  it('come from this machine behind a first one from elsewhere, whose tokens nobody knows here', async () => {
    const local = new ScriptedEngine([FIRST, [[' n // 2', 0.3]]]);
    const remote = new ScriptedEngine([[['\n    return n >> 1', 0.9]]], false);
    const { first, others } = await begun(makerOf(local, remote));
    expect(first).toMatchObject({ text: '\n    return n >> 1', remote: true });
    expect((await others.next(NEVER))?.text).toBe('\n    return n / 2');
    expect((await others.next(NEVER))?.text).toBe('\n    return n // 2');
    expect(remote.requests).toHaveLength(1);
  });

  it('that are to be otherwise are asked of whoever is asked first, and are none that was known', async () => {
    const local = new ScriptedEngine([FIRST]);
    const same: Tokens = [['\n    return n >> 1', 0.9]];
    const remote = new ScriptedEngine([same, same], false);
    const maker = makerOf(local, remote);
    const first = await maker.make(PLACE, { signal: NEVER });
    const reads = askedAgain(PLACE, first, 'exact');
    const again = await new TextCandidates(maker, { document: PLACE, reads }, first.text).next(NEVER);
    expect(again?.text).toBe('\n    return n / 2');
    expect([remote.requests.length, local.requests.length]).toEqual([2, 1]);
    expect(local.requests[0]?.prompt).toContain('The same again, but exact:');
  });
});

describe('what the model reads for a text that is to be otherwise', () => {
  const textOf = (marked: string, languageId: string, shown: Pick<MadeText, 'text' | 'replaced'>): string => {
    const offset = marked.indexOf('|');
    const text = marked.replace('|', '');
    return askedAgain(
      snapshotOfText({ uri: 'u', path: 'a', languageId, text, offset }),
      shown,
      'for\n  floats',
    ).before;
  };

  it('has the text, the wish in a comment as deep, and the line once more', () => {
    expect(textOf('class A:\n    def f(n):|\n', 'python', { text: '\n        return n', replaced: '' })).toBe(
      'class A:\n    def f(n):\n        return n\n\n    # The same again, but for floats:\n    def f(n):',
    );
  });

  it('has the rest of the line in place of what the text replaced', () => {
    expect(textOf('f(|);\ng();\n', 'javascript', { text: 'a)', replaced: ')' })).toBe(
      'f(a);\n\n// The same again, but for floats:\nf(',
    );
  });
});

describe('what is looked through', () => {
  it('goes forth and back, and what is new comes last', () => {
    const list = new CandidateList<string>();
    expect([list.current, list.index, list.back(), list.forth()]).toEqual([undefined, -1, false, false]);
    list.add('a');
    list.add('b');
    expect([list.current, list.index, list.count, list.forth()]).toEqual(['b', 1, 2, false]);
    expect([list.back(), list.current, list.back()]).toEqual([true, 'a', false]);
    list.add('c');
    expect([list.current, list.index]).toEqual(['c', 2]);
    expect([list.back(), list.current]).toEqual([true, 'b']);
  });
});
