/** The engine on another machine, against a server on this one. */
import { afterEach, describe, expect, it } from 'vitest';
import { fimLayout } from '../../../core/completion/fim_layout';
import type { EngineAnswer, EngineRequest } from '../../../core/engine/engine_request';
import type { NativeCompletion } from '../../../core/engine/native_types';
import { endpointOf } from '../../../core/remote/endpoint';
import { llamaPiece } from '../../../core/remote/llama_server';
import { openaiPiece } from '../../../core/remote/openai';
import { RemoteEngine } from '../../../core/remote/remote_engine';
import type { ServerChoices } from '../../../core/remote/server';
import { makeCertificate } from '../../remote/certificate';
import { type Kind, MODEL, type Say, type StandIn, startStandIn } from '../../remote/stand_in_server';

const servers: StandIn[] = [];
const engines: RemoteEngine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) engine.dispose();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

const NEVER = new AbortController().signal;

async function server(kind: Kind, tls?: Parameters<typeof startStandIn>[1]): Promise<StandIn> {
  const started = await startStandIn(kind, tls);
  servers.push(started);
  return started;
}

function engineFor(
  { url }: Pick<StandIn, 'url'>,
  { key, ca, ...choices }: Partial<ServerChoices> & { key?: string; ca?: string } = {},
): RemoteEngine {
  const endpoint = endpointOf(url);
  if (!endpoint.ok) throw new Error(endpoint.error.message);
  const engine = new RemoteEngine({
    endpoint: endpoint.value,
    key: () => key,
    ca,
    choices: { protocol: 'auto', model: '', fim: 'auto', ...choices },
  });
  engines.push(engine);
  return engine;
}

const LINE: EngineRequest = { prompt: 'def add(a, b):\n    return', requiredPrefix: ' ', maxTokens: 40 };

