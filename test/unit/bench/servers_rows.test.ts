/** The figures of `replay servers`: ours beside each other's, and who is ahead. */
import { expect, it } from 'vitest';
import { serversRows } from '../../../bench/servers/servers_rows';
import type { TypedWith } from '../../../bench/servers/servers_suite';
import type { TypedKey, TypedStretch } from '../../../bench/typing/typing_session';

function typed(name: string, ms: number, pressed: number, late = 0): TypedWith {
  const key = (complete: boolean): TypedKey => ({
    text: complete ? 'x' : '',
    fresh: complete,
    flickers: false,
    right: complete,
    toLineEnd: complete,
    line: '',
    time: { ms, complete },
    source: 'model',
    sourceBehind: 'none',
    recomputed: 1,
    made: undefined,
  });
  const keys = Array.from({ length: 10 }, (_, at) => key(at >= late));
  const stretch: TypedStretch = { path: 'a.py', keys, needed: 10, pressed };
  return { name, along: [stretch], sure: [stretch], all: [{ ...stretch, pressed: pressed - 1 }] };
}

it('have each figure of ours beside theirs, with a ratio above 1 where we are ahead', () => {
  const rows = serversRows([typed('emberline', 10, 4), typed('llama-server', 40, 8, 2)]);
  const row = (name: string): unknown[] => {
    const found = rows.find((one) => one.name === name);
    return [found?.ours, found?.peer, found?.ratio, found?.unit];
  };
  expect(row('servers/keys')).toEqual([10, null, null, 'keys']);
  expect(row('servers/key-to-ghost-p50-ms/llama-server')).toEqual([10, 40, 4, 'ms']);
  expect(row('servers/saved/llama-server')).toEqual([60, 20, 3, '%']);
  expect(row('servers/saved-all-shown/llama-server')).toEqual([70, 30, 70 / 30, '%']);
  expect(row('servers/late/llama-server')).toEqual([0, 20, null, '%']);
  expect(row('servers/shown/llama-server')).toEqual([100, 80, 1.25, '%']);
});

it('are none without anybody to compare with but how much was typed', () => {
  expect(serversRows([typed('emberline', 10, 4)]).map(({ name }) => name)).toEqual(['servers/keys']);
  expect(serversRows([])).toEqual([]);
});
