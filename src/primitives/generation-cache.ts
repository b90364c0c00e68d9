// The one cache of a bounded number of recently used values. Two generations instead of a list of last uses: what was
// not asked for while a whole generation filled is forgotten, and a look-up costs no bookkeeping.

/** A bounded map; made and owned by its caller. */
export class GenerationCache<Key, Value> {
  readonly #capacity: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** `capacity`: values of the young generation, 1 or more; twice as many are held, and what `trim` is told to keep. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Values held, counting one in both generations twice. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Values of the young generation. */
  get youngSize(): number {
    return this.#young.size;
  }

  /** The value, or undefined where none is remembered. */
  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#young.set(key, old);
    return old;
  }

  /** Remembers the value; the bound is kept by `trim` alone, so that nothing is forgotten between two calls of it. */
  set(key: Key, value: Value): void {
    this.#young.set(key, value);
  }

  /** Forgets the old generation where the young one is full, but for values that `isKept` names. */
  trim(isKept?: (value: Value) => boolean): void {
    if (this.#young.size >= this.#capacity) this.rotate(isKept);
  }

  /** Forgets the old generation now, but for values that `isKept` names; the young one becomes the old one. */
  rotate(isKept?: (value: Value) => boolean): void {
    const dropped = this.#old;
    this.#old = this.#young;
    this.#young = new Map();
    if (isKept === undefined) return;
    for (const [key, value] of dropped) {
      if (isKept(value) && !this.#old.has(key)) this.#young.set(key, value);
    }
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
