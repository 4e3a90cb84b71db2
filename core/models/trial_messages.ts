/** What is said between the extension host and the process that a model is tried in. Both sides are one program in two processes. */
import type { EngineOptions } from '../engine/engine';
import type { NativeError } from '../engine/native_result';
import { objectOf } from '../http/json_values';

/** The first message: what to load. */
export type TrialOrder = EngineOptions;

/** The only answer: how it went. */
export type TrialAnswer = { readonly ok: true } | { readonly ok: false; readonly error: NativeError };

export function isTrialAnswer(value: unknown): value is TrialAnswer {
  const { ok, error } = objectOf(value);
  const { code, message } = objectOf(error);
  return ok === true || (ok === false && typeof code === 'string' && typeof message === 'string');
}
