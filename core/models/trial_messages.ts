/** What is said between the extension host and the process that a model is tried in. Both sides are one program in two processes. */
import type { EngineOptions } from '../engine/engine';
import type { NativeError } from '../engine/native_result';

/** The first message: what to load. */
export type TrialOrder = EngineOptions;

/** The only answer: how it went. */
export type TrialAnswer = { readonly ok: true } | { readonly ok: false; readonly error: NativeError };

export function isTrialAnswer(value: unknown): value is TrialAnswer {
  if (typeof value !== 'object' || value === null || !('ok' in value)) return false;
  if (value.ok === true) return true;
  if (!('error' in value) || typeof value.error !== 'object' || value.error === null) return false;
  return 'code' in value.error && 'message' in value.error && typeof value.error.message === 'string';
}