function made(answer: EngineAnswer): NativeCompletion {
  if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`);
  return answer.value;
}

const codeOf = (answer: EngineAnswer): string => (answer.ok ? 'none' : answer.error.code);

/** A place with text on both sides of the cursor and another file, as the prompt writer lays it out. */
function withSuffix(engine: RemoteEngine, snippets = true): EngineRequest {
  const path = 'src/add.py';
  const texts = {
    path,
    languageId: 'python',
    prefix: 'def add(a, b):\n    return',
    suffix: '\n\nprint(add(1, 2))\n',
  };
  const other = {
    kind: 'similar',
    path: 'lib/sub.py',
    languageId: 'python',
    text: 'def sub(a, b):\n    return a - b\n',
  };
  const prompt = fimLayout(engine.fim)?.write({ ...texts, snippets: snippets ? [other as never] : [] });
  return { prompt: prompt ?? texts.prefix, requiredPrefix: ' ', maxTokens: 40 };
}

describe.each(['llama-server', 'vllm'] as const)('a suggestion of %s', (kind) => {
  const rated = (
    text: string,
    probability = 0.9,
    others: Record<string, number> = {},
  ): Say['tokens'][number] => ({
    text,
    probability,
    others,
  });

  it('is the text behind what was cut off, with how sure the model was', async () => {
    const standIn = await server(kind);
    standIn.say = () => ({ tokens: [rated(' a', 0.8), rated(' +', 0.5), rated(' b', 0.9)], stop: 'word' });
    const { text, stop, confidence, tokenEnds, timings } = made(
      await engineFor(standIn).complete(LINE, NEVER),
    );
    expect(text).toBe('a + b');
    expect(stop).toBe('line_end');
    expect(confidence).toBeCloseTo(0.36, 5);
    expect([...tokenEnds]).toEqual([1, 3, 5]);
    expect(timings).toMatchObject({ promptTokens: 40, reusedTokens: 32, generatedTokens: 3 });
  });

  it('is closed at the end of its line where the server goes on', async () => {
    const standIn = await server(kind);
    standIn.say = () => ({ tokens: [' a +', ' b\n', '    x'], hold: true });
    const { text, stop } = made(await engineFor(standIn).complete(LINE, NEVER));
    expect([text, stop]).toEqual(['a + b', 'line_end']);
    await standIn.asked[0]?.closed;
  });

  it('is cancelled by closing the connection', async () => {
    const standIn = await server(kind);
    const controller = new AbortController();
    standIn.say = () => {
      setImmediate(() => controller.abort());
      return { tokens: [' a'], hold: true };
    };
    const { stop } = made(await engineFor(standIn).complete(LINE, controller.signal));
    expect(stop).toBe('cancelled');
    await standIn.asked[0]?.closed;
  });

  it('is given up when the engine is, by closing the connection', async () => {
    const standIn = await server(kind);
    const engine = engineFor(standIn);
    standIn.say = () => {
      setImmediate(() => engine.dispose());
      return { tokens: [' a'], hold: true };
    };
    expect(codeOf(await engine.complete(LINE, NEVER))).toBe('CANCELLED');
    await standIn.asked[0]?.closed;
    expect(codeOf(await engine.complete(LINE, NEVER))).toBe('CANCELLED');
    expect(standIn.asked).toHaveLength(1);
  });

  it('is asked for at the cursor itself where the model goes on with something else', async () => {
    const standIn = await server(kind);
    const request = { prompt: 'def add(a, b):', requiredPrefix: '\n    ret', maxTokens: 40 };
    standIn.say = () =>
      standIn.asked.length === 1 ? { tokens: ['    pass'], hold: true } : { tokens: ['urn a'], stop: 'eos' };
    const { text } = made(await engineFor(standIn, { fim: 'none' }).complete(request, NEVER));
    expect(text).toBe('urn a');
    expect(standIn.asked.map(({ body }) => body['prompt'])).toEqual([
      'def add(a, b):\n',
      'def add(a, b):\n    ret',
    ]);
    await standIn.asked[0]?.closed;
  });

  it('says how sure it is that the line is complete', async () => {
    const standIn = await server(kind);
    standIn.say = () => ({ tokens: [rated('\n', 0.7, { ' #': 0.1, '\n\n': 0.1 })], hold: true });
    const whole = { prompt: 'x = 1', requiredPrefix: '', maxTokens: 40 };
    const { text, endProbability } = made(await engineFor(standIn).complete(whole, NEVER));
    expect(text).toBe('');
    expect(endProbability).toBeCloseTo(0.8, 5);
  });

  it('ends where it becomes too unlikely', async () => {
    const standIn = await server(kind);
    standIn.say = () => ({ tokens: [rated(' a', 0.5), rated(' %', 0.1)], hold: true });
    const { text, stop } = made(await engineFor(standIn).complete({ ...LINE, leastConfidence: 0.1 }, NEVER));
    expect([text, stop]).toEqual(['a %', 'unsure']);
    await standIn.asked[0]?.closed;
  });

  it('is rated by its length where the server says nothing of it', async () => {
    const standIn = await server(kind);
    standIn.say = () => ({ tokens: [' a + b'], stop: 'eos' });
    const short = made(await engineFor(standIn).complete(LINE, NEVER));
    standIn.say = () => ({ tokens: [` ${'a_long_name + '.repeat(6)}b`], stop: 'eos' });
    const long = made(await engineFor(standIn).complete(LINE, NEVER));
    expect(short.confidence).toBeGreaterThan(0.6);
    expect(long.confidence).toBeLessThan(0.2);
    expect(long.tokenEnds.at(-1)).toBe(long.text.length);
    expect([...long.tokenEnds]).toEqual([...long.tokenEnds].toSorted((a, b) => a - b));
  });

  it.each([
    ['the connection breaks in the middle', { dies: true }],
    ['the answer ends before the text does', { cut: true }],
  ])('fails where %s', async (_, fault) => {
    const standIn = await server(kind);
    standIn.say = () => ({ tokens: [' a'], ...fault });
    expect(codeOf(await engineFor(standIn).complete(LINE, NEVER))).toBe('REMOTE_FAILED');
    expect(standIn.asked).toHaveLength(1);
  });

  it.each([
    [401, 'REMOTE_KEY'],
    [404, 'REMOTE_MODEL'],
    [302, 'REMOTE_ADDRESS'],
    [429, 'REMOTE_BUSY'],
    [500, 'REMOTE_FAILED'],
  ])('of status %i is %s, and repeats nothing that the server says', async (status, code) => {
    const standIn = await server(kind);
    standIn.say = () => ({
      tokens: [],
      status,
      headers: { 'retry-after': '7', location: 'http://127.0.0.1/' },
    });
    const answer = await engineFor(standIn, { key: 'planted' }).complete(LINE, NEVER);
    expect(codeOf(answer)).toBe(code);
    expect(JSON.stringify(answer)).not.toMatch(/planted|quoted/);
    if (status === 429) expect(answer).toMatchObject({ error: { retryAfterMs: 7_000 } });
  });

  it('of several lines comes in pieces', async () => {
    const standIn = await server(kind);
    standIn.say = () => ({ tokens: [' a', ' +\n', '    b', '\n'], stop: 'eos' });
    const pieces: string[] = [];
    const answer = await engineFor(standIn).generate(LINE, NEVER, (piece) => pieces.push(piece));
    expect(made(answer)).toMatchObject({ text: 'a +\n    b\n', stop: 'end_token' });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe('a +\n    b\n');
    expect(standIn.asked[0]?.body['stop']).not.toContain('\n');
  });
});

describe('what is sent', () => {
  it('to llama.cpp are the parts, for it to lay out, and the text where nothing follows', async () => {
    const standIn = await server('llama-server');
    const engine = engineFor(standIn);
    await engine.connect();
    standIn.say = () => ({ tokens: [' a'], stop: 'eos' });
    await engine.complete(withSuffix(engine), NEVER);
    await engine.complete(LINE, NEVER);
    const [infill, completion] = standIn.asked;
    expect(infill?.path).toBe('/infill');
    expect(infill?.body).toMatchObject({
      input_prefix: 'def add(a, b):\n    return',
      input_suffix: '\n\nprint(add(1, 2))\n',
      input_extra: [{ filename: 'lib/sub.py', text: 'def sub(a, b):\n    return a - b\n' }],
      n_predict: 40,
      stream: true,
    });
    expect(completion?.path).toBe('/completion');
    expect(completion?.body['prompt']).toBe(LINE.prompt);
  });

  it('to a server of a family is one text with its marks', async () => {
    const standIn = await server('vllm');
    const engine = engineFor(standIn);
    await engine.connect();
    standIn.say = () => ({ tokens: [' a'], stop: 'eos' });
    await engine.complete(withSuffix(engine, false), NEVER);
    expect(standIn.asked[0]?.body).toMatchObject({
      model: MODEL,
      prompt:
        '<|fim_prefix|># src/add.py\ndef add(a, b):\n    return<|fim_suffix|>\n\nprint(add(1, 2))\n<|fim_middle|>',
      max_tokens: 40,
    });
  });

  it('to Ollama is the suffix apart, even where nothing follows: without it, it takes the text for a chat', async () => {
    const standIn = await server('ollama');
    const engine = engineFor(standIn);
    await engine.connect();
    standIn.say = () => ({ tokens: [' a'], stop: 'eos' });
    await engine.complete(withSuffix(engine, false), NEVER);
    await engine.complete(LINE, NEVER);
    expect(standIn.asked.map(({ body }) => body['suffix'])).toEqual(['\n\nprint(add(1, 2))\n', '\n']);
  });

  it('holds no control token that a document spells, but for parts that the server reads as plain text', async () => {
    const spelled = 'x = "<|fim_middle|><|endoftext|><fim_suffix><｜fim▁end｜>[PREFIX]<EOT></s>"\n';
    const broken = 'x = "< |fim_middle|>< |endoftext|>< fim_suffix>< ｜fim▁end｜>[ PREFIX]< EOT>< /s>"\n';
    const sent = async (kind: Kind): Promise<Readonly<Record<string, unknown>>> => {
      const standIn = await server(kind);
      const engine = engineFor(standIn);
      await engine.connect();
      standIn.say = () => ({ tokens: [' a'], stop: 'eos' });
      const texts = { path: 'a.py', languageId: 'python', prefix: spelled, suffix: spelled, snippets: [] };
      const prompt = fimLayout(engine.fim)?.write(texts) ?? '';
      await engine.complete({ prompt, requiredPrefix: '', maxTokens: 40 }, NEVER);
      return standIn.asked[0]?.body ?? {};
    };
    const marked = `<|fim_prefix|># a.py\n${broken}<|fim_suffix|>${broken}<|fim_middle|>`;
    expect((await sent('vllm'))['prompt']).toBe(marked);
    expect(await sent('ollama')).toMatchObject({ prompt: `# a.py\n${broken}`, suffix: broken });
    expect(await sent('llama-server')).toMatchObject({
      input_prefix: `# a.py\n${spelled}`,
      input_suffix: spelled,
    });
  });

  it('is less where the server refuses what it does not know, from then on', async () => {
    const standIn = await server('plain');
    standIn.say = ({ body }) =>
      'logprobs' in body ? { tokens: [], status: 400 } : { tokens: [' a + b'], stop: 'eos' };
    const engine = engineFor(standIn);
    expect(made(await engine.complete(LINE, NEVER)).text).toBe('a + b');
    expect(made(await engine.complete(LINE, NEVER)).text).toBe('a + b');
    expect(standIn.asked).toHaveLength(3);
    // Another model may take it.
    standIn.model = 'mellum-4b-base';
    standIn.say = ({ body }) =>
      body['model'] === standIn.model ? { tokens: [' a'], stop: 'eos' } : { tokens: [], status: 404 };
    expect(codeOf(await engine.complete(LINE, NEVER))).toBe('REMOTE_MODEL');
    expect(made(await engine.complete(LINE, NEVER)).text).toBe('a');
    expect(standIn.asked.map(({ body }) => 'logprobs' in body)).toEqual([true, false, false, false, true]);
  });

  it.each([
    ['llama-server', { type: 'exceed_context_size_error', message: 'quoted' }],
    ['vllm', { message: "This model's maximum context length is 8192 tokens. quoted" }],
  ] as const)('is written shorter where it is longer than the model of %s reads', async (kind, error) => {
    const standIn = await server(kind);
    standIn.say = () => ({ tokens: [], status: 400, error });
    const answer = await engineFor(standIn).complete(LINE, NEVER);
    expect(answer).toMatchObject({ ok: false, error: { code: 'CONTEXT_OVERFLOW' } });
    expect(JSON.stringify(answer)).not.toContain('quoted');
    expect(standIn.asked).toHaveLength(1);
  });

  it('to llama.cpp is a grammar with the word that is cut in two, and none where nothing is', async () => {
    const standIn = await server('llama-server');
    standIn.say = () => ({ tokens: ['  x["a\\b"].len', 'gth'], stop: 'eos' });
    const engine = engineFor(standIn, { fim: 'none' });
    const request = { prompt: 'f(x):', requiredPrefix: '\n  x["a\\b"].len', maxTokens: 40 };
    expect(made(await engine.complete(request, NEVER)).text).toBe('gth');
    expect(standIn.asked[0]?.body['grammar']).toBe(String.raw`root ::= "  x[\x22a\x5cb\x22].len" [^\x00]*`);
    await engine.complete({ prompt: 'f(x):', maxTokens: 40 }, NEVER);
    expect(standIn.asked[1]?.body).not.toHaveProperty('grammar');
  });

  it('has a key in its header, and a wrong one is known before anything of a document is sent', async () => {
    const standIn = await server('vllm');
    standIn.key = 'right';
    standIn.say = () => ({ tokens: [' a'], stop: 'eos' });
    expect(codeOf(await engineFor(standIn, { key: 'wrong' }).complete(LINE, NEVER))).toBe('REMOTE_KEY');
    expect(standIn.asked).toEqual([]);
    expect(codeOf(await engineFor(standIn, { key: 'right' }).complete(LINE, NEVER))).toBe('none');
  });
});

