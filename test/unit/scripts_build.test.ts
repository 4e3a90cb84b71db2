/** What a build leaves where the extension loads it from. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { putInPlaceIfBuilt } from '../../scripts/build.mjs';

it('replaces what an earlier build left, and leaves nothing of it when nothing was built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-build-'));
  try {
    const [built, place] = [join(folder, 'built'), join(folder, 'place')];
    putInPlaceIfBuilt(built, place);
    expect(existsSync(place)).toBe(false);
    for (const content of ['first', 'second']) {
      writeFileSync(built, content);
      putInPlaceIfBuilt(built, place);
      expect(readFileSync(place, 'utf8')).toBe(content);
    }
    expect(readdirSync(folder)).toEqual(['built', 'place']);
    rmSync(built);
    putInPlaceIfBuilt(built, place);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
