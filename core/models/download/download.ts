/**
 * Fetches one file so that it is whole or not there: into a part beside it, which a later call goes on with (RFC 9110, range requests), and under
 * its own name once its length and SHA-256 are what they should be.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NativeResult } from '../../engine/native_result';
import type { Answer } from '../../http/connection';
import { reasonOf } from '../../http/reason';
import { readSmallJson, replaceJson } from '../small_file';
import { anotherLength, broken, damaged, type Failed, noRoom, notWritten, underWay } from './failures';
import { CANCELLED, get, statusError } from './http_get';
import { lock, unlock } from './lock';
import { notesOf, partOf, removePart } from './part_files';

export interface DownloadTarget {
  readonly url: URL;
  /** Where it will be; its folder is made. */
  readonly path: string;
  readonly bytes: number;
  /** 64 hexadecimal digits, lower case. */
  readonly sha256: string;
}

export interface DownloadProgress {
  readonly phase: 'fetching' | 'checking';
  readonly done: number;
  readonly total: number;
}

export interface DownloadOptions {
  readonly signal: AbortSignal;
  readonly progress?: (progress: DownloadProgress) => void;
  /** Bytes that may be written into a folder; default: what the system says. */
  readonly freeSpace?: (folder: string) => Promise<number>;
  /** How long to wait after a connection that broke, ms; twice as long each time. */
  readonly waitMs?: number;
}

/** Connections that break are made again so often, if nothing comes in between. */
const RETRIES = 4;
const WAIT_MS = 1_000;
/** What a disk has to have left afterwards, bytes. */
const RESERVE = 256 * 1_048_576;
/** Read at a time of what is checked: their digest takes up to a millisecond of the thread that also handles keys. */
const CHECKED_BYTES = 262_144;
/** Answers of a server that has trouble of its own. */
const TROUBLE = new Set([408, 429, 500, 502, 503, 504]);

/** Paths that this process downloads to. */
const underWayHere = new Set<string>();

/** Gives the path once the file is there. A download that is stopped or fails keeps its part, unless that is wrong. Never rejects. */
export async function download(
  target: DownloadTarget,
  options: DownloadOptions,
): Promise<NativeResult<string>> {
  const { path } = target;
  if (underWayHere.has(path)) return underWay(path);
  underWayHere.add(path);
  try {
    return await downloadAlone(target, options);
  } finally {
    underWayHere.delete(path);
  }
}

async function downloadAlone(
  target: DownloadTarget,
  options: DownloadOptions,
): Promise<NativeResult<string>> {
  const { path } = target;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (!(await lock(path))) return underWay(path);
  } catch (error) {
    return notWritten(error);
  }
  try {
    const fetched = await fetchAll(target, options);
    return fetched.ok ? await finish(target, options) : fetched;
  } catch (error) {
    return options.signal.aborted ? { ok: false, error: CANCELLED } : notWritten(error);
  } finally {
    await unlock(path);
  }
}

async function fetchAll(target: DownloadTarget, options: DownloadOptions): Promise<NativeResult<undefined>> {
  const { signal, waitMs = WAIT_MS, freeSpace = freeSpaceOf } = options;
  let most = -1;
  for (let tries = 0; ; tries++) {
    const there = await validPart(target);
    if (there === target.bytes) return { ok: true, value: undefined };
    const free = await freeSpace(dirname(target.path));
    const needed = target.bytes - there + RESERVE;
    if (free < needed) return noRoom(needed, free);
    // Only what was never reached before is progress: a server may make one start again and again.
    if (there > most) tries = 0;
    most = Math.max(most, there);
    const fetched = await fetchRest(target, there, options);
    if (fetched.ok || !fetched.again || tries >= RETRIES) return fetched;
    // A rejection is a stop.
    await delay(waitMs * 2 ** tries, undefined, { signal });
  }
}

/** Bytes of a part that can be gone on with; a part that cannot is removed. */
async function validPart({ path, bytes, sha256 }: DownloadTarget): Promise<number> {
  const part = await stat(partOf(path)).catch(() => undefined);
  const notes = await readSmallJson(notesOf(path));
  if (part?.isFile() === true && part.size <= bytes && notes['sha256'] === sha256 && notes['bytes'] === bytes)
    return part.size;
  await removePart(path);
  return 0;
}

type Fetched = { readonly ok: true; readonly value: undefined } | (Failed & { readonly again: boolean });

function startAgain(url: URL): Failed & { readonly again: boolean } {
  return { ...broken(url, 'the file there is another by now'), again: true };
}

