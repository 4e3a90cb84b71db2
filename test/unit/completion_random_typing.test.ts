/**
 * Random typing in random documents, with a model that says anything: whatever is accepted, all of it, a word or a line, typed along, or taken
 * back, nothing that stood there is lost, and what is undone is as it was.
 *
 * Every document follows from a seed of its own, which a failure names; `EMBERLINE_TYPING_SEED=N` types in that one alone.
 */
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../bench/random';
import { brackets } from '../../core/completion/brackets';
import { type DocumentSnapshot, lineAfter, lineBefore, snapshotOfText } from '../../core/completion/document';
import type { CompletionEngine } from '../../core/completion/engine_port';
import { isCommentLine } from '../../core/completion/languages';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import type { CompletionOutcome } from '../../core/completion/outcome';
import { CompletionPipeline, type SuggestionRequest } from '../../core/completion/pipeline';
import { Suggestions } from '../../core/completion/suggestions';
import { TakenBack } from '../../core/completion/taken_back';
import { NO_COMPLETION } from '../../core/engine/native_types';
import { holds } from './random_documents';

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
  '{ return 1; }',
  'f(() => { return 1; });',
  '<div class="a">',
  '</div>',
  "let a: &'static str = f(&'a x);",
  '\t * Adds.',
  '#endif',
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
        ...NO_COMPLETION,
        text,
        stop: pick(random, ['line_end', 'line_end', 'end_token', 'max_tokens'] as const),
        ids: new Uint32Array(tokenEnds.length),
        confidence: tokenProbabilities.reduce((product, one) => product * one, 1),
        tokenProbabilities,
        tokenEnds,
        idProbabilities: tokenProbabilities,
        endProbability: random.below(3) === 0 ? 0.9 : 0.1,
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

/** Edits in one document. */
const EDITS_OF_DOCUMENT = 50;
const FIRST_SEED = 7_000;

/** How a suggestion ends up in the document: as Tab, Ctrl+Right and its sister for lines put it there, or key by key. */
const WAYS = ['all', 'word', 'line', 'typed'] as const;
type Way = (typeof WAYS)[number];

/** What is typed in, and where. */
interface State {
  readonly text: string;
  readonly offset: number;
}

/** What an edit took out behind the cursor and put there instead: as much as an editor keeps of it. */
interface Edit {
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
}

