/** The figures of `replay servers`: ours beside each other's, and who is ahead. */
import { expect, it } from 'vitest';
import { serversRows } from '../../../bench/servers/servers_rows';
import type { TypedWith } from '../../../bench/servers/servers_suite';
import type { TypedKey, TypedStretch } from '../../../bench/typing/typing_session';

function typed(name: string, ms: number, pressed: number, late = 0): TypedWith {
  const key = (inTime: boolean): TypedKey => ({
    text: 'x',
    fresh: true,
    flickers: false,
    right: true,
    toLineEnd: true,
    line: '',
    // Somebody waits for each.
    time: { ms, complete: true },
    work: { ms, complete: true },
    late: !inTime,
    source: 'model',
    sourceBehind: 'none',
    recomputed: 1,
    made: undefined,
  });
  const keys = Array.from({ length: 10 }, (_, at) => key(at >= late));
  const stretch: TypedStretch = { path: 'a.py', keys, needed: 10, pressed };
  const all = [{ ...stretch, pressed: pressed - 1 }];
  return { name, along: [stretch], sure: [stretch], all, hasty: [{ ...stretch, pressed: pressed + 1 }] };
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
  expect(row('servers/saved-in-time/llama-server')).toEqual([50, 10, 5, '%']);
  expect(row('servers/late/llama-server')).toEqual([0, 20, null, '%']);
  expect(row('servers/shown/llama-server')).toEqual([100, 100, 1, '%']);
});

it('have the times of answers that were late, all of them', () => {
  const rows = serversRows([typed('emberline', 900, 4, 10), typed('llama-server', 1_800, 8, 10)]);
  const of = (name: string): unknown => rows.find((one) => one.name === `servers/${name}/llama-server`);
  expect(of('key-to-ghost-p50-ms')).toMatchObject({ ours: 900, peer: 1_800 });
  expect(of('key-to-model-p95-ms')).toMatchObject({ ours: 900, peer: 1_800 });
  expect(of('late')).toMatchObject({ ours: 100, peer: 100 });
  expect(of('saved')).toMatchObject({ ours: 60, peer: 20 });
});

it('have no saving in time where everybody was patient', () => {
  const [ours, theirs] = [typed('emberline', 10, 4), typed('llama-server', 40, 8)].map((one) => ({
    ...one,
    hasty: [],
  }));
  if (ours === undefined || theirs === undefined) throw new Error('nobody typed');
  expect(serversRows([ours, theirs]).map(({ name }) => name)).not.toContain(
    'servers/saved-in-time/llama-server',
  );
});

it('are none without anybody to compare with but how much was typed', () => {
  expect(serversRows([typed('emberline', 10, 4)]).map(({ name }) => name)).toEqual(['servers/keys']);
  expect(serversRows([])).toEqual([]);
});
