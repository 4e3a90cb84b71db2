import { describe, expect, it } from 'vitest';
import type { EngineAnswer, EngineRequest } from '../../../core/engine/engine_request';
import { MOST_CANDIDATES } from '../../../core/completion/candidate_search';
import { EditCandidates } from '../../../core/edit/edit_candidates';
import type { EditEngine, EditProposal, EditRequest } from '../../../core/edit/edit_proposal';
import { applied } from '../../../core/edit/line_edit';
import { NO_COMPLETION } from '../../../core/engine/native_types';
import { MadeUpVocabulary, renderingHere } from '../chat/made_up_vocabulary';
import { asTokens } from '../made_up_tokens';

type Tokens = readonly (readonly [string, number])[];

const TEXT = 'a = 1\nb = 2';
const REQUEST: EditRequest = {
  instruction: 'make it larger',
  text: TEXT,
  languageId: 'python',
  first: 2,
  last: 2,
  adds: false,
  unit: '    ',
};

/** Says one answer after the other: of a fork, what follows its lead. A token's id is where it was first said. */
class ScriptedEngine implements EditEngine {
  readonly state = 'ready';
  readonly requests: EngineRequest[] = [];
  private readonly vocabulary = new MadeUpVocabulary();
  private readonly answers: (Tokens | 'cancelled' | 'fails')[];
  private readonly tokens: string[] = [];
  closed = 0;

  constructor(...answers: (Tokens | 'cancelled' | 'fails')[]) {
    this.answers = answers;
  }

  readonly compileGrammar: EditEngine['compileGrammar'] = () =>
    Promise.resolve({
      ok: true,
      value: {
        compileMs: 0,
        empty: false,
        check: () => Promise.resolve({ ok: true, value: 'accept' }),
        close: () => this.closed++,
      },
    });

  tokenize(text: string, parseSpecial: boolean): ReturnType<EditEngine['tokenize']> {
    return this.vocabulary.tokenize(text, parseSpecial);
  }

  detokenize(ids: Uint32Array): ReturnType<EditEngine['detokenize']> {
    return this.vocabulary.detokenize(ids);
  }

  idOf(token: string): number {
    if (!this.tokens.includes(token)) this.tokens.push(token);
    return this.tokens.indexOf(token);
  }

  generate(request: EngineRequest): Promise<EngineAnswer> {
    this.requests.push(request);
    const answer = this.answers.shift();
    if (answer === 'fails' || answer === undefined) {
      return Promise.resolve({ ok: false, error: { code: 'DEVICE_FAILED', message: 'The device failed.' } });
    }
    if (answer === 'cancelled') return Promise.resolve({ ok: true, value: NO_COMPLETION });
    const lead = [...(request.lead ?? [])].map((id) => this.tokens[id] ?? '').join('');
    const value = {
      ...NO_COMPLETION,
      ...asTokens(answer),
      text: lead + answer.map(([token]) => token).join(''),
      ids: Uint32Array.from(answer, ([token]) => this.idOf(token)),
      stop: 'end_token',
      grammarEnded: true,
    } as const;
    return Promise.resolve({ ok: true, value });
  }
}

function searchOf(engine: ScriptedEngine, changes: Partial<EditRequest> = {}): EditCandidates {
  return new EditCandidates({ engine, render: renderingHere() }, { ...REQUEST, ...changes });
}

const next = (search: EditCandidates): Promise<EditProposal> => search.next(new AbortController().signal);
const resultOf = ({ replacements }: EditProposal): string => applied(TEXT, replacements);

const FIRST: Tokens = [
  ['1|b = ', 0.9],
  ['20', 0.6],
];

