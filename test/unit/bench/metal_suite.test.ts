import { describe, expect, it } from 'vitest';
import { metalRows } from '../../../bench/metal_suite';

describe('the rows of the metal suite', () => {
  it('are the lines of the counting program, beside what is promised', () => {
    const output = '{"dispatches-per-layer": 5}\n{"encode-us-per-dispatch": 0.5}\n';
    expect(metalRows(output)).toEqual([
      { name: 'metal/dispatches-per-layer', unit: 'commands', ours: 5, peer: null, ratio: null, floor: 5 },
      { name: 'metal/encode-us-per-dispatch', unit: 'us', ours: 0.5, peer: null, ratio: null, floor: 1.5 },
    ]);
  });

  it('are none but those that have names', () => {
    expect(() => metalRows('{"wishes": 1}')).toThrow('There is no row wishes.');
  });
});
