/** What can be wrong with a remote engine, in sentences that say what to do. What a server says is never repeated: it may quote a key or a document. */
import type { NativeError, RemoteErrorCode } from '../engine/native_result';

/** Errors that do not go by themselves: somebody has to change something. */
const LASTING: ReadonlySet<NativeError['code']> = new Set<RemoteErrorCode>([
  'REMOTE_ADDRESS',
  'REMOTE_KEY',
  'REMOTE_MODEL',
]);

export function isLasting({ code }: NativeError): boolean {
  return LASTING.has(code);
}

export interface RemoteError extends NativeError {
  readonly code: RemoteErrorCode;
  /** The server's own wish: not to be asked for so long, ms. */
  readonly retryAfterMs?: number;
  /** With what the server refused, where it answered. */
  readonly status?: number;
}

export function remoteError(code: RemoteErrorCode, message: string, retryAfterMs?: number): RemoteError {
  return { code, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/**
 * What a status other than 200 says.
 * @param retryAfter The header, if it is there.
 */
export function statusError(host: string, status: number, retryAfter?: string): RemoteError {
  return { ...ofStatus(host, status, retryAfter), status };
}

/** Of a server that is reached without encryption: a key for it is of no use. */
export function keyNotSent(host: string): RemoteError {
  return remoteError(
    'REMOTE_KEY',
    `No key is sent to ${host}, for whoever is in the network could read it; put https in front of the server, and into emberline.remote.url.`,
  );
}

/** As llama.cpp's server names it, and as vLLM and SGLang write it. */
const TOO_LONG = /"exceed_context_size_error"|maximum context length|longer than the (?:model's )?context/i;

/** Whether a refusal's text is about the length of what was sent; it goes no further. */
export function isTooLong(said: string | undefined): boolean {
  return said !== undefined && TOO_LONG.test(said);
}

/** Whoever wrote the prompt may try a shorter one. */
export function tooLong(host: string, status: number): NativeError & Pick<RemoteError, 'status'> {
  const message = `The text is longer than the model of ${host} reads; lower emberline.completion.promptTokens, or give the server a larger context.`;
  return { code: 'CONTEXT_OVERFLOW', message, status };
}

function ofStatus(host: string, status: number, retryAfter?: string): RemoteError {
  switch (status) {
    case 401:
    case 403:
      return remoteError(
        'REMOTE_KEY',
        `${host} does not accept the key (status ${status}); set it with Emberline: Set the Key of the Remote Engine….`,
      );
    case 404:
      return remoteError(
        'REMOTE_MODEL',
        `${host} has no such model or path (status 404); check emberline.remote.url, .protocol and .model.`,
      );
    case 407:
      return remoteError(
        'REMOTE_UNREACHABLE',
        `The proxy on the way to ${host} wants to know who asks; check http.proxy.`,
      );
    case 429:
    case 503:
      return remoteError(
        'REMOTE_BUSY',
        `${host} is busy (status ${status}); it is asked again later.`,
        waitOf(retryAfter),
      );
    default:
      if (status >= 300 && status < 400)
        return remoteError(
          'REMOTE_ADDRESS',
          `${host} redirects, which is not followed; set emberline.remote.url to where it leads.`,
        );
      return remoteError('REMOTE_FAILED', `${host} answers with status ${status}; see the server's own log.`);
  }
}

export function unreachable(host: string, reason: string): RemoteError {
  return remoteError(
    'REMOTE_UNREACHABLE',
    `${host} cannot be reached (${reason}); check the server, emberline.remote.url and VS Code's proxy settings.`,
  );
}

/** The server answered, and then not to the end or not in a form that is known. */
export function brokenAnswer(host: string, reason: string): RemoteError {
  return remoteError(
    'REMOTE_FAILED',
    `The answer of ${host} cannot be used (${reason}); check emberline.remote.protocol and the server's own log.`,
  );
}

export function late(host: string, ms: number): RemoteError {
  return remoteError('REMOTE_LATE', `${host} did not answer within ${ms} ms (emberline.remote.timeout).`);
}

/** The header's seconds; dates, which nobody sends for this, are not read. */
function waitOf(retryAfter: string | undefined): number | undefined {
  const seconds = Number(retryAfter ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