describe('candidates', () => {
  it('fork off the answer before where the model was least sure', async () => {
    const engine = new ScriptedEngine(FIRST, [['30', 0.3]], [['c', 0.1]]);
    const search = searchOf(engine);
    expect(resultOf(await next(search))).toBe('a = 1\nb = 20');
    expect(engine.requests[0]).not.toHaveProperty('lead');
    expect(resultOf(await next(search))).toBe('a = 1\nb = 30');
    expect([...(engine.requests[1]?.lead ?? [])]).toEqual([engine.idOf('1|b = ')]);
    expect([...(engine.requests[1]?.barred ?? [])]).toEqual([engine.idOf('20')]);
    await next(search);
    expect(engine.requests[2]?.prompt).toEqual(engine.requests[0]?.prompt);
    search.close();
    expect(engine.closed).toBe(1);
  });

  it('differ in more than blanks, and change something that stays whole', async () => {
    const engine = new ScriptedEngine(FIRST, [['20 ', 0.3]], [['2', 0.1]], [['(', 0.05]], [['7', 0.01]]);
    const search = searchOf(engine);
    await next(search);
    expect(resultOf(await next(search))).toBe('a = 1\nb = 7');
    expect(engine.requests).toHaveLength(5);
  });

  it('are three at most', async () => {
    const engine = new ScriptedEngine(FIRST, [['30', 0.3]], [['40', 0.05]], [['50', 0.02]]);
    const search = searchOf(engine);
    const results = [];
    for (let index = 0; index < MOST_CANDIDATES; index++) results.push(resultOf(await next(search)));
    expect(new Set(results).size).toBe(3);
    expect((await next(search)).ending).toBe('no_other');
    expect(engine.requests).toHaveLength(3);
  });

  it('are no more where the model had no choice', async () => {
    const engine = new ScriptedEngine([['1|bee = 2', 1]]);
    const search = searchOf(engine, { instruction: 'rename b to bee' });
    expect((await next(search)).ending).toBe('proposed');
    expect((await next(search)).ending).toBe('no_other');
    expect(engine.requests).toHaveLength(1);
  });

  it('go on where they were cancelled', async () => {
    const engine = new ScriptedEngine(FIRST, 'cancelled', [['30', 0.3]]);
    const search = searchOf(engine);
    await next(search);
    expect((await next(search)).ending).toBe('cancelled');
    expect(resultOf(await next(search))).toBe('a = 1\nb = 30');
    expect(engine.requests[2]?.lead).toEqual(engine.requests[1]?.lead);
  });

  it('begin anew where the first was cancelled, and say what went wrong', async () => {
    const engine = new ScriptedEngine('cancelled', FIRST, 'fails');
    const search = searchOf(engine);
    expect((await next(search)).ending).toBe('cancelled');
    expect(resultOf(await next(search))).toBe('a = 1\nb = 20');
    expect(await next(search)).toMatchObject({ ending: 'failed', sentence: 'The device failed.' });
  });
});

describe('an edit again, but otherwise', () => {
  it('tells the model what it said, and what is to be otherwise', async () => {
    const engine = new ScriptedEngine(FIRST);
    const earlier = [{ instruction: 'make it larger', answer: '1|b = 20' }];
    const search = searchOf(engine, { instruction: 'with a comment', earlier });
    await next(search);
    const prompt = engine.requests[0]?.prompt;
    expect(prompt).toMatch(
      /Instruction: make it larger\n\n1\|b = 2\n\nAnswer:\n1\|b = 20\n\nInstruction: Again, but with a comment\n\n1\|b = 2\n\nAnswer:\n$/,
    );
  });

  it('is not the one that is known', async () => {
    const known = await next(searchOf(new ScriptedEngine(FIRST)));
    const engine = new ScriptedEngine(FIRST, [['30', 0.3]], [['40', 0.2]], [['50', 0.2]]);
    const earlier = [{ instruction: 'make it larger', answer: '1|b = 20' }];
    const request = { ...REQUEST, instruction: 'even larger', earlier };
    const search = new EditCandidates({ engine, render: renderingHere() }, request, known);
    expect(resultOf(await next(search))).toBe('a = 1\nb = 30');
    expect(resultOf(await next(search))).toBe('a = 1\nb = 40');
    expect(resultOf(await next(search))).toBe('a = 1\nb = 50');
    expect((await next(search)).ending).toBe('no_other');
  });

  it('tells no more than the last three', async () => {
    const engine = new ScriptedEngine(FIRST);
    const earlier = [1, 2, 3, 4].map((turn) => ({ instruction: `step ${turn}`, answer: `1|b = ${turn}` }));
    await next(searchOf(engine, { instruction: 'shorter', earlier }));
    expect(engine.requests[0]?.prompt).not.toContain('step 1');
    expect(engine.requests[0]?.prompt).toMatch(
      /Again, but step 2.*Again, but step 3.*Again, but step 4.*Again, but shorter/s,
    );
  });
});
