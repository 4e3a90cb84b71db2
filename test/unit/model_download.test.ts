/** Downloads from a server on this machine that does to them what networks and servers do. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CATALOGUE, type CatalogueModel, HUB } from '../../core/models/catalogue';
import { download, type DownloadOptions } from '../../core/models/download/download';
import { baseOf, hubFile } from '../../core/models/download/hub';
import { partOf } from '../../core/models/download/part_files';
import { removeStored, storedModels, storedPath } from '../../core/models/stored_models';
import type { NativeResult } from '../../core/engine/native_result';
import { listenHere, type Listening } from '../remote/loopback';

const CONTENT = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * i + (i >> 8)) & 0xff));
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const SHA256 = sha256(CONTENT);

let folder = '';
let path = '';
let server: Listening;
let origin = '';
/** What was asked for: `PATH RANGE IF-RANGE`. */
let asked: string[];
let answer: (request: IncomingMessage, response: ServerResponse) => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'emberline-download-'));
  path = join(folder, 'models', 'm.gguf');
  asked = [];
  answer = serve();
  server = await listenHere(
    createServer((request, response) => {
      const { range = '-', 'if-range': ifRange = '-' } = request.headers;
      asked.push(`${request.url ?? ''} ${range} ${String(ifRange)}`);
      answer(request, response);
    }),
  );
  origin = `http://${server.host}`;
});
afterEach(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Manners {
  readonly content?: Buffer;
  readonly etag?: string;
  /** Breaks off behind so many bytes of the body. */
  readonly drop?: number;
  readonly ranges?: boolean;
  /** Says nothing more behind so many bytes. */
  readonly hold?: number;
  /** Whether If-Range is looked at. */
  readonly careful?: boolean;
  /** In the place of the true one. */
  readonly length?: number;
}

/** A server of one file. */
function serve({
  content = CONTENT,
  etag = '"one"',
  drop,
  hold,
  ranges = true,
  careful = true,
  length,
}: Manners = {}): typeof answer {
  return (request, response) => {
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const ifRange = request.headers['if-range'];
    const partial = ranges && start > 0 && (!careful || ifRange === undefined || ifRange === etag);
    const body = partial ? content.subarray(start) : content;
    response.writeHead(partial ? 206 : 200, {
      etag,
      'content-length': length ?? body.length,
      ...(partial ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` } : {}),
    });
    if (hold !== undefined) response.write(body.subarray(0, hold));
    else if (drop === undefined) response.end(body);
    else response.write(body.subarray(0, drop), () => response.destroy());
  };
}

/** One manner after the other, the last from then on. */
function inTurn(...manners: readonly Manners[]): void {
  const turns = manners.map(serve);
  answer = (request, response) => (turns.length > 1 ? turns.shift() : turns[0])?.(request, response);
}

function fetchIt(
  changes: Partial<DownloadOptions> = {},
  bytes = CONTENT.length,
): Promise<NativeResult<string>> {
  const target = { url: new URL(`${origin}/m.gguf`), path, bytes, sha256: SHA256 };
  return download(target, { signal: new AbortController().signal, waitMs: 1, ...changes });
}

const codeOf = (result: NativeResult<unknown>): string => (result.ok ? 'OK' : result.error.code);
const filesThere = (): string[] => readdirSync(join(folder, 'models'));

/** Leaves the first `bytes` of the file as a stopped download does. */
async function leavePart(bytes: number): Promise<void> {
  answer = serve({ hold: bytes });
  const controller = new AbortController();
  const stopped = fetchIt({
    signal: controller.signal,
    progress: ({ done }) => {
      if (done >= bytes) controller.abort();
    },
  });
  expect(codeOf(await stopped)).toBe('CANCELLED');
  expect(statSync(partOf(path)).size).toBe(bytes);
  expect(existsSync(path)).toBe(false);
  asked = [];
}

describe('a download', () => {
  it('is whole, checked, private, and alone in its folder', async () => {
    const phases = new Set<string>();
    const result = await fetchIt({ progress: ({ phase }) => phases.add(phase) });
    expect(result).toEqual({ ok: true, value: path });
    expect(readFileSync(path).equals(CONTENT)).toBe(true);
    expect([...phases]).toEqual(['fetching', 'checking']);
    expect(filesThere()).toEqual(['m.gguf']);
    if (process.platform === 'win32') return;
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'models')).mode & 0o777).toBe(0o700);
  });

  it('goes on where the connection broke, as often as something came', async () => {
    inTurn({ drop: 70_000 }, { drop: 70_000 }, { drop: 0 }, {});
    expect(codeOf(await fetchIt())).toBe('OK');
    expect(readFileSync(path).equals(CONTENT)).toBe(true);
    // What had not been read when a connection broke is lost with it.
    const starts = asked.map((line) => Number(/bytes=(\d+)- "one"$/.exec(line)?.[1] ?? 0));
    expect(starts).toHaveLength(4);
    expect(starts[1]).toBeGreaterThan(0);
    expect(starts[2]).toBeGreaterThan(starts[1] ?? 0);
    expect(starts[3]).toBe(starts[2]);
  });

  it('gives up where nothing comes any more, and keeps its part', async () => {
    inTurn({ drop: 70_000 }, { drop: 0 });
    expect(codeOf(await fetchIt())).toBe('DOWNLOAD_FAILED');
    expect(asked.length).toBeLessThan(10);
    expect(statSync(partOf(path)).size).toBeGreaterThan(0);
    expect(existsSync(path)).toBe(false);
  });

  it('that was stopped goes on after a restart', async () => {
    await leavePart(100_000);
    answer = serve();
    expect(codeOf(await fetchIt())).toBe('OK');
    expect(asked).toEqual(['/m.gguf bytes=100000- "one"']);
    expect(readFileSync(path).equals(CONTENT)).toBe(true);
  });

  it.each([
    ['the server takes no ranges', { ranges: false }],
    ['the file has another ETag', { etag: '"two"' }],
  ])('that was stopped starts again where %s', async (_, manners) => {
    await leavePart(100_000);
    answer = serve(manners);
    expect(codeOf(await fetchIt())).toBe('OK');
    expect(asked).toHaveLength(1);
    expect(readFileSync(path).equals(CONTENT)).toBe(true);
  });

  it('starts again where a part has another ETag, though If-Range asked for the whole', async () => {
    await leavePart(100_000);
    answer = serve({ etag: '"two"', careful: false });
    expect(codeOf(await fetchIt())).toBe('OK');
    expect(asked).toEqual(['/m.gguf bytes=100000- "one"', '/m.gguf - -']);
  });

  it('starts again where the part is of another file, or its notes are gone', async () => {
    mkdirSync(join(folder, 'models'));
    writeFileSync(partOf(path), 'something else');
    expect(codeOf(await fetchIt())).toBe('OK');
    expect(asked).toEqual(['/m.gguf - -']);
  });

  it('with another SHA-256 is not there afterwards, nor its part', async () => {
    const wrong = Buffer.from(CONTENT);
    wrong[200_000] = (wrong[200_000] ?? 0) ^ 1;
    answer = serve({ content: wrong });
    expect(codeOf(await fetchIt())).toBe('DOWNLOAD_DAMAGED');
    expect(filesThere()).toEqual([]);
  });

  it('of another length is refused before anything of it is written, and costs no part', async () => {
    await leavePart(100_000);
    answer = serve({ content: Buffer.from('<html>Please log in.</html>'), ranges: false });
    expect(codeOf(await fetchIt())).toBe('DOWNLOAD_FAILED');
    expect(statSync(partOf(path)).size).toBe(100_000);
  });

  it('whose Content-Length says more than comes is cut, and so broken off', async () => {
    answer = serve({ content: CONTENT.subarray(0, 90_000), length: CONTENT.length, drop: 90_000 });
    expect(codeOf(await fetchIt())).toBe('DOWNLOAD_FAILED');
    expect(existsSync(path)).toBe(false);
  });

  it('without a length that goes past its end is refused', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'transfer-encoding': 'chunked' });
      response.end(Buffer.concat([CONTENT, CONTENT]));
    };
    expect(codeOf(await fetchIt())).toBe('DOWNLOAD_DAMAGED');
    expect(filesThere()).toEqual([]);
  });

  it('is not begun where the disk has no room, nor gone on with', async () => {
    const full = (): Promise<number> => Promise.resolve(200 * 1_048_576);
    expect(codeOf(await fetchIt({ freeSpace: full }))).toBe('DISK_FULL');
    expect(asked).toEqual([]);
    await leavePart(100_000);
    expect(codeOf(await fetchIt({ freeSpace: full }))).toBe('DISK_FULL');
    expect(statSync(partOf(path)).size).toBe(100_000);
  });

  it('is not made twice at once', async () => {
    let hold: ServerResponse | undefined;
    answer = (_, response) => {
      hold = response;
    };
    const first = fetchIt();
    await expect.poll(() => hold !== undefined).toBe(true);
    const second = await fetchIt();
    // In this window or another one.
    const message = expect.stringMatching(/^\S+ is being downloaded already; wait for it\.$/) as string;
    expect(second).toMatchObject({ error: { message } });
    hold?.writeHead(200, { 'content-length': CONTENT.length }).end(CONTENT);
    expect(codeOf(await first)).toBe('OK');
  });

  it('is not kept from being made by a lock that a killed process did not sign', async () => {
    mkdirSync(join(folder, 'models'));
    writeFileSync(`${path}.part.lock`, '');
    expect(codeOf(await fetchIt())).toBe('OK');
    expect(filesThere()).toEqual(['m.gguf']);
  });

  it.each([-1, 1])(
    'whose lock is %i day from now, of an id that another process has by now, is made',
    async (days) => {
      mkdirSync(join(folder, 'models'));
      // It lives.
      writeFileSync(`${path}.part.lock`, String(process.ppid));
      const then = new Date(Date.now() + days * 86_400_000);
      utimesSync(`${path}.part.lock`, then, then);
      expect(codeOf(await fetchIt())).toBe('OK');
      expect(filesThere()).toEqual(['m.gguf']);
    },
  );

  it('that another window writes to is left to it, whatever the clock did since it began', async () => {
    await leavePart(100_000);
    writeFileSync(`${path}.part.lock`, String(process.ppid));
    for (const days of [-1, 1]) {
      const then = new Date(Date.now() + days * 86_400_000);
      utimesSync(`${path}.part.lock`, then, then);
      expect(codeOf(await fetchIt())).toBe('DOWNLOAD_FAILED');
    }
    expect(asked).toEqual([]);
  });

  it('tries again where a server has trouble, not where it says no', async () => {
    const statuses = [503, 429];
    answer = (request, response) => {
      const status = statuses.shift();
      if (status === undefined) serve()(request, response);
      else response.writeHead(status).end();
    };
    expect(codeOf(await fetchIt())).toBe('OK');
    rmSync(path);
    answer = (_, response) => void response.writeHead(404).end();
    asked = [];
    expect(codeOf(await fetchIt())).toBe('DOWNLOAD_FAILED');
    expect(asked).toHaveLength(1);
  });

  it('follows redirects, but to no place that is asked without encryption', async () => {
    const redirect =
      (location: string): typeof answer =>
      (request, response) => {
        if (request.url === '/m.gguf') response.writeHead(302, { location }).end();
        else serve()(request, response);
      };
    answer = redirect('/elsewhere');
    expect(codeOf(await fetchIt())).toBe('OK');
    rmSync(path);
    for (const location of [
      'http://192.0.2.1/m.gguf',
      'ftp://192.0.2.1/m',
      'file:///etc/passwd',
      '/m.gguf',
    ]) {
      answer = redirect(location);
      expect(codeOf(await fetchIt()), location).toBe('DOWNLOAD_FAILED');
    }
  });
});

describe('a hub', () => {
  const COMMIT = 'c'.repeat(40);
  const model: CatalogueModel = {
    id: 'm',
    name: 'M',
    repository: 'org/M-GGUF',
    revision: 'main',
    file: 'm.gguf',
    quantization: 'Q8_0',
    licence: 'MIT',
    note: '',
  };
  const { signal } = new AbortController();
  const pages = (lfs: object, path = 'm.gguf'): Record<string, unknown> => ({
    '/api/models/org/M-GGUF/revision/main': { sha: COMMIT },
    [`/api/models/org/M-GGUF/tree/${COMMIT}`]: [{ path: 'README.md' }, { path, size: 1, lfs }],
  });
  function publish(found: Record<string, unknown>): void {
    answer = (request, response) => {
      const page = found[request.url ?? ''];
      response.writeHead(page === undefined ? 404 : 200).end(JSON.stringify(page ?? {}));
    };
  }

  it('says commit, length and SHA-256 of a file', async () => {
    publish(pages({ oid: SHA256, size: 300_000 }));
    const file = await hubFile(model, origin, signal);
    expect(file).toMatchObject({ ok: true, value: { bytes: 300_000, sha256: SHA256, knownBy: 'server' } });
    if (file.ok) expect(file.value.url.href).toBe(`${origin}/org/M-GGUF/resolve/${COMMIT}/m.gguf`);
  });

  it('is not asked about a file that is known', async () => {
    const known = { ...model, revision: COMMIT, bytes: 300_000, sha256: SHA256 };
    expect(await hubFile(known, 'https://mirror.example/hub/', signal)).toEqual({
      ok: true,
      value: {
        url: new URL(`https://mirror.example/hub/org/M-GGUF/resolve/${COMMIT}/m.gguf`),
        bytes: 300_000,
        sha256: SHA256,
        knownBy: 'catalogue',
      },
    });
    expect(asked).toEqual([]);
  });

  it.each([
    ['has another SHA-256 than is known', { oid: 'd'.repeat(64), size: 300_000 }, 'm.gguf'],
    ['says none', {}, 'm.gguf'],
    ['says nonsense', { oid: 'sha256:x', size: -1 }, 'm.gguf'],
    ['has no such file', { oid: SHA256, size: 300_000 }, 'other.gguf'],
  ])('that %s is not downloaded from', async (_, lfs, path) => {
    publish(pages(lfs, path));
    expect(codeOf(await hubFile({ ...model, sha256: SHA256 }, origin, signal))).toBe('DOWNLOAD_FAILED');
  });

  it('is asked over TLS, but for one on this machine', () => {
    expect(baseOf(HUB)?.href).toBe('https://huggingface.co/');
    expect(baseOf('http://127.0.0.1:8080')).toBeDefined();
    for (const mirror of [
      '',
      'huggingface.co',
      'http://mirror.example',
      'ftp://mirror.example',
      'https://a:b@mirror.example',
      'http://127.0.0.1.example',
    ])
      expect(baseOf(mirror), mirror).toBeUndefined();
  });
});

