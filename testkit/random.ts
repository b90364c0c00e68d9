// The one source of chance for what is made up: random chains, simulations, models and the demo's story. A seed gives the
// same draws on every machine. Properties of pure functions draw through testkit/properties.ts instead, which shrinks. Imports nothing
// of ours, so that oracles and independent builders may use it.

import { createHash } from "node:crypto";

/** A seeded stream of draws (sfc32). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** A text as seed is as good as a number, and has room for names: `${seed}/${place}`. */
  constructor(seed: number | string) {
    const digest = typeof seed === "string" ? createHash("sha256").update(seed).digest() : null;
    this.#a = digest?.readInt32LE(0) ?? Number(seed) | 0;
    this.#b = digest?.readInt32LE(4) ?? (Number(seed) * 0x9e3779b1) | 0;
    this.#c = digest?.readInt32LE(8) ?? 0x2545f491;
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

  /** A number in 0 .. 1, 1 excluded. */
  fraction(): number {
    return this.word() / 2 ** 32;
  }

  /** An integer in 0 .. bound - 1; `bound` is 1 to 2^32. */
  below(bound: number): number {
    return this.word() % bound;
  }

  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True with this probability. */
  is(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** True once in `n` times. */
  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }

  /** A member of a list. @throws where it is empty. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("pick from an empty list");
    return item;
  }

  /** A member of a list, or null where it is empty. */
  anyOf<Item>(items: readonly Item[]): Item | null {
    return items.length === 0 ? null : this.pick(items);
  }

  /** A member, each as likely as its weight says; null where all weights are 0. */
  weighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item | null {
    const total = items.reduce((sum, { weight }) => sum + weight, 0);
    if (total === 0) return null;
    let at = this.below(total);
    for (const item of items) {
      if (at < item.weight) return item;
      at -= item.weight;
    }
    return null;
  }

  /** The items in another order. */
  shuffled<Item>(items: readonly Item[]): Item[] {
    const order: Item[] = [];
    // Each takes the place of one of those before it, or its own, and that one goes to the end.
    for (const item of items) order.push(...order.splice(this.below(order.length + 1), 1, item));
    return order;
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

/**
 * A stream for each place that draws: what one place draws does not depend on how often others did, so a seed gives the
 * same run even where the order of awaits shifts.
 */
export class RandomByPlace {
  readonly #seed: number;
  readonly #streams = new Map<string, Random>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The stream of a place, where it was left. */
  at(place: string): Random {
    const stream = this.#streams.get(place) ?? new Random(`${this.#seed}/${place}`);
    this.#streams.set(place, stream);
    return stream;
  }
}
