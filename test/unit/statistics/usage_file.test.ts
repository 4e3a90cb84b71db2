import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MOST_LANGUAGES, type Usage, UsageTotals } from '../../../core/statistics/usage';
import { UsageFile } from '../../../core/statistics/usage_file';

const SINCE = new Date('2026-03-01T10:00:00.000Z');

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usage-'));
  path = join(folder, 'storage', 'statistics.json');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function counts(language: string, shown: number, since = SINCE): Usage {
  const totals = new UsageTotals(since);
  for (let count = 0; count < shown; count++) totals.shown(language);
  totals.ended(language, 'whole');
  totals.saved(language, 12);
  return totals.snapshot();
}

describe('the file of use', () => {
  it('has the sum of what sessions add, since the first of them', async () => {
    const file = new UsageFile(path);
    expect(await file.read()).toBeUndefined();
    await file.add(counts('python', 2));
    const sum = await new UsageFile(path).add(counts('python', 3, new Date('2026-05-01T10:00:00.000Z')));
    expect(sum).toEqual(await file.read());
    expect(sum?.since).toBe(SINCE.toISOString());
    expect(sum?.languages).toMatchObject([{ language: 'python', shown: 5, whole: 2, charactersSaved: 24 }]);
    expect(await readdir(join(folder, 'storage'))).toEqual(['statistics.json']);
  });

  it('counts nothing twice and nothing less where the clock is set back or put forward in between', async () => {
    for (const days of [0, -1, 1, -1])
      await new UsageFile(path).add(counts('go', 2, new Date(SINCE.getTime() + days * 86_400_000)));
    const sum = await new UsageFile(path).read();
    expect(sum?.since).toBe('2026-02-28T10:00:00.000Z');
    expect(sum?.languages).toMatchObject([{ language: 'go', shown: 8, whole: 4, charactersSaved: 48 }]);
  });

  it('takes what is added at once in turn', async () => {
    const file = new UsageFile(path);
    await Promise.all(Array.from({ length: 20 }, () => file.add(counts('go', 1))));
    expect((await file.read())?.languages).toMatchObject([{ language: 'go', shown: 20 }]);
  });

  it('is gone when it is cleared', async () => {
    const file = new UsageFile(path);
    await file.add(counts('go', 1));
    await file.clear();
    await file.clear();
    expect(await file.read()).toBeUndefined();
    expect(await readdir(join(folder, 'storage'))).toEqual([]);
  });

  it.each([
    ['cut', (text: string) => text.slice(0, -5)],
    ['of another version', (text: string) => text.replace('"version":1', '"version":2')],
    ['with a count that is none', (text: string) => text.replace('"shown":2', '"shown":-2')],
    ['with a number that is not exact', (text: string) => text.replace('"shown":2', '"shown":1e300')],
    ['with a field too many', (text: string) => text.replace('"shown":2', '"shown":2,"text":"def f"')],
    ['with a path for a language', (text: string) => text.replace('"python"', '"/home/anna/plan.py"')],
    ['without its date', (text: string) => text.replace(SINCE.toISOString(), 'yesterday')],
    ['empty', () => ''],
    ['of another kind', () => '[1, 2]'],
  ])('is started anew where it is damaged: %s', async (_, damage) => {
    const file = new UsageFile(path);
    await file.add(counts('python', 2));
    const whole = await readFile(path, 'utf8');
    const damaged = damage(whole);
    expect(damaged).not.toBe(whole);
    await writeFile(path, damaged);
    expect(await file.read()).toBeUndefined();
    await file.add(counts('go', 1));
    expect((await file.read())?.languages).toMatchObject([{ language: 'go', shown: 1 }]);
  });

  it('cannot be written where there is a file in place of its folder, and says so', async () => {
    await writeFile(join(folder, 'storage'), '');
    expect(await new UsageFile(path).add(counts('go', 1))).toBeUndefined();
  });

  it('stays small whatever languages there are', async () => {
    const file = new UsageFile(path);
    for (let round = 0; round < 3; round++) {
      const totals = new UsageTotals(SINCE);
      for (let index = 0; index < 200; index++) totals.shown(`language-${round}-${index}`);
      await file.add(totals.snapshot());
    }
    const usage = (await file.read()) ?? expect.fail('no file');
    expect(usage.languages.length).toBeLessThanOrEqual(MOST_LANGUAGES + 1);
    expect(usage.languages.reduce((sum, { shown }) => sum + shown, 0)).toBe(600);
    expect(usage.languages[0]?.language).toBe('other');
    expect((await stat(path)).size).toBeLessThan(8_192);
  });
});

describe('the totals of use', () => {
  it('keep no identifier that could be a text or a path', () => {
    const totals = new UsageTotals();
    for (const language of ['', '__proto__', 'a b', '/home/anna', 'x'.repeat(41), 'ä'])
      totals.shown(language);
    totals.shown('c++');
    expect(totals.snapshot().languages).toMatchObject([
      { language: 'other', shown: 6 },
      { language: 'c++', shown: 1 },
    ]);
  });

  it('never exceed what a number holds exactly', () => {
    const totals = new UsageTotals();
    totals.saved('go', Number.MAX_SAFE_INTEGER - 1);
    totals.add(totals.snapshot());
    expect(totals.snapshot().languages[0]?.charactersSaved).toBe(Number.MAX_SAFE_INTEGER);
  });
});
