/** What else the embedded model may say at a place: forked off what it said, from the KV cache. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Alternatives } from '../../core/completion/alternatives';
import { snapshotOfText } from '../../core/completion/document';
import type { CompletionEngine } from '../../core/completion/engine_port';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { CompletionPipeline } from '../../core/completion/pipeline';
import { Suggestions } from '../../core/completion/suggestions';
import { Engine } from '../../core/engine/engine';
import type { EngineRequest } from '../../core/engine/engine_request';
import type { NativeTimings } from '../../core/engine/native_types';
import { ADDON, codeOf, loadModel, MODEL, openSession, request, valueOf } from './embedded_model';

const PROMPT = 'def add(a, b):\n    """The sum of a and b."""\n    total =';

const LINES = { singleLine: false, banBlankStart: false } as const;

describe('a fork', () => {
  it('goes on behind the runner-up as a fresh request would, and says how probable it was', async () => {
    const model = await loadModel();
    const session = await openSession(model, 512);
    const first = valueOf(await session.complete(request(PROMPT, { ...LINES, maxTokens: 8 })));
    expect(first.idProbabilities).toHaveLength(first.ids.length);
    const spelled = valueOf(await model.tokenize(PROMPT, false));
    let others = 0;
    // The last ids first: what lies behind is overwritten.
    for (let at = first.ids.length - 1; at >= 1; at--) {
      const lead = first.ids.slice(0, at);
      const barred = first.ids.slice(at, at + 1);
      const made = valueOf(await session.complete(request(PROMPT, { ...LINES, lead, barred, maxTokens: 6 })));
      expect(made.timings.promptTokens).toBe(spelled.length + at);
      expect(made.timings.reusedTokens).toBe(spelled.length + at - 1);
      expect(made.barredProbability).toBeGreaterThan(0.99 * (first.idProbabilities[at] ?? 0));

      const logits = valueOf(await model.logits(Uint32Array.of(...spelled, ...lead)));
      const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
      logits[barred[0] ?? 0] = -Infinity;
      const second = logits.indexOf(Math.max(...logits));
      expect(made.ids[0]).toBe(second);
      expect(made.idProbabilities[0]).toBeCloseTo(Math.exp(logits[second] ?? 0) / total, 3);

      const fresh = await openSession(model, 512);
      const prompt = [PROMPT, ...lead, second];
      const expected = valueOf(await fresh.complete(request('', { prompt, ...LINES, maxTokens: 5 })));
      if (made.ids.length > 1) {
        expect([...made.ids.slice(1)]).toEqual([...expected.ids]);
        others++;
      }
      await fresh.close();
    }
    expect(others).toBeGreaterThan(3);
    await model.close();
  });

  it('has to begin as an answer could', async () => {
    const model = await loadModel();
    const session = await openSession(model, 64);
    const [newline = 0] = valueOf(await model.tokenize('\n', false));
    const ends = await session.complete(request('x = ', { lead: Uint32Array.of(newline) }));
    expect(codeOf(ends)).toBe('INVALID_ARGUMENT');
    const other = await session.complete(
      request('x = ', { requiredPrefix: 'y', lead: Uint32Array.of(newline) }),
    );
    expect(codeOf(other)).toBe('INVALID_ARGUMENT');
    await model.close();
  });
});

describe('alternatives', () => {
  let engine: Engine;
  const asked: { readonly request: EngineRequest; readonly timings: NativeTimings }[] = [];
  let alternatives: Alternatives;

  beforeAll(async () => {
    engine = valueOf(await Engine.load({ addonPath: ADDON, modelPath: MODEL }));
    const watched: CompletionEngine = {
      state: 'ready',
      speed: engine.speed,
      context: engine.context,
      fim: engine.fim,
      parameters: engine.parameters,
      complete: async (one, signal) => {
        const answer = await engine.complete(one, signal);
        asked.push({ request: one, timings: valueOf(answer).timings });
        return answer;
      },
    };
    const options = { ...DEFAULT_OPTIONS, multiline: 'never' } as const;
    const suggestions = new Suggestions(new CompletionPipeline(watched, () => options), () => options);
    alternatives = new Alternatives(suggestions, () => options, Infinity);
  });
  afterAll(() => engine.dispose());

  async function texts(text: string): Promise<string[]> {
    const source = { uri: 'file:///a.py', path: 'a.py', languageId: 'python', text, offset: text.length };
    const signal = new AbortController().signal;
    const outcomes = await alternatives.complete({ document: snapshotOfText(source), signal });
    return outcomes.map((one) => (one.shown ? one.text : one.reason));
  }

  it('are different lines, others when asked again, and cost what differs', async () => {
    const place = 'def mean(values, weights):\n    total = sum(weights)\n    result = ';
    const once = await texts(place);
    expect(once.length).toBeGreaterThan(1);
    expect(new Set(once).size).toBe(once.length);
    const again = await texts(place);
    expect(again.filter((text) => once.includes(text))).toEqual([]);
    const [first, ...forks] = asked;
    expect(forks.length).toBeGreaterThan(1);
    for (const { request: one, timings } of forks) {
      const lead = one.lead?.length ?? 0;
      expect(one.prompt).toEqual(first?.request.prompt);
      expect(timings.promptTokens).toBe((first?.timings.promptTokens ?? 0) + lead);
      // The last token, whose logits are not kept, and what an earlier fork has overwritten.
      expect(timings.promptTokens - timings.reusedTokens).toBeLessThanOrEqual(lead + 1);
    }
  });

  it('go on from what was typed along, which says nothing of its tokens', async () => {
    const place = 'import os\n\n\ndef write(path, text):\n    with open(path, "w") as file:\n        file.';
    const [first = ''] = await texts(place);
    const typed = first.slice(0, 2);
    const others = await texts(place + typed);
    expect(others[0]).toBe(first.slice(2));
    expect(new Set(others).size).toBe(others.length);
  });
});
