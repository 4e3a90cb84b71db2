import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { acceptanceOf, draftModelRows } from '../../../bench/replay/draft_model_rows';
import { comparisonRows } from '../../../bench/replay/ids_equal';
import { expectedSpeedup, expectedTokens } from '../../../bench/replay/leviathan';
import { lookupRows, speedupOf } from '../../../bench/replay/lookup_rows';
import { type PairedSamples, sameIds } from '../../../bench/replay/lookup_samples';
import { KINDS, readReplayCases, repeats, type ReplayKind } from '../../../bench/replay/replay_case';
import { barsOf, replayPlot } from '../../../bench/replay/replay_plot';
import type { Sample } from '../../../bench/replay/replay_request';
import { quantile } from '../../../bench/statistics';
import { DraftingTotals } from '../../../core/completion/drafting_totals';
import { NO_DRAFTS } from '../../../core/engine/native_drafting';
import { temporaryFolder } from '../../temporary_folder';

function sample(ms: number, tokens: number, drafting: Partial<Sample['drafting']> = {}): Sample {
  return { ms, ids: new Uint32Array(tokens), drafting: { ...NO_DRAFTS, ...drafting } };
}

function paired(kind: ReplayKind, plain: readonly number[], drafted: readonly number[]): PairedSamples {
  const of = { id: kind, path: 'a.py', prefix: 'x', suffix: '', kind, beside: [] };
  const counts = { drafted: 8, accepted: 6, batches: 2, plainSteps: 2 };
  return {
    of,
    plain: plain.map((ms) => sample(ms, 10)),
    drafted: drafted.map((ms) => sample(ms, 10, counts)),
  };
}

