/**
 * The one file that opens connections. Two others ask it to: the downloader, when a user asked for a model (core/models/download/http_get.ts), and the
 * client of a remote engine, once a user chose one (core/remote/client.ts); unit/layering holds that.
 *
 * It uses node's own `https` and `http`: the editor replaces the functions of these modules in the extension host, so that requests go through the
 * proxy and trust the certificates that its settings name. A client with sockets of its own would go past both.
 */
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { rootCertificates } from 'node:tls';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Ends with an error if the connection breaks. */
  readonly body: IncomingMessage;
}

export interface Outgoing {
  readonly headers: Readonly<Record<string, string>>;
  /** Aborting it closes the connection. */
  readonly signal: AbortSignal;
  /** A server that says nothing for so long is gone, ms. */
  readonly idleMs: number;
  /** Sent as it is, by POST; default: none, by GET. */
  readonly body?: string;
  /** Certificates in PEM that are trusted beside the usual ones. */
  readonly ca?: string | undefined;
}

/** Asks; redirects are the caller's to follow. Rejects where no answer begins. */
export async function open(url: URL, outgoing: Outgoing): Promise<Answer> {
  const first = await send(url, outgoing);
  if (first !== 'stale') return first;
  const second = await send(url, outgoing);
  if (second === 'stale') throw new Error('the connection was closed before an answer began');
  return second;
}

/** The text of an answer; undefined where it is longer than `most` bytes. Rejects where the connection breaks. */
export async function readText({ body }: Answer, most: number): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > most) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** `stale`: the server closed a connection that was kept from another request, in the moment in which this one was sent. */
function send(url: URL, { headers, signal, idleMs, body, ca }: Outgoing): Promise<Answer | 'stale'> {
  return new Promise((resolve, reject) => {
    const begin = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request: ClientRequest = begin(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        // What is compressed on its way has other bytes and another length, and comes in other pieces.
        headers: { 'user-agent': 'emberline', 'accept-encoding': 'identity', ...headers },
        signal,
        timeout: idleMs,
        ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
      },
      (answer) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: answer }),
    );
    request.once('timeout', () => request.destroy(new Error(`nothing came for ${idleMs / 1_000} s`)));
    request.on('error', (error) => {
      const isStale = request.reusedSocket && 'code' in error && error.code === 'ECONNRESET';
      if (isStale && !signal.aborted) resolve('stale');
      else reject(error);
    });
    request.end(body);
  });
}
