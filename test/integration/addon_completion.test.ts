/** What the addon computes, with the embedded model. */
import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GREEDY } from '../../core/engine/engine_request';
import type { NativeCompletion, NativeModel, NativeSession } from '../../core/engine/native_types';
import { addon, codeOf, loadModel, MODEL, openSession, request, sourceText, valueOf } from './embedded_model';

let model: NativeModel;
let session: NativeSession;
beforeAll(async () => {
  model = await loadModel();
  session = await openSession(model);
});
afterAll(() => model.close());

/** What holds of any completion: one probability and one end for each token that goes beyond the prefix. */
function expectCourse({ text, confidence, tokenProbabilities, tokenEnds }: NativeCompletion): void {
  expect(tokenProbabilities).toBeInstanceOf(Float32Array);
  expect(tokenEnds).toBeInstanceOf(Uint32Array);
  expect(tokenEnds).toHaveLength(tokenProbabilities.length);
  expect(tokenEnds.length).toBeGreaterThan(0);
  const product = tokenProbabilities.reduce((all, probability) => all * probability, 1);
  expect(product / confidence).toBeCloseTo(1, 4);
  expect([...tokenEnds]).toEqual([...tokenEnds].sort((a, b) => a - b));
  expect(tokenEnds.at(-1)).toBe(text.length);
}

const PROMPT = 'def add(a, b):\n    """The sum of a and b."""\n    return';

describe('a model', () => {
  it('knows what it is', () => {
    expect(model.info()).toMatchObject({
      architecture: 'llama',
      fileBytes: statSync(MODEL).size,
      quantization: 'Q4_1',
      layers: 30,
      width: 576,
      heads: 9,
      kvHeads: 3,
      vocabulary: 49_152,
      contextLength: 8_192,
      preTokenizer: 'smollm',
    });
  });

  it('is described by its file without being loaded', async () => {
    const inspection = valueOf(await addon.inspect(MODEL));
    expect(inspection).toMatchObject({ version: 3, fileBytes: statSync(MODEL).size, unsupported: '' });
    expect(inspection.tensors).toHaveLength(272);
    expect(inspection.tensors[0]).toEqual({
      name: 'token_embd.weight',
      type: 'Q8_0',
      shape: [576, 49_152],
      bytes: 30_081_024,
    });
    expect(inspection.metadata).toContainEqual({ key: 'llama.block_count', type: 'u32', value: '30' });
  });

  it('gives errors of the file as values', async () => {
    expect(codeOf(await addon.inspect(`${MODEL}.none`))).toBe('FILE_NOT_FOUND');
    const options = { threads: 0, device: 'auto' } as const;
    expect(codeOf(await addon.loadModel({ path: `${MODEL}.none`, ...options }))).toBe('FILE_NOT_FOUND');
    expect(codeOf(await addon.loadModel({ path: import.meta.filename, ...options }))).toBe('MODEL_NOT_GGUF');
    expect(codeOf(await addon.loadModel({ path: import.meta.dirname, ...options }))).toBe('MODEL_NOT_GGUF');
  });

  // What a Mac has depends on the Mac.
  it.skipIf(process.platform === 'darwin')(
    'gives an error for a device that this system cannot have',
    async () => {
      expect(codeOf(await addon.loadModel({ path: MODEL, threads: 0, device: 'metal' }))).toBe(
        'DEVICE_UNAVAILABLE',
      );
    },
  );
});

