import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DashboardData } from '../../../core/statistics/dashboard_data';
import type { RequestRecord } from '../../../core/statistics/request_record';
import {
  delaySection,
  keySection,
  memorySection,
  requestSection,
  type Section,
  speedSection,
  usageSection,
} from '../../../extension/dashboard/page/figures';
import { machineSection } from '../../../extension/dashboard/page/machine_section';
import REFERENCE from '../../../extension/dashboard/page/reference_machines.json';

const NOTHING: DashboardData = {
  version: '0.1.0',
  takenAt: '2026-03-01T10:00:00.000Z',
  model: undefined,
  memory: undefined,
  requests: [],
  keyToGhost: { bounds: [50, 100], counts: [0, 0, 0] },
  drafts: { drafted: 0, accepted: 0, savedMs: 0 },
  usage: { since: '2026-03-01T10:00:00.000Z', languages: [] },
  machine: undefined,
  threadDelay: { bounds: [1], counts: [0, 0] },
};

function request(sequence: number, more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    sequence,
    languageId: 'python',
    reason: 'shown',
    source: 'model',
    explicit: false,
    modelCalls: 1,
    waitMs: 50,
    queueMs: 0.25,
    prefillMs: 10,
    decodeMs: 20,
    restMs: 5,
    promptTokens: 100,
    recomputedTokens: 20,
    generatedTokens: 10,
    drafted: 4,
    accepted: 1,
    positions: 110,
    ...more,
  };
}

const MACHINE = {
  model: 'Toy',
  device: 'cpu',
  embedded: true,
  takenAt: NOTHING.takenAt,
  bytesASecond: 42e9,
  decodeRate: 200,
  decodeLimit: 400,
  prefillRate: 1_000,
  prefillLimit: 9_000,
};

function sectionsOf(data: DashboardData): Section[] {
  const made = [
    keySection,
    requestSection,
    speedSection,
    usageSection,
    memorySection,
    machineSection,
    delaySection,
  ];
  return made.map((make) => make(data)).filter((section) => section !== undefined);
}

const FULL: DashboardData = {
  ...NOTHING,
  model: {
    name: 'Toy',
    device: 'cpu',
    quantization: 'Q4_1',
    parameters: 135e6,
    context: 4_480,
    prefillRate: 2_200,
    decodeRate: 380,
  },
  memory: { weights: 85e6, kvNow: 5e6, kvMost: 100e6 },
  requests: [
    request(2),
    request(1, { reason: 'cancelled' }),
    request(3, { modelCalls: 0, source: 'none', reason: 'inside_word' }),
  ],
  keyToGhost: { bounds: [50, 100], counts: [4, 15, 1] },
  drafts: { drafted: 8, accepted: 2, savedMs: 12 },
  usage: {
    since: NOTHING.takenAt,
    languages: [
      {
        language: 'python',
        shown: 10,
        whole: 3,
        line: 1,
        word: 1,
        typedAlong: 1,
        typedOver: 2,
        dismissed: 1,
        left: 1,
        charactersSaved: 1_234,
      },
    ],
  },
  machine: MACHINE,
  threadDelay: { bounds: [1], counts: [99, 1] },
};

