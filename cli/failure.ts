import type { NativeError, NativeResult } from '../core/engine/native_result';

/** What ends a command with exit status 1: a code and one sentence that says what to do. */
export class Failure extends Error {
  readonly code: string;

  constructor({ code, message }: Pick<NativeError, 'message'> & { readonly code: string }) {
    super(message);
    this.code = code;
  }
}

/** The value, or a Failure with the error. */
export function valueOf<T>(result: NativeResult<T>): T {
  if (!result.ok) throw new Failure(result.error);
  return result.value;
}
