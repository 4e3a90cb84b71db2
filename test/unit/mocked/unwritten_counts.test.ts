/** What was counted while nothing could be written is not lost, nor counted twice. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Statistics } from '../../../extension/dashboard/statistics';

const event = vi.hoisted(() => () => ({ dispose: () => undefined }));

vi.mock('vscode', () => ({
  EventEmitter: class {
    event = event;
    fire = (): undefined => undefined;
    dispose = (): undefined => undefined;
  },
  workspace: { onDidChangeTextDocument: event, onDidCloseTextDocument: event },
}));

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-counts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const shownIn = async (statistics: Statistics): Promise<number | undefined> =>
  (await statistics.usage()).languages.find(({ language }) => language === 'go')?.shown;

it('counts of a session outlast writes that fail, and are written once they can be', async () => {
  const storage = join(folder, 'storage');
  // A file in the place of the folder.
  writeFileSync(storage, '');
  const statistics = new Statistics(event, storage);
  for (let save = 1; save <= 3; save++) {
    statistics.session.usage.shown('go');
    await statistics.save();
    expect(await shownIn(statistics)).toBe(save);
  }
  rmSync(storage);
  await statistics.save();
  expect(await shownIn(statistics)).toBe(3);
  await statistics.close();
  const next = new Statistics(event, storage);
  expect(await shownIn(next)).toBe(3);
  next.dispose();
});

it('what is being written when the window closes is waited for', async () => {
  const statistics = new Statistics(event, folder);
  statistics.session.usage.shown('go');
  void statistics.save();
  await statistics.close();
  const written: unknown = JSON.parse(readFileSync(statistics.path, 'utf8'));
  expect(written).toMatchObject({ languages: [{ language: 'go', shown: 1 }] });
});
