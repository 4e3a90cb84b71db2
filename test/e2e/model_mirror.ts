/** A hub on this machine with one file, for the repository of a model of the catalogue. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CatalogueModel } from '../../core/models/catalogue';

const COMMIT = 'a'.repeat(40);

export interface ModelMirror {
  readonly address: string;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
  readonly stop: () => Promise<void>;
}

export async function startMirror(
  { repository, revision, file }: CatalogueModel,
  content: Buffer,
): Promise<ModelMirror> {
  const oid = createHash('sha256').update(content).digest('hex');
  const pages: Readonly<Record<string, unknown>> = {
    [`/api/models/${repository}/revision/${revision}`]: { sha: COMMIT },
    [`/api/models/${repository}/tree/${COMMIT}`]: [{ path: file, lfs: { oid, size: content.length } }],
  };
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const page = pages[url];
    if (page !== undefined) response.end(JSON.stringify(page));
    else if (url === `/${repository}/resolve/${COMMIT}/${file}`)
      response.writeHead(200, { 'content-length': content.length, etag: `"${oid}"` }).end(content);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    asked,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