describe('cases of edits', () => {
  let folder = '';
  beforeEach(() => {
    folder = temporaryFolder();
    for (const kind of KINDS) write(kind, { beside: ['other'] });
  });

  function write(kind: ReplayKind, more: object): void {
    const one = { id: `${kind}-1`, path: 'a.py', prefix: 'x = ', suffix: '', ...more };
    writeFileSync(join(folder, `${kind}.jsonl`), `${JSON.stringify(one)}\n`);
  }

  it('are read kind after kind', async () => {
    const cases = await readReplayCases(folder);
    expect(cases.map(({ kind }) => kind)).toEqual([...KINDS]);
    expect(cases[0]).toMatchObject({ id: 'repetitive-1', beside: ['other'] });
  });

  it('may have no other files, but nothing else in their place', async () => {
    write('code', {});
    expect((await readReplayCases(folder)).at(-1)?.beside).toEqual([]);
    write('code', { beside: 'other' });
    await expect(readReplayCases(folder)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('must be there', async () => {
    writeFileSync(join(folder, 'prose.jsonl'), '');
    await expect(readReplayCases(folder)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  it('are committed, as many that repeat something as others, each with an id of its own', async () => {
    const cases = await readReplayCases();
    for (const kind of KINDS)
      expect(cases.filter((one) => one.kind === kind).length).toBeGreaterThanOrEqual(8);
    const repeating = cases.filter((one) => repeats(one.kind)).length;
    expect(Math.abs(repeating / cases.length - 0.5)).toBeLessThan(0.05);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });
});

describe('rows of lookups', () => {
  const measured = [
    paired('repetitive', [10, 30, 20], [10, 5, 40]),
    paired('tests', [20], [30]),
    paired('prose', [10], [10]),
  ];

  it('sum the medians of the cases', () => {
    expect(speedupOf(measured.slice(0, 2))).toEqual({ plain: 500, drafted: 500 });
  });

  it('are of each kind that occurs, of those that repeat something and of the rest', () => {
    const rows = lookupRows(measured, '-sampled');
    const speeds = rows.filter(({ unit }) => unit === 'tok/s');
    expect(speeds.map(({ name, ratio }) => [name, ratio])).toEqual([
      ['replay/repetitive-lookup-sampled', 2],
      ['replay/tests-lookup-sampled', 20 / 30],
      ['replay/prose-lookup-sampled', 1],
      ['replay/repetitive-half-sampled', 1],
      ['replay/rest-sampled', 1],
    ]);
    expect(rows).toContainEqual(
      expect.objectContaining({ name: 'replay/tests-lookup-sampled-acceptance', ours: 75 }),
    );
    expect(rows).toContainEqual(
      expect.objectContaining({ name: 'replay/tests-lookup-sampled-tokens-a-step', ours: 2.5 }),
    );
  });

  it('name the least gain among those that repeat nothing', () => {
    const rows = lookupRows([...measured, paired('code', [8], [10]), paired('code', [8], [4])], '');
    expect(rows.at(-1)).toMatchObject({ name: 'replay/rest-least-gain', unit: 'x', ours: 0.8 });
  });

  it('tell other texts by any of their tokens', () => {
    expect(sameIds(Uint32Array.of(1, 2), Uint32Array.of(1, 2))).toBe(true);
    expect(sameIds(Uint32Array.of(1, 2), Uint32Array.of(1, 3))).toBe(false);
    expect(sameIds(Uint32Array.of(1, 2), Uint32Array.of(1))).toBe(false);
  });
});

describe('what speculation should give', () => {
  it('is the sum over the tokens that are reached', () => {
    expect(expectedTokens(0, 4)).toBe(1);
    expect(expectedTokens(1, 4)).toBe(5);
    expect(expectedTokens(0.5, 3)).toBeCloseTo(1 + 0.5 + 0.25 + 0.125, 12);
  });

  it('is faster by that, over what drafts and batches cost', () => {
    expect(expectedSpeedup(0.5, 3, 0)).toBeCloseTo(1.875, 12);
    expect(expectedSpeedup(0.5, 3, 0.1, 1.2)).toBeCloseTo(1.875 / 1.5, 12);
  });
});

describe('rows of draft models', () => {
  function totals(drafted: number, accepted: number, batches: number): DraftingTotals {
    const result = new DraftingTotals();
    result.add({ ...NO_DRAFTS, drafted, accepted, batches });
    return result;
  }

  it('have the acceptance that gives as many tokens as were right', () => {
    // Of 1000 drafts of three tokens 0.7 + 0.7^2 + 0.7^3 each.
    expect(acceptanceOf({ drafted: 3, totals: totals(3_000, 1_533, 1_000) })).toBeCloseTo(0.7, 9);
    expect(acceptanceOf({ drafted: 1, totals: totals(8, 6, 8) })).toBeCloseTo(0.75, 9);
  });

  it('take what the end of a text cut short for no mistake', () => {
    expect(acceptanceOf({ drafted: 8, totals: totals(20, 20, 3) })).toBe(1);
    expect(acceptanceOf({ drafted: 8, totals: totals(20, 0, 3) })).toBeCloseTo(0, 9);
  });

  it('have the formulas beside what was measured', () => {
    const run = { noise: 1, drafted: 2, tokens: 9, plainMs: 90, draftedMs: 60, totals: totals(8, 6, 4) };
    const acceptance = acceptanceOf(run);
    const [speed, share, tokens, speedup] = draftModelRows([run], 1);
    expect(speed).toMatchObject({ name: 'replay/draft-k2-noise1', ours: 150, peer: 100, ratio: 1.5 });
    expect(share?.ours).toBe(100 * acceptance);
    expect(tokens).toMatchObject({ ours: 2.5, peer: expectedTokens(acceptance, 2) });
    expect(speedup).toMatchObject({ ours: 1.5, peer: expectedSpeedup(acceptance, 2, 0.1) });
  });
});

describe('the plot of the rows', () => {
  it('has a bar for each speed beside that of plain decode', async () => {
    const rows = [
      ...lookupRows([paired('prose', [20], [10])], ''),
      { name: 'replay/draft-k2-noise0', unit: 'tok/s', ours: 3, peer: 2, ratio: 1.5, floor: null },
    ];
    expect(barsOf(rows)).toEqual([
      { row: 'prose-lookup', series: 'lookup', value: 2 },
      { row: 'rest', series: 'lookup', value: 2 },
      { row: 'draft-k2-noise0', series: 'draft model', value: 1.5 },
    ]);
    expect(await replayPlot({ suite: 'replay', machine: 'a machine', rows })).toContain('draft-k2-noise0');
    const nothing = replayPlot({ suite: 'replay', machine: 'a machine', rows: [] });
    await expect(nothing).rejects.toMatchObject({ code: 'NO_ROWS' });
  });
});

describe('other rows', () => {
  it('say how many ids were compared, and how many differ', () => {
    const rows = comparisonRows({ compared: 20, mismatches: 1, drafted: 7, accepted: 3 });
    expect(rows.map(({ name, ours }) => [name, ours])).toEqual([
      ['replay/ids-compared', 20],
      ['replay/ids-drafted', 7],
      ['replay/ids-accepted', 3],
      ['replay/ids-different', 1],
    ]);
  });

  it('have quantiles', () => {
    expect(quantile([4, 1, 3, 2], 0.5)).toBe(2);
    expect(quantile([4, 1, 3, 2], 0.95)).toBe(4);
    expect(quantile([4, 1, 3, 2], 0)).toBe(1);
    expect(() => quantile([], 0.5)).toThrow(RangeError);
  });
});
