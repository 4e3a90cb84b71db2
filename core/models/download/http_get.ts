/** What the downloader asks a hub for, and only when a user asked for a model. */
import { isSafe } from '../../http/address';
import { type Answer, open, readText } from '../../http/connection';
import { reasonOf } from '../../http/reason';
import type { NativeError, NativeResult } from '../../engine/native_result';

/** A server that says nothing for so long is gone, ms. */
const IDLE_MS = 60_000;
const MOST_REDIRECTS = 6;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Lists of files are small. */
const MOST_JSON_BYTES = 8 * 1_048_576;

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
      answer = await open(place, { headers, signal, idleMs: IDLE_MS });
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
    const text = await readText(answer.value, MOST_JSON_BYTES);
    if (text === undefined) return failed(`${url.host} answers with more than it should`);
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return signal.aborted ? { ok: false, error: CANCELLED } : failed(`${url.host}: ${reasonOf(error)}`);
  } finally {
    body.destroy();
  }
}

/** What a status other than the one that was hoped for says. */
export function statusError(
  { host }: URL,
  status: number,
): { readonly ok: false; readonly error: NativeError } {
  return failed(`${host} answers with status ${status}`);
}

export const CANCELLED: NativeError = {
  code: 'CANCELLED',
  message: 'The download was stopped; what there is of it is kept.',
};

function failed(reason: string): { readonly ok: false; readonly error: NativeError } {
  const message = `The download failed (${reason}); check the connection, the proxy of VS Code's settings and emberline.model.mirror, then go on with it.`;
  return { ok: false, error: { code: 'DOWNLOAD_FAILED', message } };
}
