// How does chance enter a simulation? Every choice is a hash of the seed, the place that asks and how often it has
// asked: a seed gives the same run even where the order of awaits shifts.

import { createHash } from "node:crypto";

/** Chance by seed, place and occurrence. */
export class KeyedRandom {
  readonly #seed: number;
  readonly #asked = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** A number in 0 .. 1, 1 excluded: the next one of this place. */
  fraction(place: string): number {
    const occurrence = this.#asked.get(place) ?? 0;
    this.#asked.set(place, occurrence + 1);
    const digest = createHash("sha256").update(`${this.#seed}/${place}/${occurrence}`).digest();
    return digest.readUInt32BE(0) / 2 ** 32;
  }

  /** An integer in 0 .. bound - 1. */
  below(place: string, bound: number): number {
    return Math.floor(this.fraction(place) * bound);
  }

  /** True with the given probability. */
  chance(place: string, probability: number): boolean {
    return this.fraction(place) < probability;
  }
}
