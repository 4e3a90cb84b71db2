import { describe, expect, it } from 'vitest';
import { disagreement } from '../../../bench/agreement';
import { alternate, fastest, qualified } from '../../../bench/alternation';
import type { Contender } from '../../../bench/contenders';
import { forwardSeconds, modelCost, tokenSeconds } from '../../../bench/floors';
import { barsOf } from '../../../bench/plot';
import { promptOf, singleTokenWords, withLastReplaced } from '../../../bench/prompt_text';
import { formatMarkdown, formatReport, formatRow, type Row } from '../../../bench/report';
import { SHAPES } from '../../../bench/shapes';
import { runSpeed } from '../../../bench/speed';
import { benchRows, SPEED_SUITES } from '../../../bench/speed_rows';
import { correlation, largest, median, ratioOf } from '../../../bench/statistics';

describe('statistics', () => {
  it('takes the middle value, or the mean of the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(() => median([])).toThrow(RangeError);
  });

  it('is ahead above one, whatever the unit', () => {
    expect(ratioOf(300, 150, 'higher')).toBe(2);
    expect(ratioOf(5, 10, 'lower')).toBe(2);
  });

  it('correlates vectors whatever their mean and scale', () => {
    expect(correlation([1, 2, 3], [10, 20, 30])).toBeCloseTo(1, 12);
    expect(correlation([1, 2, 3], [101, 102, 103])).toBeCloseTo(1, 12);
    expect(correlation([1, 2, 3], [3, 2, 1])).toBeCloseTo(-1, 12);
    expect(largest([0.1, 5, 3, 4], 2)).toEqual([1, 3]);
  });
});

describe('floors', () => {
  const cost = modelCost(SHAPES['smollm2-135m'], 100e6);
  const limits = { bytesPerSecond: 50e9, operationsPerSecond: 1e12 };

  it('count the parameters of the shape', () => {
    // 30 layers of 2 * 576*576 + 2 * 576*192 + 3 * 576*1536 weights.
    expect(cost.layerOperations).toBe(2 * 30 * (2 * 331_776 + 2 * 110_592 + 3 * 884_736));
    expect(cost.outputOperations).toBe(2 * 576 * 49_152);
    // Keys and values of 192 halves in 30 layers.
    expect(cost.kvBytesPerPosition).toBe(30 * 2 * 192 * 2);
  });

  it('are the time to read, for one token', () => {
    expect(tokenSeconds(cost, limits, 0)).toBeCloseTo(2e-3, 12);
    expect(tokenSeconds(cost, limits, 1_000)).toBeCloseTo((100e6 + 23_040_000) / 50e9, 12);
    expect(forwardSeconds(cost, limits, { tokens: 1, positions: 0, logits: 1 })).toBeCloseTo(2e-3, 12);
  });

  it('are the time to calculate, for many', () => {
    const looks = (512 * 513) / 2;
    const operations = 512 * cost.layerOperations + cost.outputOperations + looks * cost.attentionOperations;
    expect(forwardSeconds(cost, limits, { tokens: 512, positions: 0, logits: 1 })).toBeCloseTo(
      operations / 1e12,
      12,
    );
  });
});

describe('rows', () => {
  const all = SPEED_SUITES.flatMap((suite) => benchRows(suite).flatMap(({ rows }) => rows));

  it('have the names that people script against, each once', () => {
    const names = all.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of [
      'decode/smollm2-135m-q4_1',
      'prefill2048/smollm2-135m-q4_0',
      'prefill512/qwen-1.5b-q4_0',
      'verify4/qwen-0.5b-q8_0',
      'verify8/smollm2-135m-q8_0',
      'reuse/smollm2-135m-q4_1',
      'load/qwen-0.5b-q4_0',
    ]) {
      expect(names).toContain(name);
    }
    expect(names).not.toContain('prefill2048/qwen-0.5b-q4_0');
  });

  it('have a floor that no figure can pass', () => {
    const cost = modelCost(SHAPES['qwen-0.5b'], 400e6);
    const limits = { bytesPerSecond: 40e9, operationsPerSecond: 1e12 };
    for (const row of all) {
      const floorMs = row.floorMs(cost, limits) ?? 0;
      expect(floorMs).toBeGreaterThan(0);
      expect(ratioOf(row.figure(1.1 * floorMs), row.figure(floorMs), row.better)).toBeLessThan(1);
    }
  });

  it('have one of a GPU where reading decides, and none where only its arithmetic would tell', () => {
    const cost = modelCost(SHAPES['smollm2-135m'], 100e6);
    const limits = { bytesPerSecond: 100e9, operationsPerSecond: null };
    for (const row of all) {
      const floorMs = row.floorMs(cost, limits);
      if (row.name.startsWith('prefill')) expect(floorMs).toBeNull();
      else expect(floorMs).toBeGreaterThan(0);
    }
  });
});

describe('a run', () => {
  it.each([[['decode'] as const], [SPEED_SUITES]])(
    'of %j with no row of that name fails at once',
    async (suites) => {
      const options = { threads: 1, device: 'cpu' as const, peer: false, repeats: 5, rows: /^no such row$/ };
      await expect(runSpeed(suites, options)).rejects.toMatchObject({ code: 'NO_ROWS' });
    },
  );

  it('tells of a row as soon as it is there', () => {
    expect(formatRow({ name: 'a/b', unit: 'ms', ours: 4, peer: 10, ratio: 2.5, floor: 1 })).toBe(
      'a/b: 4 ms, the peer 10 ms, ratio 2.50',
    );
    expect(formatRow({ name: 'a/b', unit: 'MB', ours: 7.84, peer: null, ratio: null, floor: null })).toBe(
      'a/b: 7.84 MB',
    );
  });
});

