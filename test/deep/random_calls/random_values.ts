/** What JavaScript may pass in the place of anything. */
import type { SeededRandom } from '../../../bench/random';

const throws = (): never => {
  throw new Error('from a getter');
};

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function detached(): Uint32Array {
  const ids = new Uint32Array(4);
  structuredClone(ids.buffer, { transfer: [ids.buffer] });
  return ids;
}

/** Each made anew: what one call did to it is not the next one's. */
const MAKERS: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => true,
  () => false,
  () => 0,
  () => -0,
  () => 1,
  () => -1,
  () => 1.5,
  () => Number.NaN,
  () => Infinity,
  () => 2 ** 31,
  () => 2 ** 32,
  () => 2 ** 53,
  () => -(2 ** 53),
  () => 1e300,
  () => 10n,
  () => '',
  () => 'x',
  () => 'a\0b',
  () => '\ud83d',
  () => 'x '.repeat(40_000),
  () => Symbol('x'),
  () => () => 1,
  () => throws,
  () => [],
  () => ['x', 1, null],
  () => Object.defineProperty(['x'], 0, { get: throws }),
  () => ({}),
  () => new Map([['path', 'x']]),
  () => new String('x'),
  () => new Uint8Array(3),
  () => new Uint32Array(4),
  () => new Uint32Array(5_000),
  () => Uint32Array.of(2 ** 32 - 1),
  () => new Uint32Array(new SharedArrayBuffer(16)),
  () => new Float32Array(2),
  () => new ArrayBuffer(4),
  detached,
  revoked,
  () => new Proxy({}, { get: throws, has: throws, ownKeys: throws }),
  () => Promise.resolve(1),
];

export class RandomValues {
  private readonly random: SeededRandom;

  constructor(random: SeededRandom) {
    this.random = random;
  }

  pick<T>(choices: readonly T[]): T {
    const chosen = choices[this.random.below(choices.length)];
    if (chosen === undefined && !choices.includes(chosen as T))
      throw new RangeError('Nothing to choose from.');
    return chosen as T;
  }

  /** True once in so many times. */
  once(times: number): boolean {
    return this.random.below(times) === 0;
  }

  below(below: number): number {
    return this.random.below(below);
  }

  any(): unknown {
    return this.pick(MAKERS)();
  }

  /** `value`, or once in a while anything else, or an object with anything else in it. */
  perhaps(value: unknown): unknown {
    if (this.once(24)) return this.any();
    return isPlain(value) && this.once(6) ? this.altered(value) : value;
  }

  /** With a property that is anything, or missing, or throws when it is read. */
  private altered(object: Readonly<Record<string, unknown>>): unknown {
    const keys = Object.keys(object);
    if (keys.length === 0) return object;
    const key = this.pick(keys);
    const { [key]: value, ...others } = object;
    if (isPlain(value) && this.once(2)) return { ...others, [key]: this.altered(value) };
    if (this.once(6)) return others;
    if (this.once(6)) return Object.defineProperty({ ...others }, key, { get: throws, enumerable: true });
    return { ...others, [key]: this.any() };
  }
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
