/** How long a prompt may get, and what stands right of the cursor, for models that read it and others. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { promptText } from '../../core/completion/prompt';
import { estimateTokens } from '../../core/completion/token_estimate';
import { type Bench, bench } from './made_up_engine';

describe('the completion pipeline', () => {
  it('keeps the prompt front while typing in a long file', async () => {
    const { engine, at } = bench({ ...DEFAULT_OPTIONS, promptTokens: 200 });
    engine.says = '!';
    let text = Array.from({ length: 300 }, (_, index) => `value_${index} = compute(${index})\n`).join('');
    const fronts = new Set<string>();
    for (const character of 'result = combine(value_1, value_2)') {
      text += character;
      await at(`${text}|`);
      const prompt = promptText(engine.requests.at(-1)?.prompt ?? '');
      expect(estimateTokens(prompt)).toBeLessThanOrEqual(201);
      fronts.add(prompt.slice(0, 100));
    }
    expect(fronts.size).toBe(1);
  });

  it('shortens a prompt that overflows the context', async () => {
    const { engine, at } = bench({ ...DEFAULT_OPTIONS, promptTokens: 1_000 });
    engine.longest = 500;
    const outcome = await at(`${'word '.repeat(2_000)}\nreturn |`);
    expect(outcome.shown).toBe(true);
    expect(engine.requests.length).toBeGreaterThan(1);
    engine.longest = 0;
    expect(await at('x = |')).toMatchObject({ reason: 'engine_error', stop: 'failed' });
  });

  it('leaves room in the context for the completion', async () => {
    const text = `${'word word word\n'.repeat(2_000)}return |`;
    const promptIn = async (context: number | undefined, promptTokens = 4_000): Promise<number> => {
      const { engine, at } = bench({ ...DEFAULT_OPTIONS, promptTokens });
      engine.context = context;
      await at(text);
      return estimateTokens(promptText(engine.requests[0]?.prompt ?? ''));
    };
    expect(await promptIn(undefined)).toBeGreaterThan(2_048);
    expect(await promptIn(2_048)).toBeLessThan(2_048 - DEFAULT_OPTIONS.maxTokens);
    expect(await promptIn(2_048)).toBeGreaterThan(1_024);
    expect(await promptIn(64)).toBeLessThan(64);
    expect(await promptIn(100_000, 300)).toBe(await promptIn(undefined, 300));
  });

  it('keeps the prompt front where the full prompt overflows each time', async () => {
    const { engine, at } = bench({ ...DEFAULT_OPTIONS, promptTokens: 800 });
    engine.longest = 1_000;
    engine.says = '!';
    let text = Array.from({ length: 300 }, (_, index) => `value_${index} = compute(${index})\n`).join('');
    const fronts = new Set<string>();
    for (const character of 'result = combine(value_1, value_2)') {
      text += character;
      await at(`${text}|`);
      const answered = promptText(engine.requests.at(-1)?.prompt ?? '');
      expect(answered.length).toBeLessThanOrEqual(engine.longest);
      fronts.add(answered.slice(0, 60));
    }
    expect(engine.requests.length).toBeGreaterThan(text.length - text.lastIndexOf('\n'));
    expect(fronts.size).toBe(1);
  });
});

describe('a model that does not read what stands right of the cursor', () => {
  it('is asked in front of a word, and believed where it says that word as well', async () => {
    const { engine, at } = bench();
    engine.says = 'not ready';
    expect(await at('return |ready\n')).toMatchObject({ reason: 'shown', text: 'not ', replace: 0 });
    expect(await at('return n|ready\n')).toMatchObject({ reason: 'shown', text: 'ot ', source: 'cache' });
    expect(await at('return re|ady\n')).toMatchObject({ reason: 'inside_word', source: 'none' });
    engine.says = 'x * 2';
    expect(await at('y = |x\n')).toMatchObject({ reason: 'shown', text: 'x * 2', replace: 1 });
    engine.says = 'a + b';
    expect(await at('z = |x\n')).toMatchObject({ reason: 'does_not_fit' });
  });
});

describe('a model that reads what stands right of the cursor', () => {
  const reading = (): Bench => {
    const made = bench();
    made.engine.fim = { layout: 'prefix_suffix_middle', prefix: 1, suffix: 2, middle: 3 };
    made.engine.stop = 'end_token';
    return made;
  };

  it('is asked in front of a word, and fills what is between', async () => {
    const { engine, at } = reading();
    engine.says = 'not ';
    expect(await at('return |ready\n')).toMatchObject({ reason: 'shown', text: 'not ', replace: 0 });
    expect(engine.requests[0]?.prompt).toEqual([1, '# src/add.py\nreturn', 2, 'ready\n', 3]);
    // Typing along shows the rest of it.
    expect(await at('return no|ready\n')).toMatchObject({ reason: 'shown', text: 't ', source: 'cache' });
    engine.says = 'a, ';
    expect(await at('foo(|b)\n')).toMatchObject({ reason: 'shown', text: 'a, ' });
    expect(await at('foo(a,|b)\n')).toMatchObject({ reason: 'line_complete', source: 'none' });
  });

  it('is not asked within a word, nor believed where it goes on', async () => {
    const { engine, at } = reading();
    expect(await at('return rea|dy\n')).toMatchObject({ reason: 'inside_word' });
    engine.stop = 'line_end';
    expect(await at('return |ready\n')).toMatchObject({ reason: 'does_not_fit', shown: false });
    engine.stop = 'end_token';
    engine.says = 'max(a';
    expect(await at('x = |, b)\n')).toMatchObject({ reason: 'does_not_fit' });
  });
});
