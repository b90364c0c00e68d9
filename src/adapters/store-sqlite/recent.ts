// What was looked up lately: a map of bounded size for facts that never change.

/** A bounded map: what was not asked for during a whole generation is forgotten. */
export class Recent<Key, Value> {
  readonly #generation: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** `generation`: entries of one generation, 1 or more; two generations are held. */
  constructor(generation: number) {
    this.#generation = generation;
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const older = this.#old.get(key);
    if (older !== undefined) this.#young.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    this.#young.set(key, value);
  }

  /** Forgets the older generation where the younger one is full; to be called again and again. */
  trim(): void {
    if (this.#young.size < this.#generation) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }
}
