// An index from one text to some texts, small where most keys have one member.

/** Told which keys have members: once when a key gets its first, once when it has lost its last. */
export interface KeyWatcher<Key extends string> {
  add(key: Key): void;
  delete(key: Key): void;
}

/** Sets of members by key. A key without members is absent. */
export class MultiIndex<Key extends string, Member extends string> {
  readonly #members = new Map<Key, Member | Set<Member>>();
  readonly #watcher: KeyWatcher<Key> | null;

  constructor(watcher: KeyWatcher<Key> | null = null) {
    this.#watcher = watcher;
  }

  /** Adds a member; false where it was there. */
  add(key: Key, member: Member): boolean {
    const known = this.#members.get(key);
    if (known === undefined) {
      this.#members.set(key, member);
      this.#watcher?.add(key);
      return true;
    }
    if (typeof known !== "string") {
      const before = known.size;
      return known.add(member).size > before;
    }
    if (known === member) return false;
    this.#members.set(key, new Set([known, member]));
    return true;
  }

  /** Removes a member; false where it was not there. */
  delete(key: Key, member: Member): boolean {
    const known = this.#members.get(key);
    if (known === undefined) return false;
    const removed = typeof known === "string" ? known === member : known.delete(member);
    const isEmpty = typeof known === "string" ? removed : known.size === 0;
    if (isEmpty) {
      this.#members.delete(key);
      this.#watcher?.delete(key);
    }
    return removed;
  }

  /** Number of keys. */
  get size(): number {
    return this.#members.size;
  }

  /** The keys, in no order. */
  keys(): Iterable<Key> {
    return this.#members.keys();
  }

  /** Number of members of a key. */
  count(key: Key): number {
    const known = this.#members.get(key);
    return known === undefined ? 0 : typeof known === "string" ? 1 : known.size;
  }

  /** Whether the key has a member. */
  has(key: Key): boolean {
    return this.#members.has(key);
  }

  /** Whether the key has this member. */
  includes(key: Key, member: Member): boolean {
    const known = this.#members.get(key);
    return typeof known === "object" ? known.has(member) : known === member;
  }

  /** The members of a key, in the order in which they were added. */
  of(key: Key): Iterable<Member> {
    const known = this.#members.get(key);
    if (known === undefined) return [];
    return typeof known === "string" ? [known] : known;
  }
}
