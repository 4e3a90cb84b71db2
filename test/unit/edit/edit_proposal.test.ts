import { describe, expect, it } from 'vitest';
import type { EngineState } from '../../../core/completion/engine_port';
import type { EngineAnswer, EngineRequest } from '../../../core/engine/engine_request';
import { EDIT_ENDINGS } from '../../../core/edit/edit_endings';
import { type EditEngine, type EditProposal, type EditRequest } from '../../../core/edit/edit_proposal';
import { applied } from '../../../core/edit/line_edit';
import { NO_DRAFTS } from '../../../core/engine/native_drafting';
import type { NativeGrammar, NativeGrammarSource } from '../../../core/engine/native_grammar';
import {
  type NativeChat,
  type NativeFim,
  type NativeStop,
  NO_TIMINGS,
} from '../../../core/engine/native_types';
import type { NativeError, NativeResult } from '../../../core/engine/native_result';
import { firstEdit } from '../../../bench/first_edit';
import { MadeUpVocabulary, renderingHere } from '../chat/made_up_vocabulary';
import { asOneToken } from '../made_up_tokens';

const VOCABULARY = new MadeUpVocabulary('<|im_start|>', '<|im_end|>');

class FakeEngine implements EditEngine {
  state: EngineState = 'ready';
  generating = false;
  says = '';
  stop: NativeStop = 'end_token';
  fails: NativeError | undefined;
  chat: NativeChat | undefined = { template: '', beginToken: '', endToken: '<|im_end|>' };
  fim: NativeFim | undefined;
  readonly sources: NativeGrammarSource[] = [];
  readonly requests: EngineRequest[] = [];
  closed = 0;

  readonly compileGrammar = (source: NativeGrammarSource): Promise<NativeResult<NativeGrammar>> => {
    this.sources.push(source);
    const grammar: NativeGrammar = {
      compileMs: 0,
      empty: false,
      check: () => Promise.resolve({ ok: true, value: 'accept' }),
      close: () => this.closed++,
    };
    return Promise.resolve({ ok: true, value: grammar });
  };

  tokenize(text: string, parseSpecial: boolean): Promise<NativeResult<Uint32Array>> {
    return VOCABULARY.tokenize(text, parseSpecial);
  }

  detokenize(ids: Uint32Array): Promise<NativeResult<Uint8Array>> {
    return VOCABULARY.detokenize(ids);
  }

  generate(request: EngineRequest, signal: AbortSignal): Promise<EngineAnswer> {
    this.requests.push(request);
    if (this.fails !== undefined) return Promise.resolve({ ok: false, error: this.fails });
    const stop = signal.aborted ? 'cancelled' : this.stop;
    const sure = asOneToken(this.says, 1);
    const counts = { timings: NO_TIMINGS, drafting: NO_DRAFTS, ...sure, endProbability: 0 };
    return Promise.resolve({
      ok: true,
      value: { text: this.says, stop, ids: new Uint32Array(), grammarEnded: true, ...counts },
    });
  }
}

const TEXT = 'a = 1\r\nb = 2\r\nc = 3';
const REQUEST: EditRequest = {
  instruction: 'make them larger',
  text: TEXT,
  languageId: 'python',
  first: 2,
  last: 3,
  adds: false,
  unit: '    ',
};

async function propose(
  engine: FakeEngine,
  changes: Partial<EditRequest> = {},
): Promise<EditProposal & { result: string }> {
  const request = { ...REQUEST, ...changes };
  const proposal = await firstEdit({ engine, render: renderingHere() }, request);
  expect(engine.closed).toBe(engine.requests.length);
  return { ...proposal, result: applied(request.text, proposal.replacements) };
}

function engineThatSays(says: string, stop: NativeStop = 'end_token'): FakeEngine {
  const engine = new FakeEngine();
  engine.says = says;
  engine.stop = stop;
  return engine;
}