describe('a completion', () => {
  it('streams the text it gives, piece by piece and before it settles', async () => {
    const pieces: string[] = [];
    const result = valueOf(await session.complete(request(PROMPT), (piece) => pieces.push(piece)));
    expect(result.text).toBe(' a + b');
    expect(['line_end', 'end_token']).toContain(result.stop);
    expect(pieces.join('')).toBe(result.text);
    expect(pieces.length).toBeGreaterThan(1);
    expect(result.confidence).toBeGreaterThan(0.1);
    expect(result.confidence).toBeLessThanOrEqual(1);
    expect(result.ids).toBeInstanceOf(Uint32Array);
    expect(result.ids).toHaveLength(result.timings.generatedTokens);
  });

  it('accounts for its time and its tokens', async () => {
    await session.complete(request('something else'));
    const { timings } = valueOf(await session.complete(request(PROMPT)));
    expect(timings.promptTokens).toBe(valueOf(await model.tokenize(PROMPT, false)).length);
    expect(timings).toMatchObject({ reusedTokens: 0, cancelMs: 0, cancelPhase: 'none' });
    expect(timings.prefillMs).toBeGreaterThan(0);
    expect(timings.firstTokenMs).toBeGreaterThanOrEqual(timings.queueMs + timings.prefillMs);
    expect(timings.totalMs).toBeGreaterThanOrEqual(timings.firstTokenMs);
    const again = valueOf(await session.complete(request(`${PROMPT} a`))).timings;
    expect(again.reusedTokens).toBeGreaterThan(timings.promptTokens / 2);
  });

  it('begins with the required prefix and leaves it out', async () => {
    const healed = request('def add(a, b):', { requiredPrefix: '\n    retu' });
    const { text } = valueOf(await session.complete(healed));
    expect(text).toMatch(/^rn\b/);
  });

  it('tells how sure each token was, and where the text ends behind it', async () => {
    const result = valueOf(await session.complete(request(PROMPT)));
    expectCourse(result);
    expect(result.tokenEnds).toHaveLength(result.ids.length);
    // " a", " +", " b", and what ended it.
    expect([...result.tokenEnds]).toEqual([2, 4, 6, 6]);

    // Only the last of the tokens that spell the prefix goes beyond it.
    const healed = request('def add(a, b):', { requiredPrefix: '\n    retu' });
    const beyond = valueOf(await session.complete(healed));
    expectCourse(beyond);
    expect(beyond.tokenEnds.length).toBeLessThan(beyond.ids.length);
    expect(beyond.tokenEnds[0]).toBe('rn'.length);

    const spelled = valueOf(
      await session.complete(request('x', { requiredPrefix: 'zqzqzqzqzqzqzq', maxTokens: 2 })),
    );
    expect(spelled).toMatchObject({ text: '', confidence: 0 });
    expect(spelled.tokenProbabilities).toHaveLength(0);
    expect(spelled.tokenEnds).toHaveLength(0);
  });

  it('has ends between whole characters, counted as the text is', async () => {
    const faces = '😀é'.repeat(8);
    const changes = { maxTokens: 24, singleLine: false };
    const result = valueOf(await session.complete(request(faces, changes)));
    expect(result.text).toContain('😀');
    expectCourse(result);
    for (const [token, end] of result.tokenEnds.entries()) {
      const spelled = valueOf(await model.detokenize(result.ids.slice(0, token + 1)));
      const whole = new TextDecoder().decode(spelled, { stream: true });
      // An end token has a name, and no text.
      expect(end).toBe(whole.slice(0, result.text.length).length);
    }
  });

  it('is served in order, whichever session of a model it is in', async () => {
    const other = await openSession(model, 256);
    const order: number[] = [];
    const note = (n: number) => (): void => void order.push(n);
    await Promise.all([
      session.complete(request('a')).then(note(1)),
      other.complete(request('b')).then(note(2)),
      session.complete(request('c')).then(note(3)),
    ]);
    expect(order).toEqual([1, 2, 3]);
    await other.close();
  });

  it('is the same again with the same seed', async () => {
    const draw = async (seed: number): Promise<string> => {
      const sampling = {
        ...GREEDY,
        temperature: 1.2,
        topK: 50,
        topP: 0.95,
        minP: 0.01,
        repeatPenalty: 1.1,
        seed,
      };
      return valueOf(await session.complete(request('import ', { sampling, singleLine: false }))).text;
    };
    const texts = [await draw(1), await draw(2), await draw(3), await draw(1)];
    expect(texts[3]).toBe(texts[0]);
    expect(new Set(texts).size).toBeGreaterThan(1);
  });

  it('is the same text with drafts, which are often right where text repeats itself', async () => {
    const line = 'print("the same line again")\n';
    const prompt = line.repeat(6);
    for (const temperature of [0, 0.2]) {
      const sampling = { ...GREEDY, temperature, seed: 7 };
      const long = { maxTokens: 60, singleLine: false, sampling };
      const session = await openSession(model);
      const plain = valueOf(await session.complete(request(prompt, long)));
      const drafting = { lookup: true, model: true, adaptive: true, most: 15 };
      const drafted = valueOf(
        await session.complete(request(prompt, { ...long, drafting, references: [line] })),
      );
      expect([...drafted.ids]).toEqual([...plain.ids]);
      expect(drafted.text).toBe(plain.text);
      expect(drafted.tokenEnds).toEqual(plain.tokenEnds);
      drafted.tokenProbabilities.forEach((probability, token) => {
        expect(probability / (plain.tokenProbabilities[token] ?? 0)).toBeCloseTo(1, 3);
      });
      expectCourse(drafted);
      expectCourse(plain);
      expect(plain.drafting.drafted).toBe(0);
      const { drafting: counts } = drafted;
      expect(counts.accepted).toBeGreaterThan(0);
      expect(counts.accepted).toBeLessThanOrEqual(counts.drafted);
      expect(counts.batches).toBeGreaterThan(0);
      await session.close();
    }
  });

  it('reports a prompt that does not fit, and goes on', async () => {
    const small = await openSession(model, 64);
    expect(codeOf(await small.complete(request(sourceText(20))))).toBe('CONTEXT_OVERFLOW');
    expect(codeOf(await small.complete(request('x = ')))).toBe('OK');
    await small.close();
  });

  it('works in the smallest context, too', async () => {
    const small = await openSession(model, 16);
    const { ids, stop } = valueOf(
      await small.complete(request('def f(x):', { maxTokens: 100, singleLine: false })),
    );
    expect(stop).toMatch(/context_full|end_token/);
    expect(ids.length).toBeGreaterThan(0);
    await small.close();
  });

  it('goes on when its text callback throws', async () => {
    let calls = 0;
    const result = await session.complete(request(PROMPT), () => {
      calls++;
      throw new Error('from the callback');
    });
    expect(valueOf(result).text).toBe(' a + b');
    expect(calls).toBeGreaterThan(1);
  });

  it('outlives every reference to its session and model', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const pending = (async () => {
      const dropped = await openSession(await loadModel(), 256);
      return { answer: dropped.complete(request(PROMPT)) };
    })();
    const { answer } = await pending;
    collect();
    expect(valueOf(await answer).text).toBe(' a + b');
    collect();
  });

  it('leaves the JS thread free, and no call waits for the engine', async () => {
    let turns = 0;
    const took: number[] = [];
    const timed = <T>(call: () => T): T => {
      const start = performance.now();
      const result = call();
      took.push(performance.now() - start);
      return result;
    };
    const state = { settled: false };
    const prompt = sourceText(20);
    const running = timed(() => session.complete(request(prompt))).finally(() => (state.settled = true));
    const others: Promise<unknown>[] = [];
    while (!state.settled) {
      timed(() => model.info());
      timed(() => session.cancel(2 ** 50));
      if (turns < 50) others.push(timed(() => model.tokenize('x = 1', false)));
      turns++;
      await delay(1);
    }
    await Promise.all([running, ...others]);
    // While the prompt was read, the loop went round many times.
    expect(turns).toBeGreaterThan(10);
    took.sort((a, b) => a - b);
    const at = (part: number): string => (took[Math.floor(part * (took.length - 1))] ?? 0).toFixed(4);
    // A figure for whoever reads the log; no test depends on it.
    process.stdout.write(
      `${took.length} calls while the engine ran: median ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms\n`,
    );
  });
});

