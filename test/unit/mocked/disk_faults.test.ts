/** A disk that is full or read-only, at each write in turn: what is told, what is left behind, and what a later start reads of it. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { NativeResult } from '../../../core/engine/native_result';
import { download } from '../../../core/models/download/download';
import { partOf } from '../../../core/models/download/part_files';
import { type LoadedFiles, LoadRecord } from '../../../core/models/load_record';
import { replaceJson } from '../../../core/models/small_file';
import { UsageTotals, type Usage } from '../../../core/statistics/usage';
import { UsageFile } from '../../../core/statistics/usage_file';
import { listenHere, type Listening } from '../../remote/loopback';
import { breakDisk, DISK_FAULTS, type DiskFault, mendDisk } from './failing_disk';

vi.mock('node:fs/promises', async (original) =>
  (await import('./failing_disk')).failing(await original<object>()),
);
vi.mock('node:fs', async (original) => (await import('./failing_disk')).failing(await original<object>()));

/** More than any of these writes. */
const MOST_WRITES = 100;
const CASES = DISK_FAULTS.flatMap((fault) => [false, true].map((lasting) => ({ fault, lasting })));

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-disk-'));
});
afterEach(() => {
  mendDisk();
  rmSync(folder, { recursive: true, force: true });
});

interface Work<T> {
  /** With a disk that works, in an empty folder. */
  readonly begin?: () => Promise<void>;
  /** With one that does not. */
  readonly attempt: () => Promise<T>;
  /** With one that works again. */
  readonly afterwards: (outcome: T) => Promise<void>;
}

/** Once for each write of the attempt, that one failing. @returns How many there are. */
async function atEachWrite<T>(
  { fault, lasting }: { readonly fault: DiskFault; readonly lasting: boolean },
  { begin, attempt, afterwards }: Work<T>,
): Promise<number> {
  for (let first = 1; first < MOST_WRITES; first++) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    await begin?.();
    breakDisk(first, fault, lasting);
    const outcome = await attempt();
    const failed = mendDisk() > 0;
    await afterwards(outcome);
    if (!failed) return first - 1;
  }
  throw new Error('it goes on writing');
}

const isFull = (fault: DiskFault): boolean => fault === 'ENOSPC' || fault === 'EDQUOT';
const namesIn = (path: string): string[] => (existsSync(path) ? readdirSync(path).sort() : []);

