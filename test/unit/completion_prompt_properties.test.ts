/** What holds of every prompt, whatever the document: nothing in front of the cursor is lost or said twice. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_AFTER, MAX_BEFORE } from '../../core/completion/document';
import { heal, MAX_HEALED } from '../../core/completion/healing';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { selectWindow } from '../../core/completion/prompt';
import { PromptWriter } from '../../core/completion/prompt_writer';
import { selectSuffix } from '../../core/completion/suffix';
import { estimateTokens } from '../../core/completion/token_estimate';
import { type NativeFim, type NativePrompt, NO_COMPLETION } from '../../core/engine/native_types';
import { asOneToken } from './made_up_tokens';
import { codeText, cursor, isWholeText, RUNS, snapshotAt } from './random_documents';

const SUFFIX = 8;
const PREFIX = 9;
const MIDDLE = 10;
const MARKS = { suffix: SUFFIX, prefix: PREFIX, middle: MIDDLE, separator: 5 };
const LAYOUTS: readonly (NativeFim | undefined)[] = [
  undefined,
  ...['suffix_prefix_contiguous', 'suffix_prefix', 'suffix_prefix_middle', 'prefix_suffix_middle'].map(
    (layout) => ({ layout, ...MARKS }),
  ),
];

/** The text behind a mark. */
function behind(prompt: NativePrompt, mark: number): string | undefined {
  if (typeof prompt === 'string') return undefined;
  const text = prompt[prompt.indexOf(mark) + 1];
  return prompt.includes(mark) && typeof text === 'string' ? text : undefined;
}

describe('every prompt', () => {
  it('is, with the healed tail, the text before the cursor', () => {
    fc.assert(
      fc.property(codeText(), (before) => {
        const { prompt, requiredPrefix } = heal(before);
        expect(prompt + requiredPrefix).toBe(before);
        expect(requiredPrefix.length).toBeLessThanOrEqual(MAX_HEALED);
        expect(isWholeText(prompt, before) && isWholeText(requiredPrefix, before)).toBe(true);
      }),
      RUNS,
    );
  });

  it('has a window that ends at the cursor, costs no more than it may, and cuts no character', () => {
    const budget = fc.double({ min: 1, max: 300, noNaN: true });
    fc.assert(
      fc.property(codeText(), codeText(4), budget, budget, (text, typed, first, then) => {
        const before = selectWindow(text, first);
        const now = text + typed;
        const { start } = selectWindow(now, then, before.memory);
        expect(start).toBeGreaterThanOrEqual(0);
        expect(start).toBeLessThanOrEqual(now.length);
        expect(estimateTokens(now, start)).toBeLessThanOrEqual(then);
        expect(isWholeText(now.slice(start), now)).toBe(true);
      }),
      RUNS,
    );
  });

  it('has a suffix of whole lines that stand below the cursor, as they stand there', () => {
    const budget = fc.double({ min: 1, max: 200, noNaN: true });
    const start = fc.constantFrom('cursor' as const, 'next_line' as const);
    fc.assert(
      fc.property(codeText(), codeText(4), budget, start, (after, typed, tokens, from) => {
        const first = selectSuffix(after, tokens, undefined, from);
        const now = typed + after;
        for (const [suffix, below] of [
          [first, after],
          [selectSuffix(now, tokens, first, from), now],
        ] as const) {
          const at = below.lastIndexOf(suffix.text);
          expect(at).toBeGreaterThanOrEqual(0);
          expect(suffix.text === '' || suffix.text.trim() !== '').toBe(true);
          if (suffix.whole && suffix.text !== '') expect(below.endsWith(suffix.text)).toBe(true);
          const ends = at + suffix.text.length;
          if (suffix.text !== '') expect(ends === below.length || below[ends - 1] === '\n').toBe(true);
        }
      }),
      RUNS,
    );
  });

  it('of every layout says what stands before the cursor once and as it is, key by key', () => {
    const keys = fc.array(codeText(2), { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.constantFrom(...LAYOUTS),
        cursor(40),
        keys,
        fc.integer({ min: 40, max: 400 }),
        (fim, at, typed, promptTokens) => {
          const writer = new PromptWriter({
            speed: { prefillTokensPerSecond: undefined },
            context: undefined,
            fim,
            parameters: 135e6,
          });
          const options = { ...DEFAULT_OPTIONS, promptTokens };
          let { before } = at;
          for (const key of ['', ...typed]) {
            before += key;
            const document = snapshotAt({ before, after: at.after });
            const written = writer.write({ document, options });
            const { prompt, requiredPrefix } = written.request;
            const start = written.cut.window.start;
            const window = document.before.slice(start);
            const own = behind(prompt, PREFIX) ?? (typeof prompt === 'string' ? prompt : prompt.at(-1));
            expect(`${own ?? ''}${requiredPrefix}`.endsWith(window)).toBe(true);
            const suffix = behind(prompt, SUFFIX) ?? '';
            expect(document.after).toContain(suffix);
            writer.learn(document.uri, written, {
              ...NO_COMPLETION,
              stop: 'line_end',
              ...asOneToken('', 1),
            });
          }
        },
      ),
      RUNS,
    );
  });

  it('is made of a snapshot that has the text around the cursor, line breaks aside', () => {
    const lineBreak = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(cursor(), lineBreak, (at, as) => {
        const plain = (text: string): string => text.replace(/\r\n?/g, '\n');
        const written = (text: string): string => plain(text).replaceAll('\n', as);
        // One of two units is not cut in two.
        const { before, after } = snapshotAt({ before: written(at.before), after: written(at.after) });
        expect(before).toBe(plain(at.before).slice(-MAX_BEFORE));
        expect(after).toBe(plain(at.after).slice(0, MAX_AFTER));
      }),
      RUNS,
    );
  });
});
