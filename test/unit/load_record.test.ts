/** What outlives a process that a model brought down. */
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type LoadedFiles, LoadRecord } from '../../core/models/load_record';

const EMBEDDED: LoadedFiles = { modelPath: '', draftPath: '' };

let folder = '';
let loads = '';
let good: LoadedFiles;
let bad: LoadedFiles;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-loads-'));
  loads = join(folder, 'loads');
  good = model('good.gguf');
  bad = model('bad.gguf');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function model(name: string, content = name): LoadedFiles {
  const modelPath = join(folder, name);
  writeFileSync(modelPath, content);
  return { modelPath, draftPath: '' };
}

/** A record as the next process has it, for which those before are gone. */
/** The mark of this process becomes that of another one. */
function asOfAnother(): void {
  const name = readdirSync(loads).find((one) => one.startsWith('loading-')) ?? '';
  renameSync(join(loads, name), join(loads, 'loading-4711-0badcafe.json'));
}
const next = (): LoadRecord => new LoadRecord(loads, () => false);

describe('what is remembered of models', () => {
  it('is which ones ran, the last first, while their files are the same', async () => {
    const record = next();
    expect(await record.ran(good)).toBe(false);
    for (const files of [EMBEDDED, bad, good]) {
      await record.begin(files);
      await record.end(files, true);
    }
    expect(await next().ran(good)).toBe(true);
    expect((await next().lastGood()).map(({ modelPath }) => modelPath)).toEqual([
      good.modelPath,
      bad.modelPath,
      '',
    ]);
    model('good.gguf', 'another file of that name');
    expect(await next().ran(good)).toBe(false);
    expect((await next().lastGood())[0]?.modelPath).toBe(bad.modelPath);
    expect(await next().crashed(good)).toBe(false);
  });

  it('is not that one ran which could not be loaded', async () => {
    const record = next();
    await record.begin(bad);
    await record.end(bad, false);
    expect(await next().ran(bad)).toBe(false);
    expect(await next().crashed(bad)).toBe(false);
  });

  it('is which one was being loaded when a process was gone, until it is forgiven, runs or is another', async () => {
    await next().begin(bad);
    expect(await next().crashed(bad)).toBe(true);
    expect(await next().crashed(good)).toBe(false);
    await next().forgive(bad);
    expect(await next().crashed(bad)).toBe(false);
    await next().begin(bad);
    const again = next();
    await again.begin(bad);
    await again.end(bad, true);
    expect(await next().crashed(bad)).toBe(false);
    await next().begin(bad);
    model('bad.gguf', 'a whole file');
    expect(await next().crashed(bad)).toBe(false);
  });

  it('is nothing bad of a model that another window loads, or this one', async () => {
    const other = new LoadRecord(loads, () => true);
    await other.begin(bad);
    expect(await other.crashed(bad)).toBe(false);
    await other.begin(good);
    await other.end(good, true);
    expect(readdirSync(loads).filter((name) => name.startsWith('loading'))).toHaveLength(1);
    await other.end(bad, true);
    expect(readdirSync(loads)).toEqual(['known.json']);
  });

  it('is nothing bad of a model that another window loads when the clock is set', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      await new LoadRecord(loads).begin(bad);
      asOfAnother();
      for (const by of [86_400_000, -2 * 86_400_000]) {
        vi.setSystemTime(Date.now() + by);
        expect(await new LoadRecord(loads, () => true).crashed(bad)).toBe(false);
      }
      expect(await next().crashed(bad)).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is of a process that is gone where the machine was started since, or it took an hour', async () => {
    const at = (upMs: number): LoadRecord =>
      new LoadRecord(
        loads,
        () => true,
        () => upMs,
      );
    await at(5_000).begin(bad);
    asOfAnother();
    expect(await at(3_605_000).crashed(bad)).toBe(false);
    expect(await at(3_605_001).crashed(bad)).toBe(true);
    expect(await at(4_999).crashed(bad)).toBe(true);
  });

  it('is nothing bad of a process that was asked to leave', async () => {
    const record = next();
    await record.begin(bad);
    record.leave();
    expect(await next().crashed(bad)).toBe(false);
  });

  it('is nothing where its files are damaged or cannot be written', async () => {
    await next().begin(good);
    for (const name of readdirSync(loads)) writeFileSync(join(loads, name), '{"models": [3], "at"');
    expect(await next().crashed(good)).toBe(false);
    expect(await next().lastGood()).toEqual([]);
    const blocked = new LoadRecord(join(good.modelPath, 'no folder'));
    await blocked.begin(good);
    await blocked.end(good, true);
    expect(await blocked.ran(good)).toBe(false);
  });

  it.runIf(process.platform !== 'win32')('is for the eyes of its user alone', async () => {
    await next().begin(bad);
    expect(existsSync(loads)).toBe(true);
    expect(statSync(loads).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(loads)) expect(statSync(join(loads, name)).mode & 0o777).toBe(0o600);
  });
});
