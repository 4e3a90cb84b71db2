/** What a build leaves where the extension loads it from. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lacksAddon, putInPlaceIfBuilt } from '../../scripts/build.mjs';
import { temporaryFolder } from '../temporary_folder';

it('replaces what an earlier build left, and leaves nothing of it when nothing was built', () => {
  const folder = temporaryFolder();
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
});

it.each([
  { cache: undefined, lacks: false },
  { cache: 'CMAKE_BUILD_TYPE:STRING=Release\nCMAKE_JS_VERSION:UNINITIALIZED=8.0.0\n', lacks: false },
  { cache: 'CMAKE_BUILD_TYPE:STRING=Release\n', lacks: true },
])('sees whether a folder was configured without the addon: $cache', ({ cache, lacks }) => {
  const folder = temporaryFolder();
  if (cache !== undefined) writeFileSync(join(folder, 'CMakeCache.txt'), cache);
  expect(lacksAddon(folder)).toBe(lacks);
});
