/** What killed processes leave half written is removed, and nothing else. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeUnfinished } from '../../core/models/unfinished_files';

const HOUR_MS = 3_600_000;
const DEAD = 77;

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-unfinished-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, ageMs: number): string {
  const path = join(folder, name);
  writeFileSync(path, '{"models":');
  const then = new Date(Date.now() - ageMs);
  utimesSync(path, then, then);
  return name;
}

const remove = (): Promise<readonly string[]> => removeUnfinished([folder], (id) => id !== DEAD);

it('removes what nobody writes any more, also of a clock that was set back', async () => {
  const left = [
    file(`statistics.json.${DEAD}-3.new`, HOUR_MS),
    file(`known.json.${DEAD}-1.new`, -24 * HOUR_MS),
    file('model-1-2-3.packed.123456.part', 25 * HOUR_MS),
    file('model-1-2-4.packed.123456.part', -25 * HOUR_MS),
  ];
  const kept = [
    file('statistics.json', 1_000 * HOUR_MS),
    // Young, or of a process that lives.
    file(`known.json.${DEAD}-2.new`, 0),
    file('known.json.78-1.new', HOUR_MS),
    file('model-1-2-5.packed.123456.part', HOUR_MS),
    file('model-1-2-6.packed', 1_000 * HOUR_MS),
    // A download, which goes on.
    file('model.gguf.part', 1_000 * HOUR_MS),
    file('mine.new', 1_000 * HOUR_MS),
  ];
  mkdirSync(join(folder, `folder.json.${DEAD}-1.new`));
  expect([...(await remove())].sort()).toEqual([...left].sort());
  expect(readdirSync(folder).sort()).toEqual([...kept, `folder.json.${DEAD}-1.new`].sort());
});

it('has nothing to do where there is no folder', async () => {
  expect(await removeUnfinished([join(folder, 'none')])).toEqual([]);
});
