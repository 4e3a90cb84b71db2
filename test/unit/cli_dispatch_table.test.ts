/** The table of a model's dispatches in a terminal. */
import { describe, expect, it } from 'vitest';
import { dispatchLines } from '../../cli/dispatch_table';
import type { NativeDispatch } from '../../core/engine/native_inspection';

const dispatch = (label: string, weightBytes: number, kvBytes = 0): NativeDispatch => ({
  label,
  kernel: `${label.split(' ').at(-1) ?? ''}_q4_0`,
  threadgroups: [12, 3, 1],
  threads: 64,
  patch: label === 'embedding' ? 'token_offset' : 'none',
  weightBytes,
  kvBytes,
  otherBytes: 1_000,
});

describe('the table of dispatches', () => {
  it('has a row a command, numbers on the right', () => {
    expect(dispatchLines([dispatch('embedding', 72), dispatch('layer 0 attention', 0, 256)], 1)).toEqual([
      '#  label              kernel          threadgroups  threads  patch         weight bytes  KV bytes a position  other bytes',
      '0  embedding          embedding_q4_0  12x3x1             64  token_offset            72                    0         1000',
      '1  layer 0 attention  attention_q4_0  12x3x1             64  none                     0                  256         1000',
      '',
      'total              commands  weight bytes  KV bytes a position  other bytes',
      'layer 0                   1             0                  256         1000',
      'beside the layers         1            72                    0         1000',
      'a token                   2            72                  256         2000',
    ]);
  });

  it('has one row for layers that are alike', () => {
    const dispatches = [
      dispatch('embedding', 1),
      ...[10, 10, 11, 10].map((bytes, layer) => dispatch(`layer ${layer} down`, bytes)),
    ];
    const lines = dispatchLines(dispatches, 4);
    expect(lines.slice(lines.indexOf('') + 2).map((line) => line.split(/ {2,}/)[0])).toEqual([
      'each of layers 0 to 1',
      'layer 2',
      'layer 3',
      'beside the layers',
      'a batch of 4',
    ]);
    expect(lines.at(-1)).toMatch(/^a batch of 4 +5 +42 +0 +5000$/);
  });
});
