// Which members belong to a key? An index from one text to some texts, small where most keys have one member.

/** Sets of members by key. A key without members is absent. */
export class MultiIndex<Key extends string, Member extends string> {
  readonly #members = new Map<Key, Member | Set<Member>>();

  /** Adds a member; false where it was there. */
  add(key: Key, member: Member): boolean {
    const known = this.#members.get(key);
    if (known === undefined) {
      this.#members.set(key, member);
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
    if (typeof known === "string") return known === member && this.#members.delete(key);
    const removed = known.delete(member);
    if (known.size === 0) this.#members.delete(key);
    return removed;
  }

  /** Whether the key has a member. */
  has(key: Key): boolean {
    return this.#members.has(key);
  }

  /** The members of a key, in no order. */
  of(key: Key): Iterable<Member> {
    const known = this.#members.get(key);
    if (known === undefined) return [];
    return typeof known === "string" ? [known] : known;
  }
}
