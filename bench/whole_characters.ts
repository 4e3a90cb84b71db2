/** Parts of a text that cut no character in two: where one would be, the part is a UTF-16 unit shorter. */
import { isLowSurrogate } from '../core/completion/characters';

/** The last `units` UTF-16 units. */
export function lastUnits(text: string, units: number): string {
  const at = Math.max(0, text.length - units);
  return text.slice(isLowSurrogate(text.charCodeAt(at)) ? at + 1 : at);
}

/** The first `units` UTF-16 units. */
export function firstUnits(text: string, units: number): string {
  return text.slice(0, isLowSurrogate(text.charCodeAt(units)) ? units - 1 : units);
}
