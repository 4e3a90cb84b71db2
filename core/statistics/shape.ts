/** Whether a value that came from outside (a file, a message) has the shape of a type: small checks that are put together. */

export type Shape<T> = (value: unknown) => value is T;

export const isText =
  (most: number): Shape<string> =>
  (value): value is string =>
    typeof value === 'string' && value.length <= most;

export const isOneOf =
  <T extends string>(...words: readonly T[]): Shape<T> =>
  (value): value is T =>
    words.some((word) => word === value);

export const isFlag: Shape<boolean> = (value): value is boolean => typeof value === 'boolean';

/** Finite. */
export const isNumber: Shape<number> = (value): value is number => Number.isFinite(value);

/** A whole number, 0 or more, that is exact. */
export const isCount: Shape<number> = (value): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;

export const isList =
  <T>(entry: Shape<T>, most: number): Shape<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.length <= most && value.every(entry);

/** An object with these fields, and no others. A field whose check takes undefined may be missing. */
export const isObject =
  <T extends object>(fields: { readonly [Name in keyof Required<T>]: Shape<T[Name]> }): Shape<T> =>
  (value): value is T => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const given = new Map<string, unknown>(Object.entries(value));
    const checks = Object.entries<Shape<unknown>>(fields);
    return (
      checks.every(([name, check]) => check(given.get(name))) &&
      [...given.keys()].every((name) => Object.hasOwn(fields, name))
    );
  };

export const isMaybe =
  <T>(shape: Shape<T>): Shape<T | undefined> =>
  (value): value is T | undefined =>
    value === undefined || shape(value);
