/** How sure one may be of another model: what is learnt from lines that were typed, and which lines say something. */
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../bench/random';
import { OneEngine } from '../../core/completion/asking';
import { Calibration, type CalibrationCounts, tempered } from '../../core/completion/calibration';
import { certaintyOf, LEAST_CERTAINTY, leastConfidence } from '../../core/completion/certainty';
import { type CompletionOptions, DEFAULT_OPTIONS } from '../../core/completion/options';
import { type CompletionOutcome, nothing } from '../../core/completion/outcome';
import { CompletionPipeline } from '../../core/completion/pipeline';
import { PromptWriter } from '../../core/completion/prompt_writer';
import { Suggestions } from '../../core/completion/suggestions';
import { NO_ANSWER } from '../../core/completion/fork_order';
import { TypedLines } from '../../core/completion/typed_lines';
import { documentAt, FakeEngine } from './made_up_engine';

/** What is learnt of a model whose certainty is off by a temperature. */
function learnt(temperature: number, lines: number): Calibration {
  const random = new SeededRandom(7);
  const calibration = new Calibration();
  for (let line = 0; line < lines; line++) {
    const certainty = 1 / (1 + Math.exp(4 - 6 * random.next()));
    calibration.add(certainty, random.next() < tempered(certainty, temperature));
  }
  return calibration;
}

describe('the temperature of a model', () => {
  it('is found in a thousand lines, six standard errors of which are a factor of 1.5', () => {
    expect(learnt(2, 1_000).temperature).toBeGreaterThan(1.2);
    expect(learnt(0.5, 1_000).temperature).toBeLessThan(0.8);
    const known = learnt(1, 1_000).temperature;
    expect(known).toBeGreaterThan(0.7);
    expect(known).toBeLessThan(1.42);
  });

  it('moves little for a few lines, and never far', () => {
    expect(new Calibration().temperature).toBe(1);
    const surprised = new Calibration();
    surprised.add(0.8, false);
    expect(surprised.temperature).toBeGreaterThan(1);
    expect(surprised.temperature).toBeLessThan(1.15);
    for (let line = 0; line < 2_000; line++) surprised.add(0.8, false);
    expect(surprised.temperature).toBeCloseTo(1.5, 6);
    // Who wants it quiet sees what is surest all the same.
    const surest = certaintyOf({ probability: 1, startsLine: false });
    expect(tempered(surest, surprised.temperature)).toBeGreaterThan(LEAST_CERTAINTY.quiet);
  });

  it('follows a model that changes: of what is long past half is forgotten, and half again', () => {
    const calibration = learnt(2, 1_000);
    const then = calibration.temperature;
    const lines = (): number => calibration.counts.lines.reduce((sum, count) => sum + count, 0);
    for (let line = 0; line < 3_000; line++) {
      calibration.add(0.8, line % 20 !== 0);
      expect(lines()).toBeLessThanOrEqual(1_000);
    }
    expect(calibration.temperature).toBeLessThan(then);
  });

  it('is what its counts say, which are told with each line', () => {
    const told: CalibrationCounts[] = [];
    const calibration = new Calibration(undefined, (counts) => told.push(counts));
    for (const right of [true, false, false]) calibration.add(0.7, right);
    expect(told).toHaveLength(3);
    expect(new Calibration(told[2]).temperature).toBe(calibration.temperature);
    expect(calibration.temperature).toBeGreaterThan(1);
  });

  it('leaves what is as likely right as wrong, and the order', () => {
    const certainties = [0, 0.1, 0.5, 0.8, 1];
    for (const temperature of [0.5, 1, 2]) {
      const now = certainties.map((one) => tempered(one, temperature));
      expect(now).toEqual(now.toSorted((a, b) => a - b));
      expect(now[2]).toBe(0.5);
      expect([now[0], now[4]]).toEqual([0, 1]);
    }
    expect(tempered(0.8, 2)).toBeLessThan(0.8);
    expect(tempered(0.1, 2)).toBeGreaterThan(0.1);
  });

  it('has the model go on as far as is sure enough with it', () => {
    for (const temperature of [0.5, 1, 2]) {
      const confidence = leastConfidence(0.2, false, temperature);
      const certainty = certaintyOf({ probability: confidence, startsLine: false });
      expect(tempered(certainty, temperature)).toBeLessThan(0.2);
    }
    expect(leastConfidence(0.2, false, 2)).toBeLessThan(leastConfidence(0.2, false));
  });
});

