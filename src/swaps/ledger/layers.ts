// The containers that the books of the ledger are made of: maps, indexes and single values that may lie over another one
// of their kind. What lies over another one reads through to it and keeps its changes to itself, so that a change can be
// made out and looked at while everybody else sees the state before it. When the change is durable, it is laid down: from
// then on the container beneath has it, and the one above shows what was there before.

import { type KeyWatcher, MultiIndex } from "./multi-index.ts";

/** A map; its order is that of a `Map` to which the same was done. */
export class LayeredMap<Key, Value extends {}> {
  readonly #under: LayeredMap<Key, Value> | null;
  #own = new Map<Key, Value>();
  /** Keys that are in the map beneath and were deleted; one that came back since is among the own ones, too. */
  #gone = new Set<Key>();

  constructor(under: LayeredMap<Key, Value> | null) {
    this.#under = under;
  }

  /** Number of entries; with a map beneath it costs as much as there are changes. */
  get size(): number {
    if (this.#under === null) return this.#own.size;
    let size = this.#under.size - this.#gone.size;
    for (const key of this.#own.keys()) if (this.#isNew(key)) size += 1;
    return size;
  }

  get(key: Key): Value | undefined {
    const own = this.#own.get(key);
    if (own !== undefined || this.#under === null || this.#gone.has(key)) return own;
    return this.#under.get(key);
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  set(key: Key, value: Value): void {
    this.#own.set(key, value);
  }

  delete(key: Key): void {
    this.#own.delete(key);
    if (this.#under?.has(key) === true) this.#gone.add(key);
  }

  keys(): Iterable<Key> {
    return this.#under === null ? this.#own.keys() : firsts(this.#throughTo(this.#under));
  }

  *values(): Generator<Value> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): Iterator<[Key, Value]> {
    return this.#under === null ? this.#own.entries() : this.#throughTo(this.#under);
  }

  /** Gives its changes to the map beneath, and shows what was there before. */
  layDown(): void {
    const under = this.#under;
    if (under === null) return;
    const before = new Map<Key, Value>();
    const added = new Set<Key>();
    for (const key of this.#gone) {
      const was = under.get(key);
      if (was !== undefined) before.set(key, was);
      under.delete(key);
    }
    for (const [key, value] of this.#own) {
      const was = under.get(key);
      if (was !== undefined) before.set(key, was);
      else if (!before.has(key)) added.add(key);
      under.set(key, value);
    }
    this.#own = before;
    this.#gone = added;
  }

  *#throughTo(under: LayeredMap<Key, Value>): Generator<[Key, Value]> {
    for (const [key, value] of under) if (!this.#gone.has(key)) yield [key, this.#own.get(key) ?? value];
    for (const entry of this.#own) if (this.#isNew(entry[0])) yield entry;
  }

  /** Whether an own entry stands behind those of the map beneath, instead of in the place of one. */
  #isNew(key: Key): boolean {
    return this.#gone.has(key) || this.#under?.has(key) !== true;
  }
}

/** An index from one text to some texts; members come in the order in which they were added. */
export class LayeredIndex<Key extends string, Member extends string> {
  readonly #under: LayeredIndex<Key, Member> | null;
  #own: MultiIndex<Key, Member>;
  /** Members of the index beneath that were deleted; one that came back since is among the own ones, too. */
  #gone = new MultiIndex<Key, Member>();

  /** `watcher` is told of the keys of an index that lies over none. */
  constructor(under: LayeredIndex<Key, Member> | null, watcher: KeyWatcher<Key> | null) {
    this.#under = under;
    this.#own = new MultiIndex(under === null ? watcher : null);
  }

  add(key: Key, member: Member): void {
    if (!this.includes(key, member)) this.#own.add(key, member);
  }

  delete(key: Key, member: Member): void {
    if (!this.#own.delete(key, member) && this.#under?.includes(key, member) === true)
      this.#gone.add(key, member);
  }

  /** Number of keys, or, over another index, at least as many. */
  get size(): number {
    return this.#own.size + (this.#under?.size ?? 0);
  }

  /** The keys, each once, in no order; over another index also those that have lost their last member. */
  *keys(): Generator<Key> {
    yield* this.#own.keys();
    for (const key of this.#under?.keys() ?? []) if (!this.#own.has(key)) yield key;
  }

  /** Number of members of a key. */
  count(key: Key): number {
    const beneath = this.#under === null ? 0 : this.#under.count(key) - this.#gone.count(key);
    return beneath + this.#own.count(key);
  }

  /** Whether the key has a member. */
  has(key: Key): boolean {
    return this.count(key) > 0;
  }

  /** Whether the key has this member. */
  includes(key: Key, member: Member): boolean {
    if (this.#own.includes(key, member)) return true;
    return this.#under?.includes(key, member) === true && !this.#gone.includes(key, member);
  }

  /** The members of a key. */
  of(key: Key): Iterable<Member> {
    return this.#under === null ? this.#own.of(key) : this.#throughTo(this.#under, key);
  }

  /** Gives its changes to the index beneath, and shows what was there before. */
  layDown(): void {
    const under = this.#under;
    if (under === null) return;
    for (const key of this.#gone.keys()) for (const member of this.#gone.of(key)) under.delete(key, member);
    for (const key of this.#own.keys()) for (const member of this.#own.of(key)) under.add(key, member);
    [this.#own, this.#gone] = [this.#gone, this.#own];
  }

  *#throughTo(under: LayeredIndex<Key, Member>, key: Key): Generator<Member> {
    for (const member of under.of(key)) if (!this.#gone.includes(key, member)) yield member;
    yield* this.#own.of(key);
  }
}

/** A single value, which is replaced and never changed in itself. */
export class LayeredValue<Value> {
  readonly #under: LayeredValue<Value> | null;
  value: Value;

  constructor(under: LayeredValue<Value> | null, initial: Value) {
    this.#under = under;
    this.value = under === null ? initial : under.value;
  }

  /** Gives its value to the one beneath, and has the one that was there before. */
  layDown(): void {
    if (this.#under !== null) [this.#under.value, this.value] = [this.value, this.#under.value];
  }
}

/**
 * Makes the containers of a `Book`: over those of the book beneath, where there is one. All that were made by a layer and
 * by those within it are laid down together.
 */
export class Layer<Book> {
  readonly #under: Book | null;
  readonly #containers: { layDown(): void }[];

  constructor(under: Book | null, containers: { layDown(): void }[] = []) {
    this.#under = under;
    this.#containers = containers;
  }

  /** The layer of a part of the book. */
  within<Part>(part: (under: Book) => Part): Layer<Part> {
    return new Layer(this.shared<Part | null>(part, none), this.#containers);
  }

  map<Key, Value extends {}>(pick: (under: Book) => LayeredMap<Key, Value>): LayeredMap<Key, Value> {
    return this.#with(new LayeredMap(this.shared<LayeredMap<Key, Value> | null>(pick, none)));
  }

  index<Key extends string, Member extends string>(
    pick: (under: Book) => LayeredIndex<Key, Member>,
    watcher: KeyWatcher<Key> | null = null,
  ): LayeredIndex<Key, Member> {
    const under = this.shared<LayeredIndex<Key, Member> | null>(pick, none);
    return this.#with(new LayeredIndex(under, watcher));
  }

  value<Value>(pick: (under: Book) => LayeredValue<Value>, initial: Value): LayeredValue<Value> {
    return this.#with(new LayeredValue(this.shared<LayeredValue<Value> | null>(pick, none), initial));
  }

  /** A container of another kind: laid down after those that were made before it. */
  container<Container extends { layDown(): void }>(
    pick: (under: Book) => Container,
    make: (under: Container | null) => Container,
  ): Container {
    return this.#with(make(this.shared<Container | null>(pick, none)));
  }

  /** What is the same in all layers: taken from beneath, where there is something. */
  shared<Value>(pick: (under: Book) => Value, first: () => Value): Value {
    return this.#under === null ? first() : pick(this.#under);
  }

  /** Gives the changes of all containers to those beneath them, in one step. */
  layDown(): void {
    for (const container of this.#containers) container.layDown();
  }

  #with<Container extends { layDown(): void }>(container: Container): Container {
    this.#containers.push(container);
    return container;
  }
}

function none(): null {
  return null;
}

function* firsts<One>(pairs: Iterable<readonly [One, unknown]>): Generator<One> {
  for (const [one] of pairs) yield one;
}