it('a key stays here where others can read along', async () => {
  const standIn = await server('vllm');
  standIn.say = () => ({ tokens: [' a'], stop: 'eos' });
  const endpoint = endpointOf(standIn.url);
  const headers: unknown[] = [];
  const refusals: unknown[] = [];
  for (const safe of [true, false]) {
    if (!endpoint.ok) throw new Error(endpoint.error.message);
    const choices = { protocol: 'openai', model: '', fim: 'auto' } as const;
    const engine = new RemoteEngine({ endpoint: { ...endpoint.value, safe }, key: () => 'planted', choices });
    engines.push(engine);
    await engine.complete(LINE, NEVER);
    headers.push(standIn.asked.at(-1)?.headers.authorization);
    standIn.key = 'another';
    const refused = await engine.complete(LINE, NEVER);
    if (!refused.ok) refusals.push([refused.error.code, refused.error.message.includes('Set the Key')]);
    standIn.key = undefined;
  }
  expect(headers).toEqual(['Bearer planted', undefined]);
  // Nobody is told to set what is not sent.
  expect(refusals).toEqual([
    ['REMOTE_KEY', true],
    ['REMOTE_KEY', false],
  ]);
});

describe('what is there', () => {
  it('is found out before anything of a document is sent', async () => {
    const llama = await server('llama-server');
    const vllm = await server('vllm');
    expect(await engineFor(llama).connect()).toMatchObject({
      value: { protocol: 'llama-server', model: MODEL, context: 4_096, laysOut: true },
    });
    expect(await engineFor(vllm).connect()).toMatchObject({
      value: { protocol: 'openai', model: MODEL, context: 8_192, laysOut: false },
    });
    expect([...llama.asked, ...vllm.asked]).toEqual([]);
  });

  it('is asked without what follows where its model has no marks and tells of no family', async () => {
    const standIn = await server('llama-server');
    standIn.infill = false;
    standIn.model = 'smollm2';
    const engine = engineFor(standIn);
    await engine.connect();
    expect(engine.fim).toBeUndefined();
  });

  it('is laid out here where a server of llama.cpp would put the parts in another order than its model was taught', async () => {
    for (const [model, layout] of [
      ['Emberline-135M.Q4_1.gguf', 'suffix_prefix_contiguous'],
      ['mellum-4b-base.gguf', 'suffix_prefix_middle'],
      ['Qwen2.5-Coder-7B', 'prefix_suffix_middle'],
    ] as const) {
      const standIn = await server('llama-server');
      standIn.model = model;
      const engine = engineFor(standIn);
      await engine.connect();
      expect(engine.fim?.layout, model).toBe(layout);
      expect(engine.server?.laysOut, model).toBe(model === MODEL);
    }
  });

  it('is no model that a server of llama.cpp does not have, though it would answer with another', async () => {
    const standIn = await server('llama-server');
    for (const protocol of ['auto', 'openai'] as const) {
      const found = await engineFor(standIn, { protocol, model: 'Mellum-4b' }).connect();
      expect(found).toMatchObject({ ok: false, error: { code: 'REMOTE_MODEL' } });
    }
    expect((await engineFor(standIn, { model: MODEL }).connect()).ok).toBe(true);
  });

  it('is an error where nothing listens', async () => {
    const standIn = await server('vllm');
    await standIn.stop();
    expect(codeOf(await engineFor(standIn).complete(LINE, NEVER))).toBe('REMOTE_UNREACHABLE');
  });

  it.each([
    ['REMOTE_MODEL', { tokens: [], status: 404 }],
    ['REMOTE_UNREACHABLE', { tokens: [], down: true }],
  ] as const)('is looked at again after %s: a server comes back with another model', async (code, gone) => {
    const standIn = await server('vllm');
    standIn.say = ({ body }) => (body['model'] === standIn.model ? { tokens: [' a'], stop: 'eos' } : gone);
    const engine = engineFor(standIn);
    await engine.connect();
    standIn.model = 'mellum-4b-base';
    const looks = standIn.looked.length;
    expect(codeOf(await engine.complete(LINE, NEVER))).toBe(code);
    expect(standIn.looked).toHaveLength(looks);
    // What it was counts until it is known what it is: nobody has to wait in between.
    expect({ state: engine.state, model: engine.server?.model }).toEqual({ state: 'ready', model: MODEL });
    expect(made(await engine.complete(LINE, NEVER)).text).toBe('a');
    expect(made(await engine.complete(LINE, NEVER)).text).toBe('a');
    expect(standIn.looked).toHaveLength(2 * looks);
    expect(engine.server?.model).toBe('mellum-4b-base');
    expect(engine.fim?.layout).toBe('suffix_prefix_middle');
  });

  it('is looked at once a request where it stays away, which fails each time', async () => {
    const standIn = await server('vllm');
    standIn.say = () => ({ tokens: [], down: true });
    const engine = engineFor(standIn);
    await engine.connect();
    const looks = standIn.looked.length;
    for (const times of [1, 2, 3]) {
      expect(codeOf(await engine.complete(LINE, NEVER))).toBe('REMOTE_UNREACHABLE');
      expect(standIn.looked).toHaveLength(times * looks);
    }
    await standIn.stop();
    expect(codeOf(await engine.complete(LINE, NEVER))).toBe('REMOTE_UNREACHABLE');
    expect(engine.state).toBe('ready');
  });

  it("is trusted by a certificate of one's own alone where one is named", async () => {
    const certificate = makeCertificate();
    const standIn = await server('vllm', certificate);
    standIn.say = () => ({ tokens: [' a'], stop: 'eos' });
    expect(codeOf(await engineFor(standIn).complete(LINE, NEVER))).toBe('REMOTE_UNREACHABLE');
    expect(codeOf(await engineFor(standIn, { ca: makeCertificate().cert }).complete(LINE, NEVER))).toBe(
      'REMOTE_UNREACHABLE',
    );
    expect(codeOf(await engineFor(standIn, { ca: certificate.cert }).complete(LINE, NEVER))).toBe('none');
  });
});

