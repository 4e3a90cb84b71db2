/** What is fetched is made beside its place, and nothing stays there of what was given up. */
import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { inStaging } from '../../scripts/setup/tool_folder.mjs';
import { temporaryFolder } from '../temporary_folder';

let parent = '';
beforeEach(() => {
  parent = join(temporaryFolder(), 'tools');
});

it('is at its place when it is whole, and not before', async () => {
  const place = join(parent, 'tool');
  await inStaging(parent, async (staging) => {
    mkdirSync(join(staging, 'part'));
    expect(existsSync(place)).toBe(false);
    renameSync(staging, place);
    return Promise.resolve();
  });
  expect(readdirSync(parent)).toEqual(['tool']);
  expect(readdirSync(place)).toEqual(['part']);
});

it('is nowhere when it fails', async () => {
  const failing = inStaging(parent, (staging) => {
    mkdirSync(join(staging, 'part'));
    return Promise.reject(new Error('no network'));
  });
  await expect(failing).rejects.toThrow('no network');
  expect(readdirSync(parent)).toEqual([]);
});

it('goes later where its process was killed, and not while it is made', async () => {
  const [killed, young, tool] = ['staging-killed', 'staging-young', 'tool'].map((name) => join(parent, name));
  for (const folder of [killed, young, tool]) mkdirSync(join(folder ?? '', 'part'), { recursive: true });
  const long = new Date(Date.now() - 25 * 3_600_000);
  for (const folder of [killed, tool]) utimesSync(folder ?? '', long, long);
  await inStaging(parent, () => Promise.resolve());
  expect(readdirSync(parent).sort()).toEqual(['staging-young', 'tool']);
});