describe.each(CASES)('on a disk with $fault, lasting: $lasting,', ({ fault, lasting }) => {
  const disk = { fault, lasting };

  it('statistics are what they were or what they became, and told to be kept if not', async () => {
    const path = join(folder, 'storage', 'statistics.json');
    const before = counts('python', 2);
    const writes = await atEachWrite(disk, {
      begin: async () => expect(await new UsageFile(path).add(before)).toEqual(before),
      attempt: () => new UsageFile(path).add(counts('go', 1)),
      afterwards: async (sum) => {
        const kept = await new UsageFile(path).read();
        expect(kept).toEqual(sum ?? before);
        const left = namesIn(join(folder, 'storage')).filter((name) => name !== 'statistics.json');
        if (isFull(fault)) expect(left).toEqual([]);
        expect((await new UsageFile(path).add(counts('go', 1)))?.languages).toHaveLength(2);
      },
    });
    expect(writes).toBeGreaterThan(2);
  });

  it('the record of loads says nothing wrong of a model, and is right afterwards', async () => {
    const loads = join(folder, 'loads');
    const model = (name: string): LoadedFiles => {
      const modelPath = join(folder, name);
      if (!existsSync(modelPath)) writeFileSync(modelPath, name);
      return { modelPath, draftPath: '' };
    };
    const next = (): LoadRecord => new LoadRecord(loads, () => false);
    const writes = await atEachWrite(disk, {
      begin: () => next().note(model('known.gguf')),
      attempt: async () => {
        const record = next();
        await record.begin(model('bad.gguf'));
        await record.end(model('bad.gguf'), false);
        await record.begin(model('good.gguf'));
        await record.end(model('good.gguf'), true);
        await record.begin(model('bad.gguf'));
        record.leave();
      },
      afterwards: async () => {
        expect(await next().ran(model('known.gguf'))).toBe(true);
        expect(await next().ran(model('bad.gguf'))).toBe(false);
        const again = next();
        await again.begin(model('good.gguf'));
        await again.end(model('good.gguf'), true);
        expect(await next().ran(model('good.gguf'))).toBe(true);
        expect(await next().crashed(model('good.gguf'))).toBe(false);
        expect((await next().lastGood()).map(({ modelPath }) => modelPath)).toEqual(
          ['good.gguf', 'known.gguf'].map((name) => join(folder, name)),
        );
      },
    });
    expect(writes).toBeGreaterThan(6);
  });

  it('a download is whole or not there, says why, and goes on once the disk is mended', async () => {
    const server = await serve();
    try {
      const path = join(folder, 'models', 'm.gguf');
      const writes = await atEachWrite(disk, {
        attempt: () => fetchFrom(server.host, path),
        afterwards: async (result) => {
          expectTold(result, fault);
          if (existsSync(path)) expect(readFileSync(path).equals(CONTENT)).toBe(true);
          if (result.ok) return;
          expect(await fetchFrom(server.host, path)).toEqual({ ok: true, value: path });
          expect(readFileSync(path).equals(CONTENT)).toBe(true);
          expect(namesIn(join(folder, 'models')).filter((name) => !name.endsWith('.new'))).toEqual([
            'm.gguf',
          ]);
        },
      });
      expect(writes).toBeGreaterThan(6);
    } finally {
      await server.stop();
    }
  });

  it('what there was of a download is kept, as the sentence says', async () => {
    const there = 120_000;
    const server = await serve();
    try {
      const path = join(folder, 'models', 'm.gguf');
      await atEachWrite(disk, {
        begin: async () => {
          mkdirSync(join(folder, 'models'));
          writeFileSync(partOf(path), CONTENT.subarray(0, there));
          await replaceJson(`${path}.part.json`, { sha256: SHA256, bytes: CONTENT.length, etag: '"one"' });
        },
        attempt: () => fetchFrom(server.host, path),
        afterwards: async (result) => {
          expectTold(result, fault);
          if (result.ok) return;
          expect(statSync(partOf(path)).size).toBeGreaterThanOrEqual(there);
          asked = [];
          expect(await fetchFrom(server.host, path)).toEqual({ ok: true, value: path });
          // Nothing is asked for where all of it was there.
          for (const start of asked) expect(start).toBeGreaterThanOrEqual(there);
        },
      });
    } finally {
      await server.stop();
    }
  });
});

it('two writes of one file at once leave one of them, whole', async () => {
  const path = join(folder, 'notes.json');
  const contents = Array.from({ length: 20 }, (_, index) => ({ index, text: 'x'.repeat(index * 1_000) }));
  await Promise.all(contents.map((content) => replaceJson(path, content)));
  expect(contents).toContainEqual(JSON.parse(readFileSync(path, 'utf8')));
  expect(readdirSync(folder)).toEqual(['notes.json']);
});

function counts(language: string, shown: number): Usage {
  const totals = new UsageTotals(new Date('2026-03-01T10:00:00.000Z'));
  for (let count = 0; count < shown; count++) totals.shown(language);
  return totals.snapshot();
}

const CONTENT = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i + (i >> 8)) & 0xff));
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');
/** Where what was asked for began. */
let asked: number[] = [];

function serve(): Promise<Listening> {
  const server = createServer((request, response) => {
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    asked.push(start);
    response.writeHead(start === 0 ? 200 : 206, {
      etag: '"one"',
      'content-length': CONTENT.length - start,
      ...(start === 0 ? {} : { 'content-range': `bytes ${start}-${CONTENT.length - 1}/${CONTENT.length}` }),
    });
    response.end(CONTENT.subarray(start));
  });
  return listenHere(server);
}

function fetchFrom(host: string, path: string): Promise<NativeResult<string>> {
  const url = new URL(`http://${host}/m.gguf`);
  const signal = new AbortController().signal;
  return download({ url, path, bytes: CONTENT.length, sha256: SHA256 }, { signal, waitMs: 1 });
}

function expectTold(result: NativeResult<string>, fault: DiskFault): void {
  if (result.ok) return;
  const { code, message } = result.error;
  expect(code).toBe(isFull(fault) ? 'DISK_FULL' : 'DOWNLOAD_FAILED');
  expect(message).toMatch(
    isFull(fault) ? /^The disk is full; make room, .*\.$/ : /^The model could not be stored .*\.$/,
  );
}
