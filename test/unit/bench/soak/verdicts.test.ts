/** What a soak is held to, and that its rounds follow from the seed. */
import { join } from 'node:path';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { reportOf, reportTable } from '../../../../bench/report';
import { CYCLE, roundOf } from '../../../../bench/soak/rounds';
import type { Sample } from '../../../../bench/soak/self_measurement';
import { addSoakSuite } from '../../../../bench/soak/soak_command';
import { soakFigures } from '../../../../bench/soak/soak_figures';
import { soakRows } from '../../../../bench/soak/soak_rows';
import { sourcesIn } from '../../../../bench/soak/soak_suite';
import { isBroken, type Soaked, type Verdict, verdictsOf } from '../../../../bench/soak/verdicts';
import { ROOT } from '../../../../scripts/paths.mjs';

const MEBIBYTE = 2 ** 20;

/** A long run, a sample every twenty seconds: sixty of them are as many minutes. */
function soaked(
  leak: (i: number) => Partial<Sample> = () => ({}),
  changes: Partial<Soaked> = {},
  everySeconds = 20,
): Soaked {
  const samples = Array.from({ length: 60 }, (_, i) => ({
    seconds: everySeconds * i,
    residentBytes: 200 * MEBIBYTE,
    heapBytes: 16 * MEBIBYTE,
    resources: 3,
    threads: 13,
    descriptors: 21,
    requests: 10 * i,
    logBytes: 2_000 * i,
    ...leak(i),
  }));
  const delay = { p50: 0, p99: 1, p999: 2, max: 3 };
  return {
    minutes: everySeconds,
    samples,
    delay,
    compared: 60,
    differing: [],
    errors: [],
    done: {},
    ...changes,
  };
}
const brokenOf = (one: Soaked): string[] =>
  verdictsOf(one)
    .filter(({ holds }) => holds === false)
    .map(({ figure }: Verdict) => figure);

describe('verdicts', () => {
  it('hold where nothing grows', () => {
    expect(brokenOf(soaked())).toEqual([]);
    expect(isBroken(verdictsOf(soaked()))).toBe(false);
  });

  it.each([
    ['resident memory, MiB', (i: number) => ({ residentBytes: (200 + i / 4) * MEBIBYTE })],
    ['JS heap, MiB', (i: number) => ({ heapBytes: (16 + i / 20) * MEBIBYTE })],
    ['active resources', (i: number) => ({ resources: 3 + Math.floor(i / 6) })],
    ['threads', (i: number) => ({ threads: 13 + Math.floor(i / 10) })],
    ['file descriptors', (i: number) => ({ descriptors: 21 + Math.floor(i / 10) })],
    ['log, bytes a request', (i: number) => ({ logBytes: 10_000 * i })],
  ])('find a planted leak: %s', (figure, leak) => {
    expect(brokenOf(soaked(leak))).toEqual([figure]);
    expect(isBroken(verdictsOf(soaked(leak)))).toBe(true);
  });

  it('allow a short run what a few unloaded models take and bring, and no more', () => {
    const growing = (share: number) => (i: number) => ({
      residentBytes: 200 * (1 + (share * i) / 60) * MEBIBYTE,
    });
    expect(brokenOf(soaked(growing(0.1), {}, 3))).toEqual([]);
    expect(brokenOf(soaked(growing(0.1)))).toEqual(['resident memory, MiB']);
    expect(brokenOf(soaked(growing(0.5), {}, 3))).toEqual(['resident memory, MiB']);
  });

  it('take a run of a quarter of an hour for a long one, whose last sample is a little before its end', () => {
    const growing = (i: number): Partial<Sample> => ({ residentBytes: (200 + i / 4) * MEBIBYTE });
    expect(brokenOf(soaked(growing, {}, 15))).toEqual(['resident memory, MiB']);
    expect(brokenOf(soaked(growing, {}, 14))).toEqual([]);
  });

  it('leave out of rows and plots what is not known where there is no /proc', async () => {
    const { samples, ...rest } = soaked(() => ({ threads: undefined, descriptors: undefined }));
    const names = soakRows({ samples, ...rest }).map(({ name }) => name);
    expect(names).toContain('soak/resources');
    expect(names).not.toContain('soak/threads');
    expect(names).not.toContain('soak/descriptors');
    expect(names).toContain('soak/delay-p99.9');
    const [figure] = await soakFigures(samples);
    expect(figure?.svg).toContain('active resources');
    expect(figure?.svg).not.toContain('file descriptors');
  });

  it('stand in no row as a limit of the machine', () => {
    const report = reportOf('soak', soakRows(soaked()));
    expect(reportTable(report).columns.map(({ title }) => title)).not.toContain('% of floor');
  });

  it('are for who lets it collect what is garbage', async () => {
    const program = new Command();
    addSoakSuite(program);
    const soak = program.parseAsync(['soak', '--files', '/none', '--model', '/none'], { from: 'user' });
    await expect(soak).rejects.toMatchObject({ code: 'NO_GC' });
  });

  it('find a document that differs, none that was compared, and errors', () => {
    for (const changes of [{ differing: ['a.js'] }, { compared: 0 }, { errors: ['MODEL_CLOSED'] }])
      expect(isBroken(verdictsOf(soaked(undefined, changes)))).toBe(true);
  });

  it('only report what hangs on time', () => {
    const slow = verdictsOf(soaked(undefined, { delay: { p50: 1, p99: 20, p999: 90, max: 100 } }));
    expect(slow.filter(({ holds }) => holds === false)).toHaveLength(1);
    expect(isBroken(slow)).toBe(false);
  });

  it('say nothing of what is not known', () => {
    const unknown = verdictsOf(soaked(() => ({ threads: undefined })));
    expect(unknown.find(({ figure }) => figure === 'threads')?.holds).toBeUndefined();
  });
});

describe('rounds', () => {
  const rounds = (seed: number): unknown[] => CYCLE.map((_, i) => roundOf(seed, i, 10));

  it('follow from the seed', () => {
    expect(rounds(1)).toEqual(rounds(1));
    expect(rounds(1)).not.toEqual(rounds(2));
  });
});

describe('the sources of a soak', () => {
  it('are the files of a folder, and not those below it', async () => {
    const sources = await sourcesIn(join(ROOT, 'bench', 'cases'));
    expect(sources.map(({ path }) => path)).toEqual(['own.jsonl']);
  });

  it('are asked for where there are none', async () => {
    await expect(sourcesIn('/none')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });
});