describe('a line that was made', () => {
  /** How a line that the model made at `|` is judged, once the document is each of these. */
  function verdicts(at: string, text: string, ...then: readonly string[]): boolean[] {
    const told: boolean[] = [];
    const lines = new TypedLines();
    lines.made(documentAt(at), made(text, tellingOf(told)));
    for (const one of then) lines.seen(documentAt(one));
    return told;
  }

  function tellingOf(told: boolean[]): Calibration {
    const calibration = new Calibration();
    calibration.add = (_, right) => void told.push(right);
    return calibration;
  }

  function made(text: string, calibration?: Calibration): CompletionOutcome {
    const about = { confidence: 1, followsSchema: false, endProbability: 0, readsLine: false };
    const generation = { ...NO_ANSWER, ...about, text, stop: 'line_end', calibration } as const;
    return { ...nothing('low_confidence'), text, line: { text, certainty: 0.7 }, generation };
  }

  it('is right where it stands there and the cursor has left it, however that came', () => {
    expect(verdicts('x = |', 'a + b', 'x = a + b\n|')).toEqual([true]);
    expect(verdicts('x = |', 'a + b', 'x = a|', 'x = a + b|', 'x = a + b\n    |')).toEqual([true]);
    expect(verdicts('top\nx = |\n\ny', 'a + b', '|top\nx = a + b\n\ny')).toEqual([true]);
    expect(verdicts('x = |', 'f(a)', 'x = f(|)', 'x = f(a|)', 'x = f(a)\n|')).toEqual([true]);
    // A key that was wrong and taken back.
    expect(verdicts('x = |', 'a + b', 'x = ab|', 'x = a|', 'x = a + b  \n|')).toEqual([true]);
  });

  it('is wrong where something else stands there', () => {
    expect(verdicts('x = |', 'a + b', 'x = c|', 'x = c\n|')).toEqual([false]);
    expect(verdicts('x = |', 'a + b', 'x = a + b;\n|')).toEqual([false]);
    expect(verdicts('x = |', 'a + b', 'x = a\n|')).toEqual([false]);
    expect(verdicts('top\nx = |\n\ny', 'a + b', '|top\nx = c\n\ny')).toEqual([false]);
  });

  it('says nothing while the cursor is there, nor where it was left', () => {
    expect(verdicts('x = |', 'a + b', 'x = |', 'x = a +|', 'x = a + b|', 'x = c|')).toEqual([]);
    expect(verdicts('x = |', 'a + b', 'x|', 'x = c\n|')).toEqual([]);
    expect(verdicts('x = |', 'a + b', 'x = \n|')).toEqual([]);
    expect(verdicts('top\nx = |\n', 'a + b', '|top\nx = a\n')).toEqual([]);
  });

  it('is found where the cursor is, of places that look alike', () => {
    const block = `${'some_line_of_text\n'.repeat(80)}x = `;
    const [at, here, left] = ['|', 'a|', 'a + b\n|'].map((typed) => `${block}${typed}\n${block}c\n`);
    expect(verdicts(at ?? '', 'a + b', here ?? '', left ?? '')).toEqual([true]);
  });

  it('counts once, the first that was made of it, with the certainty it had', () => {
    const told: [number, boolean][] = [];
    const calibration = new Calibration();
    calibration.add = (...line) => void told.push(line);
    const lines = new TypedLines();
    lines.made(documentAt('x = |'), made('a', calibration));
    lines.made(documentAt('x = b|'), made('c', calibration));
    lines.seen(documentAt('x = a\n|'));
    lines.seen(documentAt('x = a\n|'));
    expect(told).toEqual([[0.7, true]]);
  });

  it('is not followed where nobody says what it is, the model is the embedded one, or the document is left', () => {
    const told: boolean[] = [];
    const calibration = tellingOf(told);
    const lines = new TypedLines();
    const { generation } = made('a', calibration);
    lines.made(documentAt('x = |'), made('a'));
    lines.made(documentAt('x = |'), { ...nothing('does_not_fit'), ...(generation && { generation }) });
    lines.made({ ...documentAt('x = |'), kind: 'commit_message' }, made('a', calibration));
    lines.seen(documentAt('x = b\n|'));
    expect(told).toEqual([]);
    // Who went to another document may not come back.
    lines.made({ ...documentAt('y = |'), uri: 'file:///other.py' }, made('a', calibration));
    lines.made(documentAt('x = |'), made('a', calibration));
    lines.seen(documentAt('x = b\n|'));
    expect(told).toEqual([false]);
    lines.made(documentAt('x = |'), made('a', calibration));
    lines.forget(documentAt('|').uri);
    lines.seen(documentAt('x = b\n|'));
    expect(told).toEqual([false]);
  });
});

