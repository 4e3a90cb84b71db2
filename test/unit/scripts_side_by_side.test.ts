import { describe, expect, it } from 'vitest';
import { sideBySide } from '../../scripts/side_by_side.mjs';

/** Work that ends when it is told to. */
function gate() {
  const begun: number[] = [];
  const ends = new Map<number, (result: string) => void>();
  const work = (part: number): Promise<string> =>
    new Promise((resolve) => {
      begun.push(part);
      ends.set(part, resolve);
    });
  return { begun, work, end: (part: number) => ends.get(part)?.(`done ${part}`) };
}

describe('parts side by side', () => {
  it('begin in their order, so many at a time, and give their results in it', async () => {
    const { begun, work, end } = gate();
    const results = sideBySide([1, 2, 3, 4], work, 2);
    expect(begun).toEqual([1, 2]);
    end(2);
    await expect.poll(() => begun).toEqual([1, 2, 3]);
    end(3);
    await expect.poll(() => begun).toEqual([1, 2, 3, 4]);
    end(4);
    end(1);
    expect(await results).toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
  });

  it('may be fewer than there is room for, or none', async () => {
    const twice = (n: number): Promise<number> => Promise.resolve(2 * n);
    expect(await sideBySide([1], twice, 3)).toEqual([2]);
    expect(await sideBySide([], twice, 3)).toEqual([]);
  });

  it('fail where one fails', async () => {
    const broken = (n: number): Promise<number> =>
      n === 2 ? Promise.reject(new Error('two')) : Promise.resolve(n);
    await expect(sideBySide([1, 2, 3], broken, 1)).rejects.toThrow('two');
  });
});
