// Which balances are at hand without asking the store? The rules of `row-cache.ts`, with the ticker and then the
// address as key: a text made of both would have to be built and hashed anew for every look.

import type { PearlAddress, Tick } from "../primitives/brands.ts";
import type { BalanceRow } from "../prc20/state.ts";

interface Entry {
  readonly row: BalanceRow | null;
  /** Height of the block that changed the row; 0 for a row as it was loaded. */
  readonly height: number;
}

/** Most keys of a block of mints: one entry for all of them. */
const ABSENT: Entry = { row: null, height: 0 };

/** Entries by ticker and address, counted. */
class Generation {
  readonly ticks = new Map<Tick, Map<PearlAddress, Entry>>();
  size = 0;

  get(address: PearlAddress, tick: Tick): Entry | undefined {
    return this.ticks.get(tick)?.get(address);
  }

  set(address: PearlAddress, tick: Tick, entry: Entry): void {
    let ofTick = this.ticks.get(tick);
    if (ofTick === undefined) {
      ofTick = new Map();
      this.ticks.set(tick, ofTick);
    }
    const before = ofTick.size;
    ofTick.set(address, entry);
    this.size += ofTick.size - before;
  }
}

/** Balances by ticker and address; null is the knowledge that there is no such row. */
export class BalanceCache {
  readonly #capacity: number;
  #young = new Generation();
  #old = new Generation();

  /** `capacity`: as for `RowCache`. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** As `RowCache.get`. */
  get(address: PearlAddress, tick: Tick): BalanceRow | null | undefined {
    const young = this.#young.get(address, tick);
    if (young !== undefined) return young.row;
    const old = this.#old.get(address, tick);
    if (old === undefined) return undefined;
    this.#young.set(address, tick, old);
    return old.row;
  }

  /** Adds a row as the store has it; nothing may be known of it. */
  addLoaded(address: PearlAddress, tick: Tick, row: BalanceRow | null): void {
    this.#young.set(address, tick, row === null ? ABSENT : { row, height: 0 });
  }

  /** As `RowCache.setChanged`. */
  setChanged(address: PearlAddress, tick: Tick, row: BalanceRow | null, height: number): void {
    this.#young.set(address, tick, { row, height });
  }

  /** As `RowCache.trim`. */
  trim(durableHeight: number): void {
    if (this.#young.size <= this.#capacity) return;
    const dropped = this.#old;
    this.#old = this.#young;
    this.#young = new Generation();
    for (const [tick, ofTick] of dropped.ticks) {
      for (const [address, entry] of ofTick) {
        if (entry.height > durableHeight && this.#old.get(address, tick) === undefined) {
          this.#young.set(address, tick, entry);
        }
      }
    }
  }

  /** Number of entries held, counting one in both generations twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Forgets everything. */
  clear(): void {
    this.#young = new Generation();
    this.#old = new Generation();
  }
}
