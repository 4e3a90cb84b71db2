/** What keeps the JS thread and the user from waiting in vain: durations by clocks that nobody sets, and no queue of Node's between the threads. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');

/** Files of folders that match, relative to the root. */
function matching(folders: readonly string[], ends: RegExp, pattern: RegExp): string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && ends.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  expect(files.length).toBeGreaterThan(10);
  return files
    .filter((file) => pattern.test(readFileSync(file, 'utf8')))
    .map((file) => relative(ROOT, file).replaceAll('\\', '/'))
    .sort();
}

describe('the time of day', () => {
  it('measures no duration in TypeScript', () => {
    expect(matching(['core', 'extension', 'cli'], /\.ts$/, /\bDate\.now\b/)).toEqual([
      // Times of files are of the same clock.
      'core/models/download/lock.ts',
      'core/models/unfinished_files.ts',
      // What the user is told: until when.
      'extension/restraints.ts',
    ]);
  });

  it('measures no duration in C++', () => {
    // high_resolution_clock is the time of day with some libraries.
    const clocks = /\b(?:system_clock|high_resolution_clock|gettimeofday|CLOCK_REALTIME)\b/;
    expect(matching(['native'], /\.(?:cpp|h|mm)$/, clocks)).toEqual([]);
  });
});

describe('the addon', () => {
  it('wakes the JS thread by what takes no lock', () => {
    const queue = /\bnapi_(?:create|call|acquire|release)_threadsafe_function\b|\bThreadSafeFunction\b/;
    expect(matching(['native/addon'], /\.(?:cpp|h)$/, queue)).toEqual([]);
    expect(matching(['native/addon'], /\.cpp$/, /\buv_async_send\b/)).toEqual([
      'native/addon/event_loop.cpp',
    ]);
  });

  it('shares no mutex between the JS thread and threads of a lower priority', () => {
    expect(
      matching(['native/addon'], /\.(?:cpp|h)$/, /\bstd::(?:mutex|condition_variable|lock_guard)\b/),
    ).toEqual([]);
  });
});
