/** What record.mjs wrote of the sockets of an editor. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loading, type OwnEditorStart } from '../own_editor';

export interface SocketUse {
  readonly pid: number;
  readonly isExtensionHost: boolean;
  /** `loaded`: a process began; `pipe`: a socket that leads nowhere else; the others are of a network. */
  readonly kind: 'loaded' | 'pipe' | 'connection' | 'port' | 'datagram' | 'name';
  readonly where: string;
  /** Who did it. */
  readonly stack: string;
}

/** With what every Node.js of an editor writes the record. */
export function recording(file: string): OwnEditorStart {
  return loading(join(import.meta.dirname, 'record.mjs'), { EMBERLINE_SOCKETS: file });
}

export function socketsIn(file: string): SocketUse[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as SocketUse);
}

/** Uses of a network, by the extension host or by code of the extension in any process. */
export function networkUses(file: string, extension: string): SocketUse[] {
  return socketsIn(file).filter(
    ({ kind, isExtensionHost, stack }) =>
      kind !== 'loaded' && kind !== 'pipe' && (isExtensionHost || stack.includes(extension)),
  );
}
