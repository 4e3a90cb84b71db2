export interface Item {
  name: string;
  price: number;
  quantity: number;
}

export class Cart {
  private readonly items: Item[] = [];

  add(item: Item): void {
    this.items.push(item);
  }

  get total(): number {
    return this.items.reduce((sum, item) => sum + item.price * item.quantity, 0);
  }

  find(name: string): Item | undefined {
    return this.items.find((item) => item.name === name);
  }
}
