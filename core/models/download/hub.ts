/**
 * Addresses on a hub of models, and what it says of a file before it is fetched: the commit, the length and the SHA-256, which is the id of an
 * object of Git LFS (the hub's HTTP API: `revision` and `tree`).
 */
import { posix } from 'node:path';
import type { NativeResult } from '../../engine/native_result';
import type { CatalogueModel } from '../catalogue';
import { isSafe } from '../../http/address';
import { listOf, objectOf } from '../../http/json_values';
import { getJson } from './http_get';

/** What is about to be fetched. */
export interface HubFile {
  readonly url: URL;
  readonly bytes: number;
  readonly sha256: string;
  /** Who says what the SHA-256 is: the catalogue, or the server alone. */
  readonly knownBy: 'catalogue' | 'server';
}

const COMMIT = /^[0-9a-f]{40}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** Never rejects. @param mirror As it stands in the settings. */
export async function hubFile(
  model: CatalogueModel,
  mirror: string,
  signal: AbortSignal,
): Promise<NativeResult<HubFile>> {
  const base = baseOf(mirror);
  if (base === undefined) return refused(`emberline.model.mirror is no https address`);
  const { repository, file } = model;
  if (model.bytes !== undefined && model.sha256 !== undefined && COMMIT.test(model.revision)) {
    const url = addressOf(base, `${repository}/resolve/${model.revision}/${file}`);
    return { ok: true, value: { url, bytes: model.bytes, sha256: model.sha256, knownBy: 'catalogue' } };
  }
  const commit = await commitOf(base, model, signal);
  if (!commit.ok) return commit;
  const folder = posix.dirname(file) === '.' ? '' : `/${posix.dirname(file)}`;
  const tree = await getJson(
    addressOf(base, `api/models/${repository}/tree/${commit.value}${folder}`),
    signal,
  );
  if (!tree.ok) return tree;
  const entry = listOf(tree.value)
    .map(objectOf)
    .find(({ path }) => path === file);
  if (entry === undefined) return refused(`${base.host} has no ${file} in ${repository}`);
  const { size, oid } = objectOf(entry['lfs']);
  if (
    typeof size !== 'number' ||
    !Number.isSafeInteger(size) ||
    size <= 0 ||
    typeof oid !== 'string' ||
    !SHA256.test(oid)
  )
    return refused(`${base.host} does not say what the SHA-256 of ${file} is`);
  if ((model.sha256 ?? oid) !== oid || (model.bytes ?? size) !== size)
    return refused(`${base.host} has another file than the one that is known as ${file}`);
  const url = addressOf(base, `${repository}/resolve/${commit.value}/${file}`);
  return {
    ok: true,
    value: { url, bytes: size, sha256: oid, knownBy: model.sha256 === undefined ? 'server' : 'catalogue' },
  };
}

async function commitOf(
  base: URL,
  { repository, revision }: CatalogueModel,
  signal: AbortSignal,
): Promise<NativeResult<string>> {
  if (COMMIT.test(revision)) return { ok: true, value: revision };
  const about = await getJson(addressOf(base, `api/models/${repository}/revision/${revision}`), signal);
  if (!about.ok) return about;
  const { sha } = objectOf(about.value);
  if (typeof sha !== 'string' || !COMMIT.test(sha))
    return refused(`${base.host} does not know ${repository}`);
  return { ok: true, value: sha };
}

/** Undefined: nothing that may be asked. */
export function baseOf(mirror: string): URL | undefined {
  if (!URL.canParse(mirror)) return undefined;
  const url = new URL(mirror);
  return isSafe(url) && url.username === '' && url.search === '' ? url : undefined;
}

/** Below the mirror's own path. */
function addressOf(base: URL, path: string): URL {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return new URL(`${base.pathname.replace(/\/+$/, '')}/${encoded}`, base);
}

function refused(reason: string): NativeResult<never> {
  const message = `The model cannot be downloaded (${reason}); see emberline.model.mirror, or choose another one.`;
  return { ok: false, error: { code: 'DOWNLOAD_FAILED', message } };
}
