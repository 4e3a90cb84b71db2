/** Values of settings, made to fit: what stands in a settings file can be of any type; the schema warns there, but does not convert. */

export function boolean(value: unknown, fallback: boolean): boolean {
  return typeof value === 'boolean' ? value : fallback;
}

/** Within `least` and `most`. */
export function number(value: unknown, fallback: number, least: number, most: number): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return fallback;
  return Math.min(most, Math.max(least, value));
}

export function integer(value: unknown, fallback: number, least: number, most: number): number {
  return Math.round(number(value, fallback, least, most));
}

/** A path without the blanks that come along when it is pasted. */
export function path(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

export function oneOf<T extends string>(value: unknown, choices: readonly T[], fallback: T): T {
  return choices.find((choice) => choice === value) ?? fallback;
}

export function strings(value: unknown, fallback: readonly string[]): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : fallback;
}

export function flags(
  value: unknown,
  fallback: Readonly<Record<string, boolean>>,
): Readonly<Record<string, boolean>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fallback;
  const entries = Object.entries(value).filter(
    (entry): entry is [string, boolean] => typeof entry[1] === 'boolean',
  );
  return Object.fromEntries(entries);
}