/** One connection. */
async function fetchRest(target: DownloadTarget, there: number, options: DownloadOptions): Promise<Fetched> {
  const { url, path, bytes } = target;
  const { signal } = options;
  const notes = await readSmallJson(notesOf(path));
  const etag = notes['origin'] === url.origin && typeof notes['etag'] === 'string' ? notes['etag'] : '';
  const range: Record<string, string> = there === 0 ? {} : { range: `bytes=${there}-` };
  if (there > 0 && etag !== '') range['if-range'] = etag;
  const asked = await get(url, range, signal);
  if (!asked.ok) return { ...asked, again: asked.error.code === 'DOWNLOAD_FAILED' };
  const { status, headers, body } = asked.value;
  try {
    const given = strongTag(headers.etag);
    const changed = etag !== '' && given !== '' && given !== etag;
    if (status === 416 || (status === 206 && (changed || !continues(asked.value, there, bytes)))) {
      await removePart(path);
      return there === 0 ? { ...statusError(url, status), again: false } : startAgain(url);
    }
    if (status !== 200 && status !== 206) return { ...statusError(url, status), again: TROUBLE.has(status) };
    // The whole file: the server has another one by now, or takes no ranges.
    const from = status === 206 ? there : 0;
    const length = Number(headers['content-length'] ?? bytes - from);
    // A page that asks for a password, perhaps: no reason to give up what is there.
    if (length !== bytes - from) return { ...anotherLength(url, from + length, bytes), again: false };
    // What has to be the same for the part to be gone on with.
    await replaceJson(notesOf(path), { sha256: target.sha256, bytes, etag: given, origin: url.origin });
    return await writeBody(asked.value, target, from, options);
  } finally {
    body.destroy();
  }
}

async function writeBody(
  { body }: Answer,
  { url, path, bytes }: DownloadTarget,
  from: number,
  { signal, progress }: DownloadOptions,
): Promise<Fetched> {
  const file = await open(partOf(path), from === 0 ? 'w' : 'r+', 0o600);
  let done = from;
  try {
    for await (const piece of piecesOf(body)) {
      if (done + piece.length > bytes) {
        await removePart(path);
        return { ...damaged(path, `more than its ${bytes} bytes came`), again: false };
      }
      await writeFully(file, piece, done);
      done += piece.length;
      progress?.({ phase: 'fetching', done, total: bytes });
    }
  } catch (error) {
    if (signal.aborted) return { ok: false, error: CANCELLED, again: false };
    if (!(error instanceof BrokenConnection)) return { ...notWritten(error), again: false };
    return { ...broken(url, error.message), again: true };
  } finally {
    await file.close();
  }
  return done === bytes
    ? { ok: true, value: undefined }
    : { ...broken(url, 'the connection ended early'), again: true };
}

/** Tells a connection that broke from a disk that is full. */
class BrokenConnection extends Error {}

async function* piecesOf(body: Answer['body']): AsyncGenerator<Buffer> {
  try {
    for await (const piece of body as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    throw new BrokenConnection(reasonOf(error));
  }
}

async function writeFully(file: FileHandle, piece: Buffer, position: number): Promise<void> {
  for (let written = 0; written < piece.length;) {
    const { bytesWritten } = await file.write(piece, written, piece.length - written, position + written);
    written += bytesWritten;
  }
}

/** Whether a partial answer goes on where the part ends, in a file of the same length. */
function continues({ headers }: Answer, there: number, bytes: number): boolean {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
  return Number(start) === there && (total === '*' || Number(total) === bytes);
}

/** Checks the whole part and gives it its name. */
async function finish(
  target: DownloadTarget,
  { signal, progress }: DownloadOptions,
): Promise<NativeResult<string>> {
  const { path, bytes, sha256 } = target;
  const { done, sha256: found } = await digestOf(partOf(path), signal, (done) => {
    progress?.({ phase: 'checking', done, total: bytes });
  });
  if (done !== bytes || found !== sha256) {
    await removePart(path);
    return damaged(path, 'its SHA-256 is another');
  }
  const file = await open(partOf(path), 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partOf(path), path);
  // The file is there, whatever becomes of its notes.
  await rm(notesOf(path), { force: true }).catch(() => undefined);
  return { ok: true, value: path };
}

/** Reads into one buffer: a new one a piece has the collector of the extension host pause some hundred times for a model. */
async function digestOf(
  path: string,
  signal: AbortSignal,
  progress: (done: number) => void,
): Promise<{ readonly done: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  const buffer = Buffer.alloc(CHECKED_BYTES);
  const file = await open(path, 'r');
  let done = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, buffer.length, done);
      if (bytesRead === 0) return { done, sha256: hash.digest('hex') };
      hash.update(buffer.subarray(0, bytesRead));
      done += bytesRead;
      progress(done);
    }
  } finally {
    await file.close();
  }
}

async function freeSpaceOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** If-Range takes no weak validator. */
function strongTag(tag: string | undefined): string {
  return tag === undefined || tag.startsWith('W/') ? '' : tag;
}
