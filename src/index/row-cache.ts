// Rows at hand without asking the store: those whose change is not yet durable, all of them, and of the others the
// recently used ones.

import type { PearlAddress, Tick } from "../primitives/brands.ts";
import { GenerationCache } from "../primitives/generation-cache.ts";
import type { BalanceRow } from "../prc20/state.ts";

interface Entry<Row> {
  readonly row: Row | null;
  /** Height of the block that changed the row; 0 for a row as it was loaded. */
  readonly height: number;
}

/** Most keys of a block of mints: one entry for all of them. */
const ABSENT = { row: null, height: 0 } as const;

/** Rows by key; null is the knowledge that there is no such row. */
export class RowCache<Key, Row> {
  readonly #entries: GenerationCache<Key, Entry<Row>>;

  /** `capacity`: as for `GenerationCache`; rows that are not durable come on top. */
  constructor(capacity: number) {
    this.#entries = new GenerationCache(capacity);
  }

  /** Entries held, counting one in both generations twice. */
  get size(): number {
    return this.#entries.size;
  }

  /** Entries of the young generation. */
  get youngSize(): number {
    return this.#entries.youngSize;
  }

  /** The row, null where it is known to be absent, undefined where nothing is known. */
  get(key: Key): Row | null | undefined {
    return this.#entries.get(key)?.row;
  }

  /** Adds a row as the store has it, unless something newer is known. */
  addLoaded(key: Key, row: Row | null): void {
    if (this.#entries.get(key) === undefined)
      this.#entries.set(key, row === null ? ABSENT : { row, height: 0 });
  }

  /** Sets a row as block `height` left it; it stays until that block is durable. */
  setChanged(key: Key, row: Row | null, height: number): void {
    this.#entries.set(key, { row, height });
  }

  /** Forgets the old generation where the young one is full, but for changes above `durableHeight`. */
  trim(durableHeight: number): void {
    this.#entries.trim(({ height }) => height > durableHeight);
  }

  /** As `trim`, whether or not the young generation is full. */
  rotate(durableHeight: number): void {
    this.#entries.rotate(({ height }) => height > durableHeight);
  }

  /** Forgets everything. */
  clear(): void {
    this.#entries.clear();
  }
}

/**
 * Balances by ticker and address, bounded together. A key made of both texts would have to be built and hashed anew for
 * every look.
 */
export class BalanceCache {
  readonly #capacity: number;
  readonly #byTick = new Map<Tick, RowCache<PearlAddress, BalanceRow>>();

  /** `capacity`: as for `RowCache`, over all tickers. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Entries held, counting one in both generations twice. */
  get size(): number {
    let size = 0;
    for (const rows of this.#byTick.values()) size += rows.size;
    return size;
  }

  /** As `RowCache.get`. */
  get(address: PearlAddress, tick: Tick): BalanceRow | null | undefined {
    return this.#byTick.get(tick)?.get(address);
  }

  /** As `RowCache.addLoaded`. */
  addLoaded(address: PearlAddress, tick: Tick, row: BalanceRow | null): void {
    this.#of(tick).addLoaded(address, row);
  }

  /** As `RowCache.setChanged`. */
  setChanged(address: PearlAddress, tick: Tick, row: BalanceRow | null, height: number): void {
    this.#of(tick).setChanged(address, row, height);
  }

  /** As `RowCache.trim`, over all tickers. */
  trim(durableHeight: number): void {
    let young = 0;
    for (const rows of this.#byTick.values()) young += rows.youngSize;
    if (young < this.#capacity) return;
    for (const [tick, rows] of this.#byTick) {
      rows.rotate(durableHeight);
      if (rows.size === 0) this.#byTick.delete(tick);
    }
  }

  /** Forgets everything. */
  clear(): void {
    this.#byTick.clear();
  }

  #of(tick: Tick): RowCache<PearlAddress, BalanceRow> {
    let rows = this.#byTick.get(tick);
    if (rows === undefined) {
      rows = new RowCache(this.#capacity);
      this.#byTick.set(tick, rows);
    }
    return rows;
  }
}
