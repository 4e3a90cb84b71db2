/** What is learnt of the user's models from start to start. */
import { describe, expect, it } from 'vitest';
import { Calibrations } from '../../extension/models/calibrations';

/** As VS Code's, which keeps JSON. */
class Memento {
  private readonly kept = new Map<string, string>();

  constructor(kept: Readonly<Record<string, unknown>> = {}) {
    for (const [key, value] of Object.entries(kept)) this.kept.set(key, JSON.stringify(value));
  }

  get(key: string): unknown {
    const text = this.kept.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }

  update(key: string, value: unknown): Promise<void> {
    this.kept.set(key, JSON.stringify(value));
    return Promise.resolve();
  }
}

const KEY = 'emberline.calibrations';
const NONE = Array.from({ length: 21 }, () => 0);

describe('the calibrations of models', () => {
  it('are kept by model, and found again', () => {
    const state = new Memento();
    const calibrations = new Calibrations(state);
    for (let line = 0; line < 40; line++) calibrations.of('/models/big.gguf').add(0.8, false);
    expect(calibrations.of('/models/big.gguf')).toBe(calibrations.of('/models/big.gguf'));
    const { temperature } = calibrations.of('/models/big.gguf');
    expect(temperature).toBeGreaterThan(1.3);
    expect(calibrations.of('small on localhost').temperature).toBe(1);
    expect(new Calibrations(state).of('/models/big.gguf').temperature).toBe(temperature);
  });

  it('are of the last sixteen models', () => {
    const state = new Memento();
    const calibrations = new Calibrations(state);
    for (let model = 0; model < 20; model++) calibrations.of(`${model}`).add(0.8, false);
    calibrations.of('4').add(0.8, false);
    const models = ['4', ...Array.from({ length: 15 }, (_, back) => `${19 - back}`)];
    expect(state.get(KEY)).toMatchObject(models.map((model) => ({ model })));
  });

  for (const damaged of [
    7,
    [{ model: 'm', lines: NONE, right: [...NONE.slice(1), 1] }],
    [{ model: 'm', lines: [9], right: [0] }],
    [{ model: 'm', lines: NONE.map(() => -1), right: NONE }],
    [{ model: 'm', lines: NONE.map(() => 'x'), right: NONE }],
    ['m'],
  ]) {
    it(`are learnt anew where something else is kept: ${JSON.stringify(damaged).slice(0, 40)}`, () => {
      const calibrations = new Calibrations(new Memento({ [KEY]: damaged }));
      expect(calibrations.of('m').temperature).toBe(1);
      calibrations.of('m').add(0.8, false);
      expect(calibrations.of('m').temperature).toBeGreaterThan(1);
    });
  }
});