describe('the suggestions of another model', () => {
  /** Of a model that says the same everywhere, and is fairly sure of it; what is learnt of it may be looked at. */
  function suggestionsOf(
    calibration?: Calibration,
    says = 'a + b',
  ): (text: string) => Promise<CompletionOutcome> {
    const engine = new FakeEngine();
    engine.says = says;
    engine.confidence = 0.6;
    const asking = new OneEngine(engine, new PromptWriter(engine), () => calibration);
    const options = (): CompletionOptions => DEFAULT_OPTIONS;
    const suggestions = new Suggestions(
      new CompletionPipeline(engine, options, undefined, undefined, asking),
      options,
    );
    return (text: string): Promise<CompletionOutcome> => {
      const document = documentAt(text);
      suggestions.seen(document);
      return suggestions.begin({ document, signal: new AbortController().signal });
    };
  }

  it('are believed less with each that was not what was typed, and more with each that was', async () => {
    const at = suggestionsOf(new Calibration());
    const first = await at('v = 1\nx = |');
    expect(first).toMatchObject({ shown: true, text: 'a + b' });
    for (let line = 0; line < 30; line++) {
      await at(`v${line} = |`);
      await at(`v${line} = zz\n|`);
    }
    const doubted = await at('v = 2\nx = |');
    expect(doubted.certainty).toBeLessThan(first.certainty - 0.03);
    expect(doubted.certainty).toBeGreaterThan(0.5);
    for (let line = 0; line < 100; line++) {
      await at(`w${line} = |`);
      await at(`w${line} = a + b\n|`);
    }
    expect((await at('v = 3\nx = |')).certainty).toBeGreaterThan(doubted.certainty + 0.03);
  });

  it('count as they would be inserted, and only where nothing stands right of the cursor', async () => {
    const told: boolean[] = [];
    const calibration = new Calibration();
    calibration.add = (_, right) => void told.push(right);
    const at = suggestionsOf(calibration, ' a + b');
    await at('x = |');
    await at('x = a + b\n|');
    await at('y = |[0]');
    await at('y = a + b[0]\n|');
    expect(told).toEqual([true]);
  });

  it('are judged as before where the model is the embedded one', async () => {
    const at = suggestionsOf();
    const first = await at('v = 1\nx = |');
    for (let line = 0; line < 30; line++) {
      await at(`v${line} = |`);
      await at(`v${line} = zz\n|`);
    }
    expect((await at('v = 2\nx = |')).certainty).toBe(first.certainty);
  });
});
