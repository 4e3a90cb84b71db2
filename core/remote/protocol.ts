/** What servers are spoken to in. */
import type { RemotePiece } from './pieces';

/** As the setting says it; `auto`: what the server turns out to be. */
export const PROTOCOLS = ['auto', 'llama-server', 'openai'] as const;
export type ProtocolChoice = (typeof PROTOCOLS)[number];
export type Protocol = Exclude<ProtocolChoice, 'auto'>;

/** What is sent. */
export interface Post {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Reads one event of an answer. */
export type ReadPiece = (event: unknown) => RemotePiece;
