// Where does chance come from in these tests? A small seeded generator, so that every failure repeats.

/** mulberry32 with a few conveniences. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761) >>> 0;
  }

  /** 0 .. below - 1. */
  int(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  }

  /** True once in `times` on average. */
  chance(times: number): boolean {
    return this.int(times) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.int(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** A number of up to `bits` bits, at least 1. */
  bits(bits: number): bigint {
    let value = 0n;
    for (let done = 0; done < bits; done += 16) value = (value << 16n) | BigInt(this.int(65_536));
    return (value & ((1n << BigInt(bits)) - 1n)) | 1n;
  }
}