describe('the page', () => {
  it('says what there is to see in words, with nothing and with everything', () => {
    for (const data of [NOTHING, FULL]) {
      for (const { id, title, summary } of sectionsOf(data)) {
        expect(summary, id).toMatch(/^[A-Z0-9].*\.$|press “Measure This Machine”\.$/);
        expect(summary, id).not.toMatch(/undefined|NaN|Infinity/);
        expect(title, id).toMatch(/\S/);
      }
    }
    expect(sectionsOf(NOTHING).every(({ chart }) => chart === undefined)).toBe(true);
  });

  it('has a table of as many columns behind every chart, and series as long as their labels', () => {
    for (const { id, chart, table } of sectionsOf(FULL)) {
      if (chart === undefined) continue;
      for (const { values } of chart.series) expect(values, id).toHaveLength(chart.labels.length);
      if (table === undefined) expect.fail(`${id} has no table`);
      expect(table.rows.length, id).toBeGreaterThan(0);
      for (const row of table.rows) expect(row, id).toHaveLength(table.head.length);
    }
  });

  it('says how many keys had ghost text in which time', () => {
    expect(keySection(FULL).summary).toBe(
      'Of 20 keys with ghost text, half had it within 100 ms, nine of ten within 100 ms.',
    );
    expect(keySection({ ...FULL, keyToGhost: { bounds: [50], counts: [0, 1] } }).summary).toBe(
      '1 key had ghost text, after more than 50 ms.',
    );
  });

  it('draws what reached the model, the last first, and lists all', () => {
    const { chart, table } = requestSection(FULL);
    expect(chart?.labels).toEqual(['#2\nshown', '#1\ncancelled']);
    expect(chart?.series.map(({ values }) => values[0])).toEqual([50, 0.25, 10, 20, 5]);
    expect(table?.rows.map(([name]) => name)).toEqual(['#3', '#2', '#1']);
    expect(table?.rows[0]).toContain('The cursor is in a word.');
  });

  it('counts what was read anew, and rates', () => {
    const { summary, table } = speedSection({ ...FULL, requests: [request(1), request(2)] });
    expect(summary).toBe('A request read 20 tokens anew; the KV cache had 80 % of the prompts.');
    expect(table?.rows[0]?.slice(-2)).toEqual(['2,000 tokens/s', '500 tokens/s']);
  });

  it('counts what was taken as a whole or in part', () => {
    const { summary, table } = usageSection(FULL);
    expect(summary).toBe(
      'Since 2026-03-01: 10 suggestions shown, 5 taken as a whole or in part (50 %), 1,234 characters saved.',
    );
    expect(table?.rows).toEqual([['python', '10', '3', '1', '1', '1', '2', '1', '1', '50 %', '1,234']]);
  });

  it('says of a model whose file is gone that it cannot be read, not that there is none', () => {
    expect(memorySection({ ...FULL, memory: undefined }).summary).toBe('The model’s file cannot be read.');
    expect(memorySection(NOTHING).summary).toBe('No model is loaded.');
  });

  it('puts this machine beside others that ran the same model', () => {
    const { summary, chart, table } = machineSection(FULL);
    expect(summary).toContain('200 tokens/s here, 50 % of what its memory allows');
    expect(chart?.series.map(({ values }) => values[0])).toEqual([200, 400]);
    expect(chart?.labels.length).toBe(1 + REFERENCE.filter(({ embedded }) => embedded).length);
    expect(table?.rows).toHaveLength(REFERENCE.length + 1);
    const other = machineSection({
      ...FULL,
      machine: { ...MACHINE, embedded: false, decodeLimit: undefined },
    });
    expect(other.chart?.labels).toEqual(['This machine']);
  });
});

it('has the figures of other machines from the bench’s page', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../bench/README.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(decode|prefill512)\/([\w.-]+)` +\|(.*)\|$/gm)].map(
    ([, suite, model, cells = '']) => ({ suite, model, cells: cells.split('|').map((cell) => cell.trim()) }),
  );
  for (const { machine, model, decode, prefill } of REFERENCE) {
    const name = model.toLowerCase().replaceAll(' ', '-');
    for (const [suite, { rate, partOfLimit }] of [
      ['decode', decode],
      ['prefill512', prefill],
    ] as const) {
      const found = rows.filter(
        (row) => row.suite === suite && row.model === name && Number(row.cells[0]) === rate,
      );
      const parts = found.map(({ cells }) => {
        // One table has the limit, the other what part of it was reached.
        const [ours, last] = [Number(cells[0]), Number(cells.at(-1))];
        return cells.length === 5 ? Math.round((100 * ours) / last) : last;
      });
      expect(parts, `${machine}: ${suite} of ${model}`).toContain(partOfLimit);
    }
  }
});
