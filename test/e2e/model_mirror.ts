/** A hub on this machine with one file, for the repository of a model of the catalogue. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { CatalogueModel } from '../../core/models/catalogue';
import { listenHere } from '../remote/loopback';

const COMMIT = 'a'.repeat(40);

export interface ModelMirror {
  readonly address: string;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
  readonly stop: () => Promise<void>;
}

/** A connection that is slow. */
export interface Pieces {
  readonly pieceBytes: number;
  /** Between two of them, ms. */
  readonly pieceMs: number;
}

/** @param pieces Default: all at once. */
export async function startMirror(
  { repository, revision, file }: CatalogueModel,
  content: Buffer,
  pieces: Pieces = { pieceBytes: content.length, pieceMs: 0 },
): Promise<ModelMirror> {
  const oid = createHash('sha256').update(content).digest('hex');
  const pages: Readonly<Record<string, unknown>> = {
    [`/api/models/${repository}/revision/${revision}`]: { sha: COMMIT },
    [`/api/models/${repository}/tree/${COMMIT}`]: [{ path: file, lfs: { oid, size: content.length } }],
  };
  const asked: string[] = [];
  const server = createServer(({ url = '', headers: { range } }, response) => {
    asked.push(url);
    const page = pages[url];
    if (page !== undefined) response.end(JSON.stringify(page));
    else if (url === `/${repository}/resolve/${COMMIT}/${file}`) {
      const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
      const part = { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` };
      const head = { 'content-length': content.length - from, etag: `"${oid}"` };
      response.writeHead(from === 0 ? 200 : 206, from === 0 ? head : { ...head, ...part });
      void pipeline(piecesFrom(content, from, pieces), response).catch(() => undefined);
    } else response.writeHead(404).end();
  });
  const { host, stop } = await listenHere(server);
  return { address: `http://${host}`, asked, stop };
}

async function* piecesFrom(content: Buffer, from: number, pieces: Pieces): AsyncGenerator<Buffer> {
  const { pieceBytes, pieceMs } = pieces;
  for (let at = from; at < content.length; at += pieceBytes) {
    yield content.subarray(at, at + pieceBytes);
    await delay(pieceMs);
  }
}
