import { describe, expect, it } from 'vitest';
import { completeBlock } from '../../../bench/block_completion';
import { snapshotOfText } from '../../../core/completion/document';
import type { GenerationEngine } from '../../../core/completion/engine_port';
import type { EngineAnswer, EngineRequest } from '../../../core/engine/engine_request';
import { DEFAULT_OPTIONS } from '../../../core/completion/options';
import { PromptWriter } from '../../../core/completion/prompt_writer';
import { type NativeCompletion, NO_COMPLETION } from '../../../core/engine/native_types';
import { asOneToken } from '../made_up_tokens';

const BEFORE = 'def f():\n    ';
const DOCUMENT = snapshotOfText({
  uri: 'case:a',
  path: 'a.py',
  languageId: 'python',
  text: `${BEFORE}\n\nlast()\n`,
  offset: BEFORE.length,
});

function answer(text: string, stop: NativeCompletion['stop']): EngineAnswer {
  return { ok: true, value: { ...NO_COMPLETION, text, stop, ...asOneToken(text, 0.5) } };
}

/** Says the pieces one after another until it is cancelled. */
class Talker implements GenerationEngine {
  readonly state = 'ready';
  readonly speed = { prefillTokensPerSecond: undefined };
  request: EngineRequest | undefined;
  said = 0;
  private readonly pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.pieces = pieces;
  }

  complete(): Promise<EngineAnswer> {
    throw new Error('A block is no line.');
  }

  generate(
    request: EngineRequest,
    signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer> {
    this.request = request;
    for (const piece of this.pieces) {
      if (signal.aborted) return Promise.resolve(answer('', 'cancelled'));
      this.said++;
      onText(piece);
    }
    return Promise.resolve(answer(this.pieces.join(''), 'end_token'));
  }
}

describe('a block', () => {
  it('is what the model says until it ends', async () => {
    const engine = new Talker(['a = 1', '\n    ', 'return a', '  \n']);
    const made = await completeBlock(engine, DOCUMENT, DEFAULT_OPTIONS, new PromptWriter(engine));
    expect(made).toMatchObject({ text: 'a = 1\n    return a', stop: 'end_token', confidence: 0.5 });
    expect(engine.request).toMatchObject({ maxTokens: 160, requiredPrefix: '\n    ' });
  });

  it('ends where generating at the cursor does', async () => {
    const engine = new Talker(['return 1\n', '\n', 'la', 'st()\n', 'more()\n', 'and more\n']);
    const made = await completeBlock(engine, DOCUMENT, DEFAULT_OPTIONS, new PromptWriter(engine));
    expect(made).toMatchObject({ text: 'return 1', stop: 'cancelled' });
    expect(engine.said).toBe(3);
  });

  it('is none where the engine fails', async () => {
    const engine = new Talker([]);
    const error = { code: 'CANCELLED', message: 'No.' } as never;
    engine.generate = () => Promise.resolve({ ok: false, error });
    await expect(completeBlock(engine, DOCUMENT, DEFAULT_OPTIONS, new PromptWriter(engine))).rejects.toThrow(
      'No.',
    );
  });
});
