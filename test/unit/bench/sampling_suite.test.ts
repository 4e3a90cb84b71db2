import { describe, expect, it } from 'vitest';
import { barsOf } from '../../../bench/sampling/sampling_plot';
import { samplingRows } from '../../../bench/sampling/sampling_suite';

const OUTPUT = [
  '{"name":"topp/151936-nucleus4-sort","us":100,"kept":4}',
  '{"name":"topp/151936-nucleus4-chosen","us":5,"kept":4}',
  '{"name":"pipeline/49152","us":40,"kept":1}',
  '{"name":"topp/49152-captured-sort","us":80,"kept":31.5}',
  '{"name":"topp/49152-captured-filterscan","us":4,"kept":31.5}',
  '{"name":"topp/49152-captured-histogram","us":2,"kept":31.5}',
  '',
].join('\n');

describe('the rows of the sampling suite', () => {
  it('stand beside the naive sort of the same shape, and what is promised', () => {
    expect(samplingRows(OUTPUT)).toEqual([
      { name: 'topp/151936-nucleus4-sort', unit: 'us', ours: 100, peer: 100, ratio: 1, floor: null },
      { name: 'topp/151936-nucleus4-chosen', unit: 'us', ours: 5, peer: 100, ratio: 20, floor: 30 },
      { name: 'pipeline/49152', unit: 'us', ours: 40, peer: null, ratio: null, floor: 150 },
      { name: 'topp/49152-captured-histogram', unit: 'us', ours: 2, peer: 80, ratio: 40, floor: null },
    ]);
  });

  it('are bars of shapes and algorithms, but for the pipeline', () => {
    expect(barsOf(samplingRows(OUTPUT))).toEqual([
      { row: '151936-nucleus4', series: 'sort', value: 100 },
      { row: '151936-nucleus4', series: 'chosen', value: 5 },
      { row: '49152-captured', series: 'histogram', value: 2 },
    ]);
  });
});