describe('tokens', () => {
  it('stand for the text they were made from', async () => {
    const text = `${sourceText(50)}héllo wörld 你好 😀\r\n\t"quoted"`;
    const ids = valueOf(await model.tokenize(text, false));
    expect(ids).toBeInstanceOf(Uint32Array);
    expect(new TextDecoder().decode(valueOf(await model.detokenize(ids)))).toBe(text);
    expect(valueOf(await model.tokenize('', false))).toHaveLength(0);
    expect(valueOf(await model.detokenize(new Uint32Array()))).toHaveLength(0);
  });

  it('take a lone surrogate for U+FFFD', async () => {
    for (const [broken, whole] of [
      ['a\ud800b', 'a\ufffdb'],
      ['\udc00', '\ufffd'],
      ['\ud83d\ud83d\ude00', '\ufffd😀'],
      ['x\udfff\ud800', 'x\ufffd\ufffd'],
    ] as const) {
      expect(valueOf(await model.tokenize(broken, false))).toEqual(
        valueOf(await model.tokenize(whole, false)),
      );
    }
  });

  it('are control tokens only where asked for', async () => {
    expect(valueOf(await model.tokenize('<|im_end|>', true))).toEqual(new Uint32Array([2]));
    expect(valueOf(await model.tokenize('<|im_end|>', false)).length).toBeGreaterThan(1);
  });
});

describe('logits', () => {
  it('agree with the greedy choice and are the same again', async () => {
    const ids = valueOf(await model.tokenize(PROMPT, false));
    const logits = valueOf(await model.logits(ids));
    expect(logits).toBeInstanceOf(Float32Array);
    expect(logits).toHaveLength(49_152);
    expect(logits.every(Number.isFinite)).toBe(true);
    const [first] = valueOf(await session.complete(request(PROMPT))).ids;
    expect(logits.indexOf(logits.reduce((a, b) => Math.max(a, b)))).toBe(first);
    expect(valueOf(await model.logits(ids))).toEqual(logits);
  });

  it('lie in memory of their own', async () => {
    const ids = new Uint32Array([1, 2, 3]);
    const one = valueOf(await model.logits(ids));
    const before = one[0];
    const two = valueOf(await model.logits(ids));
    two.fill(0);
    expect(one[0]).toBe(before);
    expect(one.byteLength).toBe(one.buffer.byteLength);
  });
});
