/** What a build leaves where the extension loads it from. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lacksAddon, putInPlaceIfBuilt } from '../../scripts/build.mjs';

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

it.each([
  { cache: undefined, lacks: false },
  { cache: 'CMAKE_BUILD_TYPE:STRING=Release\nCMAKE_JS_VERSION:UNINITIALIZED=8.0.0\n', lacks: false },
  { cache: 'CMAKE_BUILD_TYPE:STRING=Release\n', lacks: true },
])('sees whether a folder was configured without the addon: $cache', ({ cache, lacks }) => {
  const folder = mkdtempSync(join(tmpdir(), 'emberline-build-'));
  try {
    if (cache !== undefined) writeFileSync(join(folder, 'CMakeCache.txt'), cache);
    expect(lacksAddon(folder)).toBe(lacks);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