/** How much of a suggestion goes into the document at once, UTF-16 units: of a word or line, the blanks before it too. */
function partOf(text: string, way: Way): number {
  if (way === 'word')
    return /^\s*(?:[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]+)/u.exec(text)?.[0].length ?? text.length;
  if (way === 'line') return /^\n?[^\n]*/.exec(text)?.[0].length ?? text.length;
  return way === 'typed' ? ((text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1) : text.length;
}

interface Counts {
  shown: number;
  several: number;
  next: number;
  undone: number;
  readonly accepted: Record<Way, number>;
}

class Typist {
  private readonly random: SeededRandom;
  private readonly suggestions: Suggestions;
  private readonly uri: string;
  private readonly languageId: string;
  private readonly counts: Counts;
  private readonly takenBack = new TakenBack();
  private readonly done: Edit[] = [];
  private state: State;

  constructor(seed: number, counts: Counts) {
    this.random = new SeededRandom(seed);
    const { random } = this;
    const options = { ...DEFAULT_OPTIONS, leastCertainty: 0, multiline: 'always' as const };
    const pipeline = new CompletionPipeline(new RandomEngine(random), () => options);
    this.suggestions = new Suggestions(pipeline, () => options);
    this.uri = `u${seed}`;
    this.languageId = pick(random, LANGUAGES);
    this.counts = counts;
    const text = Array.from({ length: random.below(12) }, () => pick(random, LINES)).join('\n');
    this.state = { text, offset: random.below(text.length + 1) };
  }

  async edit(): Promise<void> {
    this.type();
    const outcome = await this.ask(this.random.below(4) === 0);
    if (outcome === undefined || this.random.below(2) === 0) return;
    await this.accept(outcome, pick(this.random, WAYS));
  }

  /** Puts `inserted` in place of as many units behind the cursor, and the cursor behind it. */
  private replace(inserted: string, removed = 0): void {
    const { text, offset } = this.state;
    this.done.push({ offset, removed: text.slice(offset, offset + removed), inserted });
    this.state = {
      text: text.slice(0, offset) + inserted + text.slice(offset + removed),
      offset: offset + inserted.length,
    };
    this.takenBack.changed(this.uri, { offset, length: removed, text: inserted });
  }

  private undo(): void {
    const edit = this.done.pop();
    if (edit === undefined) return;
    const { offset, removed, inserted } = edit;
    const { text } = this.state;
    this.state = { text: text.slice(0, offset) + removed + text.slice(offset + inserted.length), offset };
    this.takenBack.changed(this.uri, { offset, length: inserted.length, text: removed });
  }

  private type(): void {
    const { random } = this;
    const { text, offset } = this.state;
    const kind = random.below(11);
    if (kind === 0) this.state = { text, offset: random.below(text.length + 1) };
    // Where a line ends is where lines follow.
    else if (kind === 1) {
      const ends = [...text.matchAll(/$/gm)];
      this.state = { text, offset: ends[random.below(8)]?.index ?? offset };
    } else if (kind === 2) this.replace('', Math.min(random.below(6), text.length - offset));
    else if (kind === 3) this.undo();
    else this.replace(pick(random, [...KEYS, '\n', '\n    ', pick(random, LINES)]));
  }

  /** What is shown at the cursor. */
  private async ask(explicit: boolean): Promise<CompletionOutcome | undefined> {
    const { uri, languageId } = this;
    const document = snapshotOfText({ uri, path: 'a', languageId, ...this.state });
    const { signal } = new AbortController();
    if (!explicit && this.random.below(2) === 0) this.suggestions.foresee({ document });
    const outcome = await (explicit
      ? this.suggestions.complete({ document, signal, explicit })
      : this.wholeOf({ document, signal }));
    if (!outcome.shown) return undefined;
    this.counts.shown++;
    if (outcome.text.includes('\n')) this.counts.several++;
    if (outcome.text.startsWith('\n')) this.counts.next++;
    expectSound(outcome, document);
    return outcome;
  }

  /** As an editor asks: what begins, then the lines behind it. */
  private async wholeOf(request: SuggestionRequest): Promise<CompletionOutcome> {
    const first = await this.suggestions.begin(request);
    return first.goesOn === true ? this.suggestions.complete(request) : first;
  }

  private async accept({ text, replace }: CompletionOutcome, way: Way): Promise<void> {
    const { state: before } = this;
    const length = partOf(text, way);
    // What stands right of the cursor gives way with the last of the text, as the editor has it.
    const removed = length === text.length ? replace : 0;
    const { uri } = this;
    const place = { uri, before: before.text.slice(0, before.offset), offset: before.offset };
    this.takenBack.offered({ ...place, text });
    this.replace(text.slice(0, length), removed);
    this.counts.accepted[way]++;
    const { state: after } = this;
    expect(after.text.length).toBe(before.text.length + length - removed);
    expect(after.text.startsWith(before.text.slice(0, before.offset))).toBe(true);
    expect(after.text.endsWith(before.text.slice(before.offset + removed))).toBe(true);
    if (length < text.length) await this.ask(false);
    if (this.random.below(3) > 0) return;
    this.undo();
    this.counts.undone++;
    expect(this.state).toEqual(before);
    // What is one unit, blank, a line break with a mark or a pair of brackets may have been typed; what a suggestion replaced comes back with the undo.
    const isTyped = /^(?:.|\s+|\n[ \t]*(?:\*|\/\/\/?|#|-)[ \t]*|\(\)|\[\]|\{\}|<>|""|''|``)$/su.test(
      text.slice(0, length),
    );
    if (!isTyped && removed === 0) expect(this.takenBack.has(uri, place.before, text)).toBe(true);
    await this.ask(false);
  }
}

describe('random typing', () => {
  it(`loses nothing in ${STEPS} edits, and undoes exactly`, async () => {
    const counts: Counts = {
      shown: 0,
      several: 0,
      next: 0,
      undone: 0,
      accepted: { all: 0, word: 0, line: 0, typed: 0 },
    };
    const one = process.env['EMBERLINE_TYPING_SEED'];
    const documents = one === undefined ? STEPS / EDITS_OF_DOCUMENT : 1;
    const first = one === undefined ? FIRST_SEED : Number(one);
    for (let seed = first; seed < first + documents; seed++) {
      const typist = new Typist(seed, counts);
      for (let edit = 0; edit < EDITS_OF_DOCUMENT; edit++) {
        await typist.edit().catch((error: unknown) => {
          throw new Error(`Seed ${seed}, edit ${edit}.`, { cause: error });
        });
      }
    }
    if (one !== undefined) return;
    expect(counts.shown).toBeGreaterThan(STEPS / 10);
    const { several, next, undone, accepted } = counts;
    for (const some of [several, next, undone, ...Object.values(accepted)])
      expect(some, JSON.stringify(counts)).toBeGreaterThan(30);
  });
});

function expectSound({ text, replace }: CompletionOutcome, document: DocumentSnapshot): void {
  const left = lineBefore(document);
  const right = lineAfter(document);
  const what = JSON.stringify({ text, replace, left, right });
  expect(text.trim(), what).not.toBe('');
  // oxlint-disable-next-line no-control-regex -- finding control characters is the purpose
  expect(text, what).not.toMatch(/[\u0000\r]|\n\s*\n|[\ud800-\udbff]$/);
  if (right.trim() === '') expect(text, what).not.toMatch(/[ \t]$/);
  expect(replace, what).toBeLessThanOrEqual(right.length);
  expect(holds(text, right.slice(0, replace)), what).toBe(true);
  // The mark of a statement or an item that stands there, and nothing but closers behind it.
  const mark = /^([;,:])[\s)\]}>"'`;,:]*$/.exec(right.slice(replace).trimEnd())?.[1];
  if (mark !== undefined) expect(text.trimEnd().endsWith(mark), what).toBe(false);
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
