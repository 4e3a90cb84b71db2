/** Random typing in random documents, with a model that says anything: whatever is accepted, nothing that stood there is lost. */
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../bench/random';
import { brackets } from '../../core/completion/brackets';
import { type DocumentSnapshot, lineAfter, lineBefore, snapshotOfText } from '../../core/completion/document';
import type { CompletionEngine } from '../../core/completion/engine_port';
import { isCommentLine } from '../../core/completion/languages';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { CompletionPipeline, type CompletionOutcome } from '../../core/completion/pipeline';
import { Suggestions } from '../../core/completion/suggestions';
import { NO_DRAFTS } from '../../core/engine/native_drafting';
import { NO_TIMINGS } from '../../core/engine/native_types';

const STEPS = 10_000;
const LINES = [
  'x = 1',
  'def f(x, name):',
  '    return x',
  '\treturn name',
  'if (a) {',
  '  b();',
  '}',
  '} else {',
  'const x = `${name}`;',
  '',
  '   ',
  "s = 'it\\'s'",
  '    a[0] += g(',
  '        1,',
  '    )',
  '# A comment (with a bracket.',
  '日本語 = "é"',
  '])',
];
/** What the model may say that is no line of a program. */
const ODD = ['\u0000', 'a\rb', '\ud83d', ')))', ' '.repeat(30), 'x'.repeat(500), 'a\n    b\n', '"'];
const KEYS = Array.from('abx =(){}[]"\'.:');
const LANGUAGES = ['python', 'javascript', 'plaintext', 'go'];

class RandomEngine implements CompletionEngine {
  readonly state = 'ready';
  readonly speed = { prefillTokensPerSecond: undefined };
  private readonly random: SeededRandom;

  constructor(random: SeededRandom) {
    this.random = random;
  }

  complete: CompletionEngine['complete'] = () => {
    const { random } = this;
    const line = pick(random, random.below(10) === 0 ? ODD : LINES);
    const text = line.slice(random.below(3) === 0 ? random.below(line.length + 1) : 0);
    const { tokenProbabilities, tokenEnds } = tokensOf(text, random);
    return Promise.resolve({
      ok: true,
      value: {
        text,
        stop: pick(random, ['line_end', 'line_end', 'end_token', 'max_tokens'] as const),
        ids: new Uint32Array(tokenEnds.length),
        confidence: tokenProbabilities.reduce((product, one) => product * one, 1),
        tokenProbabilities,
        tokenEnds,
        endProbability: random.below(3) === 0 ? 0.9 : 0.1,
        grammarEnded: false,
        timings: NO_TIMINGS,
        drafting: NO_DRAFTS,
      },
    });
  };
}

/** Tokens of up to four units. */
function tokensOf(
  text: string,
  random: SeededRandom,
): { tokenProbabilities: Float32Array; tokenEnds: Uint32Array } {
  const ends: number[] = [];
  for (let end = 0; end < text.length;) ends.push((end = Math.min(text.length, end + 1 + random.below(4))));
  const probabilities = ends.map(() => 1 - random.below(1_000) / 4_000);
  return { tokenProbabilities: Float32Array.from(probabilities), tokenEnds: Uint32Array.from(ends) };
}

function pick<T>(random: SeededRandom, choices: readonly T[]): T {
  return choices[random.below(choices.length)] as T;
}

/** Whether the characters of `some` come in `text`, in their order. */
function holds(text: string, some: string): boolean {
  let at = 0;
  for (const character of text) if (character === some[at]) at++;
  return at === some.length;
}

describe('random typing', () => {
  it(`loses nothing in ${STEPS} edits`, async () => {
    const random = new SeededRandom(7);
    const options = { ...DEFAULT_OPTIONS, leastCertainty: 0, multiline: 'always' as const };
    const pipeline = new CompletionPipeline(new RandomEngine(random), () => options);
    const suggestions = new Suggestions(pipeline, () => options);
    const { signal } = new AbortController();
    const counts = { shown: 0, several: 0, next: 0 };
    let text = '';
    let offset = 0;
    let languageId = 'python';
    for (let step = 0; step < STEPS; step++) {
      if (step % 50 === 0) {
        const lines = Array.from({ length: random.below(12) }, () => pick(random, LINES));
        text = lines.join('\n');
        offset = random.below(text.length + 1);
        languageId = pick(random, LANGUAGES);
      }
      const kind = random.below(10);
      if (kind === 0) offset = random.below(text.length + 1);
      // Where a line ends is where lines follow.
      else if (kind === 1) offset = [...text.matchAll(/$/gm)][random.below(8)]?.index ?? offset;
      else if (kind === 2) {
        const until = Math.min(text.length, offset + random.below(6));
        text = text.slice(0, offset) + text.slice(until);
      } else {
        const typed = pick(random, [...KEYS, '\n', '\n    ', pick(random, LINES)]);
        text = text.slice(0, offset) + typed + text.slice(offset);
        offset += typed.length;
      }
      const document = snapshotOfText({ uri: `u${languageId}`, path: 'a', languageId, text, offset });
      const explicit = random.below(4) === 0;
      const outcome = await suggestions.complete({ document, signal, explicit });
      if (!outcome.shown) continue;
      counts.shown++;
      if (outcome.text.includes('\n')) counts.several++;
      if (outcome.text.startsWith('\n')) counts.next++;
      expectSound(outcome, document);
      if (random.below(2) === 0) continue;
      const before = text;
      text = text.slice(0, offset) + outcome.text + text.slice(offset + outcome.replace);
      expect(text.length).toBe(before.length + outcome.text.length - outcome.replace);
      offset += outcome.text.length;
    }
    expect(counts.shown).toBeGreaterThan(STEPS / 10);
    for (const some of [counts.several, counts.next])
      expect(some, JSON.stringify(counts)).toBeGreaterThan(30);
  });
});

function expectSound({ text, replace }: CompletionOutcome, document: DocumentSnapshot): void {
  const left = lineBefore(document);
  const right = lineAfter(document);
  const what = JSON.stringify({ text, replace, left, right });
  expect(text.trim(), what).not.toBe('');
  // eslint-disable-next-line no-control-regex -- finding control characters is the purpose
  expect(text, what).not.toMatch(/[\u0000\r]|\n\s*\n|[\ud800-\udbff]$/);
  if (right.trim() === '') expect(text, what).not.toMatch(/[ \t]$/);
  expect(replace, what).toBeLessThanOrEqual(right.length);
  expect(holds(text, right.slice(0, replace)), what).toBe(true);
  if (!text.includes('\n')) return;
  // What several lines open they close, or it is closed below; and nothing but blanks stands right of the cursor.
  expect(right.trim(), what).toBe('');
  expect(replace, what).toBe(0);
  const [first = '', ...lines] = text.split('\n');
  const cursorLine = left + first;
  let open = isCommentLine(document.languageId, cursorLine) ? '' : openBehind(cursorLine);
  for (const line of lines) {
    if (isCommentLine(document.languageId, line)) continue;
    const found = brackets(line, open);
    expect(found.closer, what).toBeUndefined();
    open = found.missing;
  }
}

/** What a line leaves open, which may close what lines above it opened. */
function openBehind(line: string): string {
  const { closer, missing } = brackets(line);
  return closer === undefined ? missing : openBehind(line.slice(closer + 1));
}
