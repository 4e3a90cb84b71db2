/** What the pipeline remembers: of suggestions typed along, of documents closed, and where the battery is spared. */
import { describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS } from '../../core/completion/options';
import { bench } from './made_up_engine';

describe('the completion pipeline', () => {
  it('asks again where there is a clipboard that what it knows was made without, and knows that then', async () => {
    const { engine, at } = bench();
    expect((await at('return |')).source).toBe('model');
    expect((await at('return |')).source).toBe('cache');
    engine.says = 'copied';
    expect(await at('return |', { explicit: true, clipboard: 'copied\n' })).toMatchObject({
      source: 'model',
      text: 'copied',
    });
    expect(await at('return co|')).toMatchObject({ source: 'cache', text: 'pied' });
  });

  it('lets an answer fork off another: it is remembered once somebody types along', async () => {
    const { engine, at } = bench();
    engine.course = [
      ['a', 0.5],
      [' + b', 0.4],
    ];
    const first = await at('return |');
    expect(first.generation).toMatchObject({ text: 'a + b', ids: Uint32Array.of(1) });
    const again = await at('return |');
    expect(again).toMatchObject({ source: 'cache', generation: first.generation });
    expect((await at('return a|')).generation).toBeUndefined();

    engine.says = 'a - c';
    engine.course = [[' - c', 0.2]];
    const course = { probabilities: Float32Array.of(0.5), ends: Uint32Array.of(1) };
    const lead = { ids: Uint32Array.of(8, 9), probabilities: Float32Array.of(0.9, 0.5), course };
    const fork = { lead, barred: Uint32Array.of(7), leastConfidence: 0.03 };
    const other = await at('return |', { explicit: true, fork });
    const [asked, forked] = engine.requests;
    expect(forked).toEqual({
      ...asked,
      lead: lead.ids,
      barred: fork.barred,
      leastConfidence: 0.03,
      sampling: { ...asked?.sampling, temperature: 0 },
    });
    expect(other).toMatchObject({ text: 'a - c', shown: true, source: 'model', barredProbability: 0 });
    expect(other.confidence).toBeCloseTo(0.1);
    expect(other.generation?.ids).toEqual(Uint32Array.of(8, 9, 1));
    expect(other.generation?.probabilities).toEqual(Float32Array.of(0.9, 0.5, 0.2));
    expect(other.course?.probabilities).toEqual(Float32Array.of(0.5, 0.2));
    expect(await at('return |')).toMatchObject({ text: 'a + b', source: 'cache' });
    expect(await at('return a |')).toMatchObject({ text: '+ b', source: 'cache' });
    expect(await at('return a -|')).toMatchObject({ text: ' c', source: 'cache' });
    expect(await at('return a - c|')).toMatchObject({ reason: 'line_complete', source: 'none' });
    expect(engine.requests).toHaveLength(2);
    // What has become too unlikely is cut off, and says nothing of what somebody types.
    engine.says = 'a * d';
    engine.stop = 'unsure';
    await at('return |', { explicit: true, fork });
    await at('return a *|');
    expect(engine.requests).toHaveLength(4);
  });

  it('re-shows the rest while it is typed, without the model', async () => {
    const { engine, at } = bench();
    await at('return |');
    for (const [typed, rest] of [
      ['a', ' + b'],
      ['a +', ' b'],
      ['a + ', 'b'],
      ['', 'a + b'],
    ] as const) {
      expect(await at(`return ${typed}|`)).toMatchObject({ text: rest, shown: true, source: 'cache' });
    }
    expect(await at('return a + b|')).toMatchObject({
      shown: false,
      reason: 'line_complete',
      source: 'none',
      endProbability: 1,
    });
    expect(engine.requests).toHaveLength(1);
    // Who asks at its end wants to know what comes next.
    await at('return a + b|', { explicit: true });
    expect(engine.requests).toHaveLength(2);
    engine.requests.pop();
    await at('return a * |');
    expect(engine.requests).toHaveLength(2);
  });

  it('asks anew where the lines below are others by now', async () => {
    const { engine, at } = bench();
    await at('return |\nx = 1');
    expect(await at('return |\nx = 1')).toMatchObject({ source: 'cache' });
    expect(await at('return |\na + b')).toMatchObject({ source: 'model' });
    expect(engine.requests).toHaveLength(2);
  });

  it('fits a remembered suggestion to brackets closed meanwhile', async () => {
    const { engine, at } = bench();
    engine.says = '(a, b)';
    await at('return add|');
    expect(await at('return add(|)')).toMatchObject({
      text: 'a, b',
      replace: 0,
      shown: true,
      source: 'cache',
    });
  });

  it('lets a text end where it may, and remembers it for who lets it', async () => {
    const { engine, at } = bench();
    engine.says = '';
    expect(await at('x = 1\n|', { mayEnd: true })).toMatchObject({ reason: 'blank_result' });
    expect(engine.requests[0]).toMatchObject({ banBlankStart: false });
    expect(await at('x = 1\n|', { mayEnd: true })).toMatchObject({ reason: 'blank_result' });
    expect(engine.requests).toHaveLength(1);
    engine.says = 'y = 2';
    expect(await at('x = 1\n|')).toMatchObject({ text: 'y = 2', source: 'model' });
    expect(engine.requests[1]).not.toHaveProperty('banBlankStart');
  });

  it('suggests on the battery when asked, and keeps that while it is typed', async () => {
    const quiet = { reason: 'battery', unlessAsked: true } as const;
    const { engine, at } = bench({ ...DEFAULT_OPTIONS, restraint: quiet });
    expect((await at('return |')).reason).toBe('battery');
    expect((await at('return |', { explicit: true })).text).toBe('a + b');
    const along = await at('return a|');
    expect([along.shown, along.text, along.source]).toEqual([true, ' + b', 'cache']);
    // Nobody asked for what was made there before.
    expect((await at('return |')).reason).toBe('battery');
    expect(engine.requests.length).toBe(1);
  });

  it('shows nothing of what it knows where the battery turns it off', async () => {
    const options = { ...DEFAULT_OPTIONS };
    const { at } = bench(options);
    expect((await at('return |')).shown).toBe(true);
    Object.assign(options, { restraint: { reason: 'battery', unlessAsked: false } });
    for (const text of ['return |', 'return a|'])
      expect((await at(text, { explicit: true })).reason).toBe('battery');
  });

  it('forgets closed documents', async () => {
    const { engine, pipeline, at } = bench();
    await at('return |');
    pipeline.forget('file:///src/add.py');
    await at('return |');
    expect(engine.requests).toHaveLength(2);
  });
});
