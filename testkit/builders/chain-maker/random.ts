// Where do the random choices of a generated chain come from? A seeded sfc32 stream whose state can be copied, so
// that a chain can be continued in two different ways from the same block.

/** A seeded stream of choices. Same seed, same choices, on every machine. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    this.#a = seed | 0;
    this.#b = (seed * 0x9e3779b1) | 0;
    this.#c = 0x2545f491;
    this.#d = 1;
    for (let i = 0; i < 20; i += 1) this.word();
  }

  /** An independent stream with the same state. */
  copy(): Random {
    const other = new Random(0);
    other.#a = this.#a;
    other.#b = this.#b;
    other.#c = this.#c;
    other.#d = this.#d;
    return other;
  }

  /** Mixes a number in, so that a copy takes another course from here on. */
  stir(salt: number): void {
    this.#a ^= Math.imul(salt + 1, 0x85ebca6b);
    for (let i = 0; i < 12; i += 1) this.word();
  }

  /** 32 random bits. */
  word(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#d) | 0;
    this.#d = (this.#d + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + sum) | 0;
    return sum >>> 0;
  }

  /** 0 .. bound - 1. */
  below(bound: number): number {
    return this.word() % bound;
  }

  /** True once in `n` times. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  /** A member of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("pick from an empty list");
    return item;
  }

  /** 0 .. bound - 1 for large bounds; every size of number is as likely as the others. */
  amount(bound: bigint): bigint {
    const bits = this.below(bound.toString(2).length) + 1;
    let value = 0n;
    for (let got = 0; got < bits; got += 32) value = (value << 32n) | BigInt(this.word());
    return (value & ((1n << BigInt(bits)) - 1n)) % bound;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.word() & 0xff);
  }
}
