import { describe, expect, it } from 'vitest';
import { CUTTERS, CutPrompts, type OtherPrompt } from '../../../../bench/typing/other_prompts';
import { snapshotOfText } from '../../../../core/completion/document';
import { DEFAULT_OPTIONS } from '../../../../core/completion/options';
import type { Written } from '../../../../core/completion/prompt_writer';
import { estimateTokens } from '../../../../core/completion/token_estimate';

const FIM = { layout: 'suffix_prefix_contiguous', suffix: 8, prefix: 9 };
const ENGINE = {
  state: 'ready',
  speed: { prefillTokensPerSecond: undefined },
  fim: FIM,
  complete: () => Promise.reject(new Error('Not asked.')),
} as const;

function written(prompt: OtherPrompt, before: string, after: string, promptTokens = 400): Written {
  const document = snapshotOfText({
    uri: 'a',
    path: 'a.py',
    languageId: 'python',
    text: before + after,
    offset: before.length,
  });
  const options = { ...DEFAULT_OPTIONS, promptTokens };
  return new CutPrompts(ENGINE, CUTTERS[prompt]).write({ document, options });
}

const line = (at: number): string => `v${at} = a\n`;
const lines = (from: number, count: number): string =>
  Array.from({ length: count }, (_, at) => line(from + at)).join('');

describe('prompts of others', () => {
  it('are 2,000 characters before the cursor, of which the last word is healed', () => {
    const before = `${'x = y\n'.repeat(1_000)}    return`;
    const { request } = written('prefix', before, '\nbehind\n');
    const { requiredPrefix = '' } = request;
    expect(requiredPrefix).toBe('\n    return');
    expect(request.prompt).toEqual([9, before.slice(-2_000, -requiredPrefix.length)]);
    expect(request.remembered).toBe(0);
  });

  it('are all there is of a short file, without its name', () => {
    expect(written('prefix', 'x = ', '\nbehind\n').request.prompt).toEqual([9, 'x =']);
    expect(written('llama-vscode', 'x = ', '\nbehind\n').request.prompt).toEqual([8, 'behind\n', 9, 'x =']);
    expect(written('copilot', 'x = ', '\nbehind\n').request.prompt).toEqual([
      8,
      'behind\n',
      9,
      '# a.py\nx =',
    ]);
  });

  it('are 256 lines before the cursor and 64 behind for llama.vscode', () => {
    const blank = '\n'.repeat(300);
    const { request } = written('llama-vscode', `first\n${blank}x =`, `\n${'b\n'.repeat(100)}`);
    // 256 of the lines above, and what of the cursor's is not healed.
    expect(request.prompt).toEqual([8, 'b\n'.repeat(64).slice(0, -1), 9, '\n'.repeat(256) + 'x']);
  });

  it('are no more than infill takes of a batch', () => {
    const { request } = written(
      'llama-vscode',
      `${lines(0, 400)}x = `,
      `\n${'behind(1234567890)\n'.repeat(64)}`,
    );
    const [, suffix = '', , prefix = ''] = request.prompt as string[];
    expect(estimateTokens(suffix)).toBeLessThanOrEqual(256);
    expect(estimateTokens(suffix)).toBeGreaterThan(250);
    expect(estimateTokens(prefix)).toBeLessThanOrEqual(768 + estimateTokens('x ='));
    expect(estimateTokens(prefix)).toBeGreaterThan(760);
  });

  it('have 35 % and 15 % of the tokens for Copilot, whole lines behind the path', () => {
    const { request } = written('copilot', `${lines(0, 400)}x = `, `\n${lines(0, 200)}`);
    const [, suffix = '', , prefix = ''] = request.prompt as string[];
    expect(estimateTokens(suffix)).toBeLessThanOrEqual(60);
    expect(estimateTokens(suffix)).toBeGreaterThan(55);
    expect(estimateTokens(prefix)).toBeLessThanOrEqual(140);
    expect(estimateTokens(prefix)).toBeGreaterThan(130);
    expect(prefix).toMatch(/^# a\.py\nv\d{3} = a\n/);
    expect(prefix.endsWith('v399 = a\nx =')).toBe(true);
  });

  it('cut no character in two', () => {
    const { request } = written('prefix', '🙂'.repeat(1_200) + ' = x', '');
    expect((request.prompt as string[])[1]).toMatch(/^🙂/u);
  });
});
