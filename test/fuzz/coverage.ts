// Which branches of the instrumented program an input reached, and how often by powers of two. An input that reached
// one for the first time, or so often for the first time, is worth being changed further.

import { elementAt } from "../../src/primitives/elements.ts";

/** The counters that istanbul writes, by file. */
type Counters = Readonly<
  Record<string, { readonly b: Record<string, number[]>; readonly f: Record<string, number> }>
>;

/** Counters of the program, seen as one list. */
export class Coverage {
  readonly #branches: readonly number[][];
  readonly #functions: readonly Record<string, number>[];
  /** Bits of the powers of two that were seen, by counter. */
  readonly #seen: Uint16Array;
  #reached = 0;

  constructor(counters: Counters) {
    const files = Object.values(counters);
    this.#functions = files.map(({ f }) => f);
    this.#branches = files.flatMap(({ b }) => Object.values(b));
    const size = this.#branches.reduce((sum, ways) => sum + ways.length, 0);
    this.#seen = new Uint16Array(size);
    this.forget();
  }

  /** Branches that were reached by anything so far. */
  get reached(): number {
    return this.#reached;
  }

  /** Branches there are. */
  get size(): number {
    return this.#seen.length;
  }

  /** Whether what ran since the last call reached something new; sets all counters to zero. */
  isNew(): boolean {
    let at = 0;
    let isNew = false;
    for (const ways of this.#branches) {
      for (let way = 0; way < ways.length; way += 1, at += 1) {
        const count = elementAt(ways, way);
        if (count === 0) continue;
        ways[way] = 0;
        const bit = 1 << Math.min(15, 32 - Math.clz32(count));
        const before = elementAt(this.#seen, at);
        if ((before & bit) !== 0) continue;
        if (before === 0) this.#reached += 1;
        this.#seen[at] = before | bit;
        isNew = true;
      }
    }
    return isNew;
  }

  /** Sets all counters to zero: what the program did while it was loaded is nothing that an input reached. */
  forget(): void {
    for (const ways of this.#branches) ways.fill(0);
    for (const counts of this.#functions) for (const name of Object.keys(counts)) counts[name] = 0;
  }
}
