/** Where a remote engine is: the address that a user gave, made fit, or what is wrong with it. */
import { isPrivateNetwork, isSafe } from '../http/address';
import type { NativeResult } from '../engine/native_result';
import { remoteError } from './errors';

export interface Endpoint {
  /** Without `/v1` or a slash at its end: what a server's paths are put behind. */
  readonly base: string;
  /** Name and port, for people. */
  readonly host: string;
  /** Whether nobody on the way can read along. */
  readonly safe: boolean;
}

/** What a user may have copied along. */
const PATHS_OF_SERVERS = /\/(?:v1(?:\/(?:completions|models))?|completions?|infill)$/;

/**
 * Takes `https:` everywhere, `http:` on this machine and in a network of one's own. An address holds no secrets: it stands in the settings and
 * the log, so that users, passwords and queries are refused (REMOTE_ADDRESS).
 */
export function endpointOf(text: string): NativeResult<Endpoint> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.hostname === '')
    return refused('it has to begin with https:// or http://');
  if (url.username !== '' || url.password !== '')
    return refused('it may hold no user or password; Emberline: Set the Key of the Remote Engine… keeps one');
  if (url.search !== '' || url.hash !== '') return refused('it may hold neither ? nor #');
  const safe = isSafe(url);
  if (!safe && !isPrivateNetwork(url))
    return refused(
      'over http, without encryption, only this machine and a private network are asked; use https',
    );
  const path = url.pathname.replace(/\/+$/, '').replace(PATHS_OF_SERVERS, '').replace(/\/+$/, '');
  return { ok: true, value: { base: url.origin + path, host: url.host, safe } };
}

/** An address below an endpoint. */
export function addressOf({ base }: Endpoint, path: string): URL {
  return new URL(base + path);
}

function refused(why: string): NativeResult<never> {
  return {
    ok: false,
    error: remoteError('REMOTE_ADDRESS', `The address of the remote engine is refused: ${why}`),
  };
}
