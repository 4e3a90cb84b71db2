/** Where blocks end that are given as their authors wrote them. */
import { describe, expect, it } from 'vitest';
import { authorsEndOf, authorsEndsTable } from '../../../bench/block_ends/authors_ends';
import { bench } from '../made_up_engine';

const PLACE = {
  id: '1',
  path: 'sums.py',
  prefix: 'def sums(a):\n    ',
  expected: 'b = a + 1\n    c = a + 2',
  suffix: '\n    return b, c\n',
};

/** With a model that says these lines behind the first, the second and so on. */
async function endOf(...says: readonly string[]): Promise<{ there: boolean; before: boolean }> {
  const { engine } = bench();
  engine.meanwhile = () => {
    engine.says = says[engine.requests.length - 1] ?? '';
  };
  const { there, before } = await authorsEndOf(engine, PLACE, 700);
  expect(engine.requests).toHaveLength(says.length);
  return { there, before };
}

describe('a block that its author wrote', () => {
  it('is over where the model goes on with what stands below', async () => {
    expect(await endOf('    c = a + 2', '    return b, c')).toEqual({ there: true, before: false });
    expect(await endOf('    d = a + 3', '    return b, c')).toEqual({ there: true, before: false });
  });

  it('goes on where the model does', async () => {
    expect(await endOf('    c = a + 2', '    d = a + 3')).toEqual({ there: false, before: false });
  });

  it('is over too early where the model would leave lines of it out', async () => {
    expect(await endOf('    return b, c')).toEqual({ there: false, before: true });
  });

  it('is counted by language', () => {
    const of = (path: string, there: boolean, before: boolean) => ({ path, there, before });
    const rows = authorsEndsTable([
      of('a.py', true, false),
      of('b.py', false, true),
      of('c.ts', false, false),
    ]);
    const cells = rows.slice(2).map((row) =>
      row
        .split('|')
        .map((cell) => cell.trim())
        .slice(1, -1),
    );
    expect(cells).toEqual([
      ['py', '2', '50.0', '50.0'],
      ['js', '1', '0.0', '0.0'],
      ['all', '3', '33.3', '33.3'],
    ]);
  });
});
