// Maps and sets that are bounded by forgetting what came first: a collection stands in the order in which its entries
// came, so the oldest ones are at its front.

/** A map or a set. */
interface Collection<Key> {
  readonly size: number;
  keys(): Iterable<Key>;
  delete(key: Key): boolean;
}

/** Forgets the oldest entries beyond `most`. */
export function dropOldest<Key>(entries: Collection<Key>, most: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}

/** Puts an entry last, whether or not there is one of this key, and forgets the oldest ones beyond `most`. */
export function remember<Key, Value>(entries: Map<Key, Value>, key: Key, value: Value, most: number): void {
  entries.delete(key);
  entries.set(key, value);
  dropOldest(entries, most);
}
