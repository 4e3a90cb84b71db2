import { describe, expect, it } from 'vitest';
import { join } from 'node:path';
import { SeededRandom } from '../../../../bench/random';
import { median } from '../../../../bench/statistics';
import { chooseStretch, documentAt, stretchFrom } from '../../../../bench/typing/stretch';
import { intervalAfter, LINE_START_PAUSE, MEDIAN_MS } from '../../../../bench/typing/typist';
import { chooseStretches } from '../../../../bench/typing/typing_files';

const SOURCES = join(__dirname, '..', '..', '..', '..', 'bench', 'cases', 'sources');
const TEXT = 'import os\n\ndef f(a):\n    if a:\n        return 1\n    return 2\n\nprint(f(1))\n';

function intervals(key: string, seed: number): number[] {
  const random = new SeededRandom(seed);
  return Array.from({ length: 20_001 }, () => intervalAfter(key, random));
}

describe('the typist', () => {
  it('has the moments of the study', () => {
    const drawn = intervals('a', 1);
    const mean = drawn.reduce((sum, ms) => sum + ms, 0) / drawn.length;
    const variance = drawn.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / drawn.length;
    // Six standard errors: of the median sqrt(pi / 2) of the mean's, in a law whose tails weigh little.
    const error = 111.6 / Math.sqrt(drawn.length);
    expect(Math.abs(mean - 238.656)).toBeLessThan(6 * error);
    expect(Math.abs(median(drawn) - MEDIAN_MS)).toBeLessThan(8 * error);
    expect(Math.abs(Math.sqrt(variance) - 111.6)).toBeLessThan(8);
    expect(MEDIAN_MS).toBeCloseTo(216.2, 1);
    expect(Math.min(...drawn)).toBeGreaterThan(0);
  });

  it('takes the same times again with the same seed, and others with another', () => {
    expect(intervals('a', 7)).toEqual(intervals('a', 7));
    expect(intervals('a', 7)).not.toEqual(intervals('a', 8));
  });

  it('pauses where a line begins', () => {
    const within = intervals('a', 3);
    expect(intervals('\n  ', 3)).toEqual(within.map((ms) => LINE_START_PAUSE * ms));
  });
});

describe('a stretch', () => {
  it('is typed key after key, indentation aside, to the end of a line', () => {
    const start = TEXT.indexOf('if a');
    const stretch = stretchFrom('a.py', TEXT, start, 7, new SeededRandom(1));
    const typed = stretch.stops.slice(1).map((stop, at) => TEXT.slice(stretch.stops[at], stop));
    expect(typed).toEqual(['i', 'f', ' ', 'a', ':', '\n        ', 'r', 'e', 't', 'u', 'r', 'n', ' ', '1']);
    expect(stretch.end).toBe(TEXT.indexOf('\n    return 2'));
    expect(stretch.intervals).toHaveLength(stretch.stops.length);
  });

  it('is not there before it is typed, and what follows is', () => {
    const start = TEXT.indexOf('if a');
    const stretch = stretchFrom('a.py', TEXT, start, 7, new SeededRandom(1));
    const { before, after, languageId } = documentAt(stretch, 'x', start + 2);
    expect(before).toBe('import os\n\ndef f(a):\n    if');
    expect(after).toBe('\n    return 2\n\nprint(f(1))\n');
    expect(languageId).toBe('python');
  });

  it('begins with the text of some line below the first', () => {
    const starts = new Set<number>();
    for (let seed = 1; seed <= 40; seed++) {
      const stretch = chooseStretch('a.py', TEXT, 30, new SeededRandom(seed));
      expect(stretch?.stops.length).toBeGreaterThan(30);
      starts.add(stretch?.stops[0] ?? -1);
    }
    expect([...starts].sort((a, b) => a - b)).toEqual(
      ['def', 'if a', 'return 1'].map((text) => TEXT.indexOf(text)),
    );
    expect(chooseStretch('a.py', TEXT, 3_000, new SeededRandom(1))?.end).toBe(TEXT.length);
    expect(chooseStretch('a.py', 'x = 1', 3, new SeededRandom(1))).toBeUndefined();
  });

  it('is chosen by a seed, of as many files as it takes', async () => {
    const chosen = await chooseStretches(SOURCES, 700, 1);
    const again = async (seed: number): Promise<unknown[]> =>
      (await chooseStretches(SOURCES, 700, seed)).map(({ others, ...rest }) => [rest, others?.beside]);
    expect(await again(1)).toEqual(chosen.map(({ others, ...rest }) => [rest, others?.beside]));
    expect(await again(2)).not.toEqual(await again(1));
    const keys = chosen.map(({ stops }) => stops.length - 1);
    expect(keys).toHaveLength(3);
    expect(keys.reduce((sum, some) => sum + some, 0)).toBeGreaterThanOrEqual(700);
    await expect(chooseStretches(join(SOURCES, 'none'), 1, 1)).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
  });
});
