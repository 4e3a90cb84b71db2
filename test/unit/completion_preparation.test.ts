/** Reading a place before anything is asked there. */
import { describe, expect, it } from 'vitest';
import { snapshotOfText } from '../../core/completion/document';
import type { CompletionEngine } from '../../core/completion/engine_port';
import { type CompletionOptions, DEFAULT_OPTIONS } from '../../core/completion/options';
import { prepare } from '../../core/completion/preparation';
import { PromptWriter } from '../../core/completion/prompt_writer';
import { estimateTokens } from '../../core/completion/token_estimate';
import type { EngineAnswer, EngineRequest } from '../../core/engine/engine_request';
import { type NativeStop, NO_COMPLETION, NO_TIMINGS } from '../../core/engine/native_types';
import { asOneToken } from './made_up_tokens';

/** Has read what it was asked before, and says how fast it reads from the first answer on. */
class ReadingEngine implements CompletionEngine {
  state: CompletionEngine['state'] = 'ready';
  generating = false;
  stop: NativeStop = 'max_tokens';
  speed = { prefillTokensPerSecond: undefined as number | undefined };
  readonly requests: EngineRequest[] = [];

  complete(request: EngineRequest): Promise<EngineAnswer> {
    const known = this.requests.some(({ prompt }) => prompt === request.prompt);
    this.requests.push(request);
    this.speed = { prefillTokensPerSecond: 2_000 };
    const promptTokens = estimateTokens(String(request.prompt));
    const timings = { ...NO_TIMINGS, promptTokens, reusedTokens: known ? promptTokens : 0 };
    const made = { text: 'x', stop: this.stop, ids: new Uint32Array([1]), timings };
    const value = { ...NO_COMPLETION, ...made, ...asOneToken(made.text, 1) };
    return Promise.resolve({ ok: true, value });
  }
}

const LONG = 'value = compute(value)\n'.repeat(500);

async function prepared(
  engine: ReadingEngine,
  {
    text = LONG,
    options = DEFAULT_OPTIONS,
    aborted = false,
  }: { text?: string; options?: CompletionOptions; aborted?: boolean } = {},
): Promise<boolean> {
  const document = snapshotOfText({
    uri: 'file:///a.py',
    path: 'a.py',
    languageId: 'python',
    text,
    offset: text.length,
  });
  const signal = aborted ? AbortSignal.abort() : new AbortController().signal;
  return prepare(engine, new PromptWriter(engine), options, { document, signal });
}

describe('preparing', () => {
  it('reads until the prompt that would be asked is in the cache, and makes one token', async () => {
    const engine = new ReadingEngine();
    expect(await prepared(engine)).toBe(true);
    const [first, second, third] = engine.requests;
    // Once the speed is known, a longer prompt is worth reading.
    expect(String(second?.prompt).length).toBeGreaterThan(String(first?.prompt).length);
    expect(third?.prompt).toBe(second?.prompt);
    expect(engine.requests.map(({ maxTokens }) => maxTokens)).toEqual([1, 1, 1]);
  });

  it('ends when a suggestion is asked for', async () => {
    const engine = new ReadingEngine();
    engine.stop = 'cancelled';
    expect(await prepared(engine)).toBe(false);
    expect(engine.requests).toHaveLength(1);
  });

  it('does nothing where there is no model, other work, or a file that is left alone', async () => {
    const engine = new ReadingEngine();
    expect(await prepared(engine, { options: { ...DEFAULT_OPTIONS, enabled: false } })).toBe(false);
    expect(await prepared(engine, { text: ' \n' })).toBe(false);
    expect(await prepared(engine, { aborted: true })).toBe(false);
    engine.generating = true;
    expect(await prepared(engine)).toBe(false);
    engine.generating = false;
    engine.state = 'loading';
    expect(await prepared(engine)).toBe(false);
    expect(engine.requests).toEqual([]);
  });
});
