/** What the pipeline shows of what the model is more or less sure of. */
import { describe, expect, it } from 'vitest';
import { leastConfidence } from '../../core/completion/certainty';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { bench } from './made_up_engine';

describe('the completion pipeline', () => {
  it('is surer of what is left of a suggestion with each character typed', async () => {
    const { engine, at } = bench();
    engine.says = 'total_of(prices)';
    engine.confidence = 0.03;
    expect(await at('x = |')).toMatchObject({ reason: 'low_confidence' });
    expect(await at('x = tot|')).toMatchObject({ source: 'cache', reason: 'low_confidence' });
    const rest = await at('x = total_of(|');
    expect(rest).toMatchObject({ source: 'cache', shown: true, text: 'prices)' });
    expect(rest.confidence).toBeCloseTo(engine.confidence ** (7 / 16), 6);
  });

  it('shows the part of a line that is sure enough where nothing stands right of the cursor', async () => {
    const { engine, at } = bench();
    engine.says = 'total + rest';
    engine.course = [
      ['total', 0.95],
      [' + rest', 0.01],
    ];
    const outcome = await at('x = |');
    expect(outcome).toMatchObject({ text: 'total', shown: true, uncut: { text: 'total + rest' } });
    expect(outcome.certainty).toBeGreaterThan(outcome.uncut?.certainty ?? 1);
    expect(await at('x = |)')).toMatchObject({ reason: 'low_confidence', text: 'total + rest' });
    expect(await at('x = |', { explicit: true })).toMatchObject({ text: 'total + rest' });
    expect(await at('x = t|')).toMatchObject({ text: 'otal', source: 'cache' });
  });

  it.each(['#', '##', '#!'])(
    'shows no comment that says nothing, such as %s, unless somebody asks',
    async (mark) => {
      const { engine, at } = bench();
      engine.says = mark;
      expect(await at('x = 1\n|')).toMatchObject({ reason: 'blank_result', shown: false });
      expect(await at('x = 1\n|', { explicit: true })).toMatchObject({ text: mark, shown: true });
      engine.says = '# All';
      expect(await at('y = 1\n|')).toMatchObject({ text: '# All', shown: true });
    },
  );

  it('shows a likely part of a line that as a whole is likelier wrong than right', async () => {
    const { engine, at } = bench();
    engine.says = 'total + rest';
    engine.course = [
      ['total', 0.95],
      [' + rest', 0.18],
    ];
    const outcome = await at('x = |');
    expect(outcome).toMatchObject({ text: 'total', shown: true, uncut: { text: 'total + rest' } });
    const whole = outcome.uncut?.certainty ?? 0;
    expect(whole).toBeGreaterThan(DEFAULT_OPTIONS.leastCertainty);
    expect(whole).toBeLessThan(0.5);
    // No part of it is likelier right than wrong, and all of it is sure enough.
    engine.course = [
      ['total', 0.2],
      [' + rest', 0.85],
    ];
    const doubtful = await at('y = |');
    expect(doubtful).toMatchObject({ text: 'total + rest', shown: true });
    expect(doubtful.certainty).toBeLessThan(0.5);
  });

  it('shows no part that stands on the next line already, and a shorter one', async () => {
    const { engine, at } = bench();
    engine.says = 'first.total || rest';
    engine.course = [
      ['first', 0.95],
      ['.total', 0.95],
      [' || rest', 0.01],
    ];
    expect(await at('x = |\ny = 1\n')).toMatchObject({ shown: true, text: 'first.total' });
    expect(await at('z = |\nz = first.total\n')).toMatchObject({ shown: true, text: 'first' });
  });

  it('has the model go no further than it is sure enough, but for who asks', async () => {
    const { engine, at } = bench();
    await at('x = |');
    await at('x = 1\n    |');
    await at('y = |', { explicit: true });
    await at('z = |', { evenIfRefused: true });
    const least = DEFAULT_OPTIONS.leastCertainty;
    expect(engine.requests.map(({ leastConfidence: asked }) => asked)).toEqual([
      leastConfidence(least, false),
      leastConfidence(least, true),
      undefined,
      undefined,
    ]);
  });

  it('asks again for what the model was too unsure of once that is typed', async () => {
    const { engine, at } = bench();
    engine.says = 'total + re';
    engine.stop = 'unsure';
    engine.course = [
      ['total', 0.95],
      [' +', 0.001],
      [' re', 0.5],
    ];
    expect(await at('x = |')).toMatchObject({ text: 'total', shown: true, source: 'model' });
    expect(await at('x = total|')).toMatchObject({ reason: 'low_confidence', source: 'cache' });
    // Half of the token is typed, and what is left of it a fair guess; the text is no whole line for that.
    expect(await at('x = total +|')).toMatchObject({ source: 'model' });
    expect(engine.requests).toHaveLength(2);
    expect(await at('x = |', { explicit: true })).toMatchObject({ source: 'model' });
  });

  it('has no part of what a place refuses', async () => {
    const { engine, at } = bench({ ...DEFAULT_OPTIONS, enabled: false });
    engine.says = 'total + rest';
    engine.course = [
      ['total', 0.95],
      [' + rest', 0.01],
    ];
    const outcome = await at('x = |', { evenIfRefused: true });
    expect(outcome).toMatchObject({ text: 'total + rest', shown: false, reason: 'disabled' });
    expect(outcome.uncut).toBeUndefined();
  });

  it('takes a line for complete when the model is sure it ends there', async () => {
    const { engine, at } = bench();
    engine.says = ', a + b';
    engine.endProbability = 0.8;
    const outcome = await at('return a + b|');
    expect(outcome).toMatchObject({
      shown: false,
      reason: 'line_complete',
      text: ', a + b',
      endProbability: 0.8,
    });
    expect(await at('return a + b|')).toMatchObject({
      shown: false,
      reason: 'line_complete',
      source: 'cache',
    });
    expect(await at('return a + b,|')).toMatchObject({ shown: true, source: 'cache' });
    // At a line's start a break would only mean a blank line, and a blank before the cursor says that more follows.
    expect(await at('x = 1\n    |')).toMatchObject({ shown: true });
    expect(await at('return |')).toMatchObject({ shown: true });
  });
});
