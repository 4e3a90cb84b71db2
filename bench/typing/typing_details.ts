/** The details file of `replay keys`: a key a line, with what was to be seen behind it, for people and their scripts. */
import type { TypedStretch } from './typing_session';

/** Of one who never accepts. */
export function typingDetails(typed: readonly TypedStretch[]): string {
  return typed
    .flatMap(({ path, keys }) => keys.map((key) => `${JSON.stringify({ path, ...key })}\n`))
    .join('');
}
