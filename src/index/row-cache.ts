// Which rows are at hand without asking the store? A bounded map that keeps every row whose change is not yet
// durable, and of the others the recently used ones, in two generations: cheaper than a list of last uses.

interface Entry<Row> {
  readonly row: Row | null;
  /** Height of the block that changed the row; 0 for a row as it was loaded. */
  readonly height: number;
}

/** Rows by key; null is the knowledge that there is no such row. */
export class RowCache<Key, Row> {
  readonly #capacity: number;
  #young = new Map<Key, Entry<Row>>();
  #old = new Map<Key, Entry<Row>>();

  /** `capacity`: rows of the young generation, 1 or more; twice as many rows plus the pinned ones are held at most. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The row, null where it is known to be absent, undefined where nothing is known. */
  get(key: Key): Row | null | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young.row;
    const old = this.#old.get(key);
    if (old === undefined) return undefined;
    this.#young.set(key, old);
    return old.row;
  }

  /** Adds a row as the store has it, unless something newer is known. */
  addLoaded(key: Key, row: Row | null): void {
    if (this.#young.has(key) || this.#old.has(key)) return;
    this.#young.set(key, { row, height: 0 });
  }

  /** Sets a row as block `height` left it; it stays until that block is durable. */
  setChanged(key: Key, row: Row | null, height: number): void {
    this.#young.set(key, { row, height });
  }

  /** Drops the older generation when the young one is full, except changes above `durableHeight`. */
  trim(durableHeight: number): void {
    if (this.#young.size <= this.#capacity) return;
    const dropped = this.#old;
    this.#old = this.#young;
    this.#young = new Map();
    for (const [key, entry] of dropped) {
      if (entry.height > durableHeight && !this.#old.has(key)) this.#young.set(key, entry);
    }
  }

  /** Number of entries held, counting one in both generations twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Forgets everything. */
  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