describe('a structured edit', () => {
  it('goes from an instruction to what is replaced', async () => {
    const engine = engineThatSays('1|b = 20\n+|bb = 2\n2|c = 3');
    expect(await propose(engine)).toMatchObject({
      ending: 'proposed',
      result: 'a = 1\r\nb = 20\r\nbb = 2\r\nc = 3',
    });
    const [request] = engine.requests;
    const [begins, ends] = [VOCABULARY.idOf('<|im_start|>'), VOCABULARY.idOf('<|im_end|>')];
    expect(request?.prompt.slice(-6)).toEqual([
      begins,
      'user\nInstruction: make them larger\n\n1|b = 2\n2|c = 3',
      ends,
      '\n',
      begins,
      'assistant\n',
    ]);
    expect(request).toMatchObject({ grammar: { prefix: '' } });
    expect(request?.parseSpecial).toBeUndefined();
  });

  it('shows no part of a document as a control token', async () => {
    const engine = engineThatSays('1|x');
    await propose(engine, { text: 'x = "<|im_end|>"\ny', first: 1, last: 2 });
    expect(engine.requests[0]?.prompt.slice(-5)).toContain(
      'user\nInstruction: make them larger\n\n1|x = "<|im_end|>"\n2|y',
    );
  });

  it('asks models that know no turns plainly', async () => {
    const engine = engineThatSays('1|b = 3');
    engine.chat = undefined;
    await propose(engine);
    expect(engine.requests[0]?.parseSpecial).toBeUndefined();
    expect(engine.requests[0]?.prompt).not.toContain('<|');
    expect(engine.requests[0]?.prompt).toMatch(/\nAnswer:\n$/);
  });

  it('asks a model that was taught to complete code plainly, though its vocabulary has turns', async () => {
    const engine = engineThatSays('2|b = 3\n\n');
    engine.fim = { layout: 'suffix_prefix_contiguous' };
    expect((await propose(engine, { first: 1, last: 2 })).result).toBe('a = 1\r\nb = 3\r\nc = 3');
    expect(engine.requests[0]?.prompt).toMatch(/\nAnswer:\n$/);
  });

  it('takes a blank line for the end of an answer', async () => {
    for (const adds of [true, false]) {
      const engine = engineThatSays('+|x');
      await propose(engine, { adds });
      expect(engine.sources[0]).toMatchObject({
        gbnf: expect.stringContaining('end ::= "\\n\\n"?') as string,
      });
    }
  });

  it('adds lines behind the cursor, or in the place of a blank line', async () => {
    const adds = { adds: true, first: 1, last: 1 };
    expect((await propose(engineThatSays('+|x\n+|y'), adds)).result).toBe(
      'a = 1\r\nx\r\ny\r\nb = 2\r\nc = 3',
    );
    expect(
      (await propose(engineThatSays('+|x'), { ...adds, text: 'a\n  \nb', first: 1, last: 2 })).result,
    ).toBe('a\nx\nb');
    expect((await propose(engineThatSays('+|x'), { ...adds, last: 3 })).result).toBe(`${TEXT}\r\nx`);
    expect((await propose(engineThatSays('+|x\n+|y =', 'max_tokens'), adds)).result).toContain(
      'a = 1\r\nx\r\nb',
    );
  });

  it('takes a narrow grammar for what is well known', async () => {
    const engine = engineThatSays('1|bee = 2');
    expect(await propose(engine, { instruction: 'rename b to bee' })).toMatchObject({ ending: 'proposed' });
    expect(engine.sources).toEqual([{ gbnf: 'root ::= "1|bee = 2"' }]);
    expect(await propose(new FakeEngine(), { instruction: 'rename x to y' })).toMatchObject({
      ending: 'no_such_name',
    });
  });

  it('offers nothing that changes nothing, breaks the text or is cut', async () => {
    expect(await propose(engineThatSays('1|b = 2'))).toMatchObject({ ending: 'unchanged', replacements: [] });
    expect(await propose(engineThatSays('1|b = (2'))).toMatchObject({ ending: 'unsound', replacements: [] });
    expect(await propose(engineThatSays('1|b = 3', 'max_tokens'))).toMatchObject({
      ending: 'cut',
      replacements: [],
    });
  });

  it('says what an edit would break apart from its sentence, which is one of a closed set', async () => {
    const { sentence, problem } = await propose(engineThatSays('1|b = (2'));
    expect(sentence).toBe(EDIT_ENDINGS.unsound);
    expect(problem).toBe('unclosed');
    expect((await propose(engineThatSays('1|b = 3'))).problem).toBeUndefined();
  });

  it('does not begin where it cannot end well', async () => {
    const long = { text: 'x\n'.repeat(500), first: 1, last: 500 };
    expect(await propose(new FakeEngine(), long)).toMatchObject({ ending: 'too_long' });
    expect(await propose(new FakeEngine(), { text: 'a\u0000\nb', first: 1, last: 2 })).toMatchObject({
      ending: 'not_writable',
    });
    const loading = new FakeEngine();
    loading.state = 'loading';
    expect(await propose(loading)).toMatchObject({
      ending: 'not_ready',
      sentence: 'The model is still loading.',
    });
    const busy = new FakeEngine();
    busy.generating = true;
    expect(await propose(busy)).toMatchObject({ ending: 'already_running' });
  });

  it('does not ask by a template that cannot be used', async () => {
    const engine = engineThatSays('1|b = 3');
    engine.chat = { template: '{% for %}', beginToken: '', endToken: '' };
    const request = { ...REQUEST };
    const proposal = await firstEdit({ engine, render: renderingHere() }, request);
    expect(proposal).toMatchObject({ ending: 'failed', error: { code: 'CHAT_TEMPLATE_INVALID' } });
    expect(engine).toMatchObject({ requests: [], closed: 1 });
  });

  it('says what went wrong, and is cancelled', async () => {
    const engine = new FakeEngine();
    engine.fails = { code: 'CONTEXT_OVERFLOW', message: 'Too long.' };
    expect(await propose(engine)).toMatchObject({ ending: 'too_long' });
    engine.fails = { code: 'DEVICE_FAILED', message: 'The device failed.' };
    expect(await propose(engine)).toMatchObject({ ending: 'failed', sentence: 'The device failed.' });
    const controller = new AbortController();
    controller.abort();
    const parts = { engine: engineThatSays('1|x'), render: renderingHere() };
    expect(await firstEdit(parts, REQUEST, controller.signal)).toMatchObject({
      ending: 'cancelled',
    });
  });
});
