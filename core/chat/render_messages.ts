/** What is said between an engine's process and the one that renders a template. */
import type { ChatMessage } from './messages';

export interface RenderOrder {
  /** Jinja. */
  readonly template: string;
  readonly messages: readonly ChatMessage[];
  /** What the template calls `bos_token` and `eos_token`. */
  readonly beginToken: string;
  readonly endToken: string;
}

export interface LimitedOrder extends RenderOrder {
  /** After so long the process ends itself, ms. */
  readonly limitMs: number;
}

export type RenderAnswer =
  | { readonly ok: true; readonly text: string }
  /** Why not, as the template or the library says it. */
  | { readonly ok: false; readonly reason: string };

/** Whether what a process said is an answer at all. */
export function isRenderAnswer(value: unknown): value is RenderAnswer {
  if (typeof value !== 'object' || value === null) return false;
  const members: Record<string, unknown> = { ...value };
  return members['ok'] === true ? typeof members['text'] === 'string' : typeof members['reason'] === 'string';
}