describe('what a server counted', () => {
  const ofOpenai = (prompt: unknown, cached: unknown, generated: unknown): unknown =>
    openaiPiece({
      usage: {
        prompt_tokens: prompt,
        prompt_tokens_details: { cached_tokens: cached },
        completion_tokens: generated,
      },
    }).counts;
  const ofLlama = (prompt: unknown, read: unknown, generated: unknown): unknown =>
    llamaPiece({
      stop: true,
      tokens_evaluated: prompt,
      timings: { prompt_n: read },
      tokens_predicted: generated,
    }).counts;

  it.each([
    ['as it says', ofOpenai(40, 32, 3), [40, 32, 3]],
    ['more cached than there is', ofOpenai(40, 64, 3), [40, 40, 3]],
    ['no numbers of tokens', ofOpenai(40, -1, 2.5), [40, 0, 0]],
    ['as it says', ofLlama(40, 8, 3), [40, 32, 3]],
    ['less than nothing read', ofLlama(40, -1, -3), [40, 40, 0]],
    ['more read than there is', ofLlama(40, 64, 0.5), [40, 0, 0]],
  ])('is what there can be: %s', (_, counts, [promptTokens, reusedTokens, generatedTokens]) => {
    expect(counts).toEqual({ promptTokens, reusedTokens, generatedTokens });
  });
});
