/** The last so many of something: memory that is bounded, and O(1) for each that comes. */
export class Ring<T> {
  private readonly capacity: number;
  private readonly slots: T[] = [];
  /** Of the oldest, once all slots are taken. */
  private oldest = 0;

  /** @param capacity 1 or more. */
  constructor(capacity: number) {
    this.capacity = capacity;
  }

  push(one: T): void {
    if (this.slots.length < this.capacity) {
      this.slots.push(one);
      return;
    }
    this.slots[this.oldest] = one;
    this.oldest = (this.oldest + 1) % this.capacity;
  }

  /** A copy, the oldest first. */
  toArray(): T[] {
    return [...this.slots.slice(this.oldest), ...this.slots.slice(0, this.oldest)];
  }
}
