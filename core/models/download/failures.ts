/** Why a file was not downloaded, and what to do. */
import { basename } from 'node:path';
import type { NativeError, NativeErrorCode, HostErrorCode } from '../../engine/native_result';
import { reasonOf } from '../../http/reason';
import { sizeText } from '../size_text';

export interface Failed {
  readonly ok: false;
  readonly error: NativeError;
}

function failure(code: NativeErrorCode | HostErrorCode, message: string): Failed {
  return { ok: false, error: { code, message } };
}

export function broken({ host }: URL, reason: string): Failed {
  return failure(
    'DOWNLOAD_FAILED',
    `The download from ${host} broke off (${reason}); go on with it later: what there is of it is kept.`,
  );
}

export function anotherLength({ host }: URL, length: number, bytes: number): Failed {
  return failure(
    'DOWNLOAD_FAILED',
    `${host} offers ${length} bytes in the place of a model of ${bytes}; see in a browser whether it asks for something, or choose another mirror.`,
  );
}

export function damaged(path: string, reason: string): Failed {
  return failure(
    'DOWNLOAD_DAMAGED',
    `${basename(path)} is not the file that it should be (${reason}), and was removed; download it again, or from another mirror.`,
  );
}

/** @param needed Bytes, those included that have to be left. */
export function noRoom(needed: number, free: number): Failed {
  return failure(
    'DISK_FULL',
    `The model needs ${sizeText(needed)} on the disk, where ${sizeText(free)} are free; make room, or choose a smaller one.`,
  );
}

export function underWay(path: string): Failed {
  return failure('DOWNLOAD_FAILED', `${basename(path)} is being downloaded already; wait for it.`);
}

export function notWritten(error: unknown): Failed {
  const code = codeOf(error);
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return failure(
      'DISK_FULL',
      'The disk is full; make room, and go on with the download: what there is of it is kept.',
    );
  return failure(
    'DOWNLOAD_FAILED',
    `The model could not be stored (${reasonOf(error)}); see that the editor may write there.`,
  );
}

/** Of an error of the system, such as `ENOSPC`. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