/** A contender whose samples are given; it notes in `log` that it was asked. */
function contender(name: string, times: readonly number[], log: string[] = []): Contender {
  const left = times.values();
  return {
    name,
    sample: () => {
      log.push(name);
      return Promise.resolve(left.next().value ?? NaN);
    },
  };
}

describe('alternation', () => {
  it('asks in turn, and leaves out the round that warms up', async () => {
    const log: string[] = [];
    const result = await alternate(
      [contender('a', [99, 1, 2, 3], log)],
      [contender('b', [99, 4, 5, 6], log)],
      3,
      () => undefined,
    );
    expect(log.join('')).toBe('abababab');
    expect(result.ours[0]?.samples).toEqual([1, 2, 3]);
    expect(fastest(result.rivals)).toEqual({ name: 'b', ms: 5 });
  });

  it('drops a rival that cannot win, and keeps one that may', async () => {
    const result = await alternate(
      [],
      [
        contender('slow', [9, 13, 14, 1, 1]),
        contender('near', [9, 12, 12, 12, 12]),
        contender('first', [9, 10, 30, 30, 30]),
      ],
      4,
      () => undefined,
    );
    expect(result.rivals.map(({ contender: { name } }) => name)).toEqual(['near', 'first']);
    expect(fastest(result.rivals)?.name).toBe('near');
    expect(fastest(qualified([]))).toBeUndefined();
  });
});

describe('agreement', () => {
  const logits = Float32Array.from({ length: 1_000 }, (_, token) => Math.sin(token * 12.9898) * 5);

  it('allows for rounding, and for a tie that flips', () => {
    expect(
      disagreement(
        logits,
        logits.map((value, token) => value + (token % 2 === 0 ? 0.02 : -0.02)),
      ),
    ).toBe(undefined);
  });

  it('names what differs', () => {
    expect(disagreement(logits, logits.slice(1))).toMatch(/vocabulary/);
    expect(disagreement(logits, logits.toReversed())).toMatch(/correlate/);
    const constant = new Float32Array(1_000);
    expect(disagreement(logits, constant)).toMatch(/correlate/);
    const spiked = logits.slice();
    const likeliest = new Set(largest(logits, 3));
    for (const token of likeliest) spiked[token] = 0;
    expect(disagreement(logits, spiked)).toMatch(/likeliest/);
  });
});

describe('prompts', () => {
  it('are made of words that are one token', async () => {
    const words = await singleTokenWords((text) => Promise.resolve(text.endsWith('z') ? 2 : 1));
    expect(words.every((word) => /^ [a-z]{2}$/.test(word))).toBe(true);
    const prompt = promptOf(words, 512, 1);
    expect(prompt).toHaveLength(512);
    expect(promptOf(words, 512, 1)).toEqual(prompt);
    expect(promptOf(words, 512, 2)).not.toEqual(prompt);
  });

  it('cannot be made for every vocabulary', async () => {
    await expect(singleTokenWords(() => Promise.resolve(2))).rejects.toMatchObject({
      code: 'VOCABULARY_UNKNOWN',
    });
  });

  it('change at their end alone', () => {
    expect(withLastReplaced([' a', ' b', ' c', ' d', ' e'], 2, 0)).toEqual([' a', ' b', ' c', ' a', ' b']);
  });
});

describe('reports', () => {
  const rows: Row[] = [
    { name: 'decode/x', unit: 'tok/s', ours: 300, peer: 150, ratio: 2, floor: 400 },
    { name: 'verify4/x', unit: 'ms', ours: 8, peer: null, ratio: null, floor: 4 },
    { name: 'load/idle-cpu', unit: 'ms CPU', ours: 0, peer: null, ratio: null, floor: null },
  ];
  const report = { suite: 'decode', machine: 'a machine', rows };

  it('say how near to the floor a figure is', () => {
    expect(formatReport(report).split('\n')).toEqual([
      'decode on a machine',
      'name           ours  unit    peer  ratio  floor  % of floor',
      'decode/x        300  tok/s    150      2    400          75',
      'verify4/x         8  ms         -      -      4          50',
      'load/idle-cpu     0  ms CPU     -      -      -           -',
    ]);
  });

  it('are Markdown where asked for', () => {
    expect(formatMarkdown(report).split('\n')).toContain('| decode/x | 300 | tok/s | 150 | 2 | 400 | 75 |');
  });

  it('are drawn relative to the peer, or to the floor', () => {
    expect(barsOf(rows)).toEqual([
      { row: 'decode/x', series: 'Emberline', value: 2 },
      { row: 'decode/x', series: 'llama.cpp', value: 1 },
      { row: 'decode/x', series: 'machine limit', value: 400 / 150 },
      { row: 'verify4/x', series: 'Emberline', value: 0.5 },
      { row: 'verify4/x', series: 'machine limit', value: 1 },
    ]);
  });
});
