/**
 * The one file that opens connections, and does so only when a user asked for a model.
 *
 * It uses node's own `https` and `http`: the editor replaces the functions of these modules in the extension host, so that requests go through the
 * proxy and trust the certificates that its settings name. A client with sockets of its own would go past both.
 */
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { NativeError, NativeResult } from '../../engine/native_result';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Ends with an error if the connection breaks. */
  readonly body: IncomingMessage;
}

/** A server that says nothing for so long is gone, ms. */
const IDLE_MS = 60_000;
const MOST_REDIRECTS = 6;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Lists of files are small. */
const MOST_JSON_BYTES = 8 * 1_048_576;

/** Whether a mirror may be asked: over TLS, or on this machine itself. */
export function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Follows redirects, from TLS to nothing else. Whatever status the last one has is the caller's to judge. Never rejects. */
export async function get(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<NativeResult<Answer>> {
  let place = url;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    // A redirect into this machine is for mirrors on it alone.
    if (!isSafe(place) || (url.protocol === 'https:' && place.protocol !== 'https:'))
      return failed(`${place.host} is asked for without encryption, which is refused`);
    let answer: Answer;
    try {
      answer = await ask(place, headers, signal);
    } catch (error) {
      return signal.aborted ? { ok: false, error: CANCELLED } : failed(`${place.host}: ${reasonOf(error)}`);
    }
    const { location } = answer.headers;
    if (!REDIRECTS.has(answer.status) || location === undefined) return { ok: true, value: answer };
    answer.body.destroy();
    if (!URL.canParse(location, place.href)) return failed(`${place.host} redirects to no address`);
    place = new URL(location, place);
  }
  return failed(`${url.host} redirects without end`);
}

/** The JSON at an address. Never rejects. */
export async function getJson(url: URL, signal: AbortSignal): Promise<NativeResult<unknown>> {
  const answer = await get(url, { accept: 'application/json' }, signal);
  if (!answer.ok) return answer;
  const { status, body } = answer.value;
  try {
    if (status !== 200) return statusError(url, status);
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > MOST_JSON_BYTES) return failed(`${url.host} answers with more than it should`);
      pieces.push(piece);
    }
    return { ok: true, value: JSON.parse(Buffer.concat(pieces).toString('utf8')) };
  } catch (error) {
    return signal.aborted ? { ok: false, error: CANCELLED } : failed(`${url.host}: ${reasonOf(error)}`);
  } finally {
    body.destroy();
  }
}

/** What a status other than the one that was hoped for says. */
export function statusError({ host }: URL, status: number): { readonly ok: false; readonly error: NativeError } {
  return failed(`${host} answers with status ${status}`);
}

export const CANCELLED: NativeError = {
  code: 'CANCELLED',
  message: 'The download was stopped; what there is of it is kept.',
};

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection broke';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message === '' ? code || 'the connection broke' : error.message;
}

function failed(reason: string): { readonly ok: false; readonly error: NativeError } {
  const message = `The download failed (${reason}); check the connection, the proxy of VS Code's settings and emberline.model.mirror, then go on with it.`;
  return { ok: false, error: { code: 'DOWNLOAD_FAILED', message } };
}

function ask(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request: ClientRequest = send(
      url,
      // A file that is compressed on its way has other bytes and another length.
      { headers: { 'user-agent': 'emberline', 'accept-encoding': 'identity', ...headers }, signal, timeout: IDLE_MS },
      (body) => resolve({ status: body.statusCode ?? 0, headers: body.headers, body }),
    );
    request.once('timeout', () => request.destroy(new Error(`nothing came for ${IDLE_MS / 1_000} s`)));
    request.on('error', reject);
    request.end();
  });
}