describe('the catalogue', () => {
  it('has one model an id, with a licence, and hashes whole or not at all', () => {
    expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(CATALOGUE.length);
    for (const model of CATALOGUE) {
      expect(model.repository, model.id).toMatch(/^[\w.-]+\/[\w.-]+$/);
      expect(model.file, model.id).toMatch(/^[\w.-]+\.gguf$/);
      expect(model.revision, model.id).toMatch(/^(main|[0-9a-f]{40})$/);
      expect(model.licence, model.id).toMatch(/\S/);
      expect(model.note, model.id).toMatch(/\.$/);
      expect(model.sha256 === undefined, model.id).toBe(model.bytes === undefined);
      if (model.sha256 !== undefined) expect(model.sha256, model.id).toMatch(/^[0-9a-f]{64}$/);
      if (model.bytes !== undefined) expect(model.revision, model.id).toMatch(/^[0-9a-f]{40}$/);
    }
  });

  it('knows which of them are stored, whole or in part, and removes them', async () => {
    const [one, other] = CATALOGUE;
    if (one === undefined || other === undefined) throw new Error('The catalogue is empty.');
    for (const [model, name] of [
      [one, storedPath(folder, one)],
      [other, `${storedPath(folder, other)}.part`],
    ] as const) {
      mkdirSync(join(folder, model.repository.replace('/', '--')));
      writeFileSync(name, 'abc');
    }
    writeFileSync(`${storedPath(folder, other)}.part.json`, JSON.stringify({ bytes: 9 }));
    const stored = await storedModels(folder);
    expect(stored.map(({ model, bytes, of }) => [model.id, bytes, of])).toEqual([
      [one.id, 3, undefined],
      [other.id, 3, 9],
    ]);
    for (const model of stored) await removeStored(model);
    expect(await storedModels(folder)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });
});
