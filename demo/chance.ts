// Where does the story's chance come from? A stream of numbers from a text: the same text gives the same stream in
// every run, so a story can be told again. Nothing here touches an amount: amounts are scaled by these integers.

import { createHash } from "node:crypto";

/** A seeded stream of choices. */
export class Chance {
  readonly #seed: string;
  #drawn = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** An integer from 0 to `below` - 1; `below` is 1 to 2^32. */
  below(below: number): number {
    this.#drawn += 1;
    const hash = createHash("sha256").update(`${this.#seed}/${this.#drawn}`).digest();
    // 48 bits over at most 2^32 choices: the unevenness is below one in 65,536.
    return hash.readUIntBE(0, 6) % below;
  }

  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True once in `times` draws on average. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  /** One of the items, or null where there is none. */
  pick<T>(items: readonly T[]): T | null {
    return items[this.below(Math.max(1, items.length))] ?? null;
  }

  /** The items in another order. */
  shuffle<T>(items: readonly T[]): T[] {
    const left = [...items];
    const shuffled: T[] = [];
    while (left.length > 0) shuffled.push(...left.splice(this.below(left.length), 1));
    return shuffled;
  }

  /** One of the items, each as likely as its weight says; null where there is none. */
  weighted<T extends { readonly weight: number }>(items: readonly T[]): T | null {
    const total = items.reduce((sum, { weight }) => sum + weight, 0);
    if (total === 0) return null;
    let at = this.below(total);
    for (const item of items) {
      if (at < item.weight) return item;
      at -= item.weight;
    }
    return null;
  }

  /** `percent` of an amount, rounded down. */
  share(amount: bigint, leastPercent: number, mostPercent: number): bigint {
    return (amount * BigInt(this.between(leastPercent, mostPercent))) / 100n;
  }
}
