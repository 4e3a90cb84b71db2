/** Values of JSON that came from outside, as what they should be. */

/** What of JSON is an object; another value has no members. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** A whole number, 0 or more, as a number of tokens is; 0 for what is none. */
export function countOf(value: unknown): number {
  return Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0;
}
