import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { jsonLines } from '../../../bench/json_lines';
import { readingPiecesAsText } from '../../../bench/pieces_as_text';
import { type QualityOptions, runQuality } from '../../../bench/quality';
import { readDetails } from '../../../bench/quality_details';
import type { GenerationEngine } from '../../../core/completion/engine_port';
import type { EngineAnswer, EngineRequest } from '../../../core/engine/engine_request';
import { NO_COMPLETION, NO_TIMINGS } from '../../../core/engine/native_types';
import { asOneToken } from '../made_up_tokens';
import { temporaryFolder } from '../../temporary_folder';

const SNIPPETS = [{ path: 'b.py', text: 'other()\n' }];
const CASES = [
  { id: 'a', path: 'a.py', prefix: 'x = ', suffix: '\nbehind()\n', expected: 'right', snippets: SNIPPETS },
  { id: 'b', path: 'a.ts', prefix: 'x();\n', suffix: '', expected: 'right' },
  { id: 'c', path: 'a.py', prefix: 'def f():\n    ', suffix: '\n\nf()\n', expected: 'right\n    also' },
];

function answer(text: string): EngineAnswer {
  const ids = Uint32Array.of(1);
  const timings = { ...NO_TIMINGS, generatedTokens: 1 };
  const value = {
    ...NO_COMPLETION,
    text,
    stop: 'end_token',
    ids,
    ...asOneToken(text, 0.9),
    timings,
  } as const;
  return { ok: true, value };
}

/** Is right greedily alone; remembers what it was asked. */
class FakeEngine implements GenerationEngine {
  readonly state = 'ready';
  readonly speed = { prefillTokensPerSecond: undefined };
  readonly fim = { layout: 'suffix_prefix_contiguous', suffix: 8, prefix: 9, separator: 5 };
  readonly asked: string[] = [];
  readonly prompts: EngineRequest['prompt'][] = [];

  complete(request: EngineRequest): Promise<EngineAnswer> {
    this.asked.push(`line ${String(request.sampling?.temperature)}`);
    this.prompts.push(request.prompt);
    return Promise.resolve(answer(request.sampling?.temperature === 0 ? 'right' : 'wrong'));
  }

  generate(
    request: EngineRequest,
    _signal: AbortSignal,
    onText: (piece: string) => void,
  ): Promise<EngineAnswer> {
    this.asked.push(`block ${String(request.sampling?.temperature)}`);
    this.prompts.push(request.prompt);
    onText('right\n    also');
    return Promise.resolve(answer('right\n    also'));
  }
}

describe('the quality suite', () => {
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    await writeFile(join(folder, 'cases.jsonl'), jsonLines(CASES));
  });

  async function run(
    options: Pick<QualityOptions, 'ways' | 'suffix' | 'snippets' | 'alternatives'>,
  ): Promise<{ engine: FakeEngine; figures: Map<string, number>; details: readonly object[] }> {
    const engine = new FakeEngine();
    const cases = join(folder, 'cases.jsonl');
    const { rows, details } = await runQuality(engine, { cases, promptTokens: 100, ...options });
    return { engine, figures: new Map(rows.map(({ name, ours }) => [name, ours])), details };
  }

  it('makes lines in both ways, one after the other, and blocks greedily', async () => {
    const { engine, figures, details: made } = await run({ ways: ['drawn', 'greedy'] });
    // Where a block begins, what an editor shows unasked is drawn as well: its first line, and the one behind that.
    const suggested = ['line 0.2', 'line 0.2'];
    expect(engine.asked).toEqual(['line 0.2', 'line 0', 'line 0.2', 'line 0', 'block 0', ...suggested]);
    expect(figures.get('quality/py-mid-exact')).toBe(0);
    expect(figures.get('quality/greedy-py-mid-exact')).toBe(100);
    expect(figures.get('quality/greedy-js-start-exact')).toBe(100);
    expect(figures.get('quality/py-block-whole')).toBe(100);
    const file = join(folder, 'details.jsonl');
    await writeFile(file, jsonLines(made));
    const details = await readDetails(file);
    expect(details.map(({ id, place, temperature }) => `${id} ${place} ${temperature}`)).toEqual([
      'a mid 0.2',
      'b start 0.2',
      'a mid 0',
      'b start 0',
      'c block 0',
      'c block 0.2',
    ]);
  });

  it('makes them in one way where that is asked for', async () => {
    const { engine, figures } = await run({ ways: ['greedy'] });
    expect(engine.asked).toEqual(['line 0', 'line 0', 'block 0']);
    expect(figures.has('quality/py-mid-exact')).toBe(false);
    const drawn = await run({ ways: ['drawn'] });
    expect(drawn.engine.asked).not.toContain('block 0');
    expect(drawn.figures.has('quality/py-block-whole')).toBe(false);
  });

  it('compares what forks off the first suggestion with what as many tokens draw', async () => {
    const { engine, figures, details } = await run({ ways: ['drawn'], alternatives: true });
    expect(figures.get('quality/forked-exact-among-1')).toBe(0);
    expect(figures.get('quality/forked-exact-among-2')).toBe(100);
    expect(figures.get('quality/forked-offered')).toBe(2);
    // All draws say the same.
    expect(figures.get('quality/drawn-exact-among-3')).toBe(0);
    expect(figures.get('quality/drawn-offered')).toBe(1);
    expect(figures.get('quality/drawn-tokens')).toBe(figures.get('quality/forked-tokens'));
    const counts = ['line 0', 'line 0.8'].map((way) => engine.asked.filter((one) => one === way).length);
    expect(counts[0]).toBe(counts[1]);
    expect(figures.has('quality/py-mid-exact')).toBe(false);
    expect(details).toHaveLength(2);
  });

  it('gives a model what it reads beside the text before the cursor', async () => {
    const { engine } = await run({ ways: ['greedy'] });
    expect(engine.prompts).toEqual([
      [8, 'behind()\n', 5, '# b.py\nother()\n', 9, '# a.py\nx ='],
      [9, '// a.ts\nx();'],
      [8, '\nf()\n', 9, '# a.py\ndef f():'],
    ]);
  });

  it('gives pieces as text to one that does not fill in the middle, where that is asked for', async () => {
    const engine = new FakeEngine();
    const cases = join(folder, 'cases.jsonl');
    await runQuality(readingPiecesAsText(engine), {
      cases,
      promptTokens: 100,
      ways: ['greedy'],
      suffix: false,
    });
    expect(engine.prompts.map((prompt) => (typeof prompt === 'string' ? prompt : prompt.join('|')))).toEqual([
      '# b.py\nother()\n# a.py\nx =',
      '// a.ts\nx();',
      '# a.py\ndef f():',
    ]);
  });

  it('keeps from it what is turned off, and still fits the text to what follows', async () => {
    const { engine, figures } = await run({ ways: ['greedy'], suffix: false, snippets: false });
    expect(engine.prompts).toEqual([
      [9, '# a.py\nx ='],
      [9, '// a.ts\nx();'],
      [9, '# a.py\ndef f():'],
    ]);
    expect(figures.get('quality/py-block-whole')).toBe(100);
  });
});
