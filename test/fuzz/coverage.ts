// Which branches of the instrumented program an input reached, and how often by powers of two. An input that reached
// one for the first time, or so often for the first time, is worth being changed further.

import { elementAt } from "../../src/primitives/elements.ts";

/** Counters that are looked at together; how many there are must be a multiple of it. */
export const GROUP = 4;

/** The branches' counters, seen as one list. An input that goes one way 65,536 times is taken for one that never does. */
export class Coverage {
  readonly #counters: Uint16Array;
  /**
   * The same memory, some counters at a time: nearly all are zero after a run, and looking takes as long as running. What
   * is seen as minus zero, one counter of 32,768 alone, is passed over and counted with the next run.
   */
  readonly #groups: Float64Array;
  /** Bits of the powers of two that were seen, by counter. */
  readonly #seen: Uint16Array;
  #reached = 0;

  /**
   * `counters`: what the program counts in, a multiple of GROUP. What it did while it was loaded is nothing that an input
   * reached.
   */
  constructor(counters: Uint16Array) {
    this.#counters = counters;
    this.#groups = new Float64Array(counters.buffer);
    this.#seen = new Uint16Array(counters.length);
    counters.fill(0);
  }

  /** Branches that were reached by anything so far. */
  get reached(): number {
    return this.#reached;
  }

  /** Whether what ran since the last call reached something new; sets all counters to zero. */
  isNew(): boolean {
    let isNew = false;
    for (let group = 0; group < this.#groups.length; group += 1) {
      if (this.#groups[group] === 0) continue;
      for (let at = GROUP * group; at < GROUP * (group + 1); at += 1) isNew = this.#isSeenNew(at) || isNew;
      this.#groups[group] = 0;
    }
    return isNew;
  }

  #isSeenNew(at: number): boolean {
    const count = elementAt(this.#counters, at);
    if (count === 0) return false;
    const bit = 1 << Math.min(15, 32 - Math.clz32(count));
    const before = elementAt(this.#seen, at);
    if ((before & bit) !== 0) return false;
    if (before === 0) this.#reached += 1;
    this.#seen[at] = before | bit;
    return true;
  }
}
