/**
 * A disk that is full, read-only or not ours, from the n-th thing on that is asked of it which writes. It stands in for node:fs/promises and node:fs:
 *
 *     vi.mock('node:fs/promises', async (original) => failing(await original<object>()));
 *
 * What a full disk lets through is written indeed: half of the text.
 */
export type DiskFault = 'ENOSPC' | 'EDQUOT' | 'EROFS' | 'EACCES';
export const DISK_FAULTS: readonly DiskFault[] = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'];

type AnyFunction = (...values: unknown[]) => unknown;

/** Those that change a disk. `open` does where it may write. */
const WRITES: ReadonlySet<string> = new Set([
  'mkdir',
  'writeFile',
  'rename',
  'open',
  'chmod',
  'rm',
  'rmSync',
]);
const OF_A_FILE: ReadonlySet<string> = new Set(['write', 'sync', 'close', 'truncate']);
/** A full disk does not hinder them. */
const FREEING: ReadonlySet<string> = new Set(['rm', 'rmSync', 'chmod']);

let left = Number.POSITIVE_INFINITY;
let fault: DiskFault = 'ENOSPC';
let lasts = false;
let failures = 0;

/** The `first`-th write from now on fails (1: the next one), `lasting` ones with all behind it, until the disk is mended. */
export function breakDisk(first: number, code: DiskFault, lasting: boolean): void {
  [left, fault, lasts, failures] = [first, code, lasting, 0];
}

/** @returns How many writes failed. */
export function mendDisk(): number {
  left = Number.POSITIVE_INFINITY;
  return failures;
}

/** The module, with its functions that write failing when their turn comes. */
export function failing<T extends object>(module: T): T {
  const replaced = Object.entries(module).map(([name, value]: [string, unknown]) => {
    if (!WRITES.has(name) || typeof value !== 'function') return [name, value] as const;
    return [name, replacement(name, value as AnyFunction, module)] as const;
  });
  return Object.fromEntries(replaced) as T;
}

function replacement(name: string, real: AnyFunction, module: object): AnyFunction {
  if (name === 'rmSync')
    return (...values) => {
      if (itsTurn(name)) throw error(name, values[0]);
      return real(...values);
    };
  return async (...values) => {
    const [path, second] = values;
    if (name === 'open') {
      const writes = second !== 'r' && second !== undefined;
      if (writes && itsTurn(name)) throw error(name, path);
      return failingFile((await real(...values)) as object);
    }
    if (!itsTurn(name)) return real(...values);
    if (name === 'writeFile' && isFull() && typeof second === 'string')
      await real.apply(module, [path, second.slice(0, Math.floor(second.length / 2)), ...values.slice(2)]);
    throw error(name, path);
  };
}

function failingFile(file: object): object {
  return new Proxy(file, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const real = (...values: unknown[]): unknown => Reflect.apply(value as AnyFunction, target, values);
      if (typeof name !== 'string' || !OF_A_FILE.has(name)) return real;
      return async (...values: unknown[]) => {
        if (!itsTurn(name)) return real(...values);
        const [piece, offset, length, position] = values;
        if (name === 'write' && isFull()) await real(piece, offset, Math.floor(Number(length) / 2), position);
        // The file is closed all the same, as close(2) has it.
        if (name === 'close') await real();
        throw error(name, 'a file');
      };
    },
  });
}

function isFull(): boolean {
  return fault === 'ENOSPC' || fault === 'EDQUOT';
}

function itsTurn(name: string): boolean {
  if (left === Number.POSITIVE_INFINITY || (isFull() && FREEING.has(name))) return false;
  left--;
  const fails = left === 0 || (left < 0 && lasts);
  if (fails) failures++;
  return fails;
}

function error(name: string, path: unknown): Error {
  return Object.assign(new Error(`${fault}: made up, ${name} '${String(path)}'`), { code: fault });
}
