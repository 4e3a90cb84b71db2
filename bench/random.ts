/** A small seeded generator (mulberry32), so that a seed names a case set. Not for anything that needs good randomness. */
export class SeededRandom {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, below). */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** A copy of `items` in random order (Fisher and Yates). */
  shuffled<T>(items: readonly T[]): T[] {
    const result: T[] = [];
    for (const [index, item] of items.entries()) {
      const place = this.below(index + 1);
      const displaced = result[place];
      if (displaced !== undefined) result.push(displaced);
      result[place] = item;
    }
    return result;
  }
}
