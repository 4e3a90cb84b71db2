/** The projection for chips that nobody has measured: what docs/metal.md shows is what the bench prints. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  bytesOfToken,
  formatProjection,
  PROJECTED_CHIPS,
  PROJECTED_MODELS,
  projectedTokensPerSecond,
  projectionRows,
  projectionTable,
} from '../../../bench/metal/projection';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const TIERS: Readonly<Record<string, string>> = { '': 'kBase', Pro: 'kPro', Max: 'kMax', Ultra: 'kUltra' };

/** What the engine knows of a chip, GB/s; `cores` as in its table: of two with one name the one with fewer has 0. */
function bandwidthInTheEngine(title: string): number {
  const [, generation = '', tier = '', cores = '0'] =
    /^M(\d+) ?(\w*)(?: \((\d+) cores\))?$/.exec(title) ?? [];
  const entry = new RegExp(`\\{${generation}, ChipTier::${TIERS[tier] ?? '?'}, ${cores}, (\\d+)\\}`);
  return Number(entry.exec(read('native/device/metal/chip.cpp'))?.[1]);
}

describe('the projection', () => {
  it('is the table of docs/metal.md', () => {
    const section = read('docs/metal.md').split('## Projection')[1] ?? '';
    const rows = [...section.matchAll(/^\|(.*)\|$/gm)].map(([, cells = '']) =>
      cells.split('|').map((cell) => cell.trim()),
    );
    const [head, , ...lines] = rows;
    expect([head, ...lines]).toEqual(projectionTable());
  });

  it('has the bandwidths that the engine knows', () => {
    for (const { title, bandwidth } of PROJECTED_CHIPS) {
      expect(bandwidthInTheEngine(title), title).toBe(bandwidth);
    }
  });

  it('is what reading and launching take together', () => {
    const [model] = PROJECTED_MODELS;
    const [chip] = PROJECTED_CHIPS;
    if (model === undefined || chip === undefined) throw new Error('There is nothing to project.');
    // 30 layers of 3,538,944 weights of 5 bits, and 49,152 rows of 576 weights of 8.5 bits.
    expect(bytesOfToken(model)).toBe(30 * 3_538_944 * 0.625 + 49_152 * 576 * 1.0625);
    const seconds = bytesOfToken(model) / (0.8 * 68e9) + 153 * 2e-6;
    expect(projectedTokensPerSecond(model, chip)).toBeCloseTo(1 / seconds, 9);
  });

  it('says that it is one', () => {
    expect(formatProjection()).toMatch(/^Tokens a second, projected and not measured:\n\n\| model /);
    for (const { name } of projectionRows()) expect(name).toMatch(/^metal\/projected-/);
  });
});
