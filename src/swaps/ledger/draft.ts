// A draft is one change of the ledger before its commit: made in memory at once and recorded, so that it can be rolled
// back before the commit and applied again after it. Readers never see what is not durable.

import type { Bytes32 } from "../../primitives/brands.ts";
import type { MultiIndex } from "./multi-index.ts";
import type { StoredFact } from "./ports.ts";

/** A single value that changes. */
export interface ChangingValue<Value> {
  value: Value;
}

/** The block that changed a row (H-47). */
export interface CausingBlock {
  readonly chain: "evm" | "pearl";
  readonly height: number;
  readonly hash: string;
}

/** How the books of the ledger change. While loading, what is about the store and about events does nothing. */
export interface BookChange {
  /** Whether facts are loaded: what was computed before they were stored is not computed again. */
  readonly isLoading: boolean;
  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void;
  drop<Key, Value>(map: Map<Key, Value>, key: Key): void;
  include<Value>(set: Set<Value>, value: Value): void;
  exclude<Value>(set: Set<Value>, value: Value): void;
  link<Key extends string, Member extends string>(
    index: MultiIndex<Key, Member>,
    key: Key,
    member: Member,
  ): void;
  unlink<Key extends string, Member extends string>(
    index: MultiIndex<Key, Member>,
    key: Key,
    member: Member,
  ): void;
  assign<Value>(cell: ChangingValue<Value>, value: Value): void;
  /** A fact to store; made only where it is. */
  store(fact: () => StoredFact): void;
  forget(kind: string, key: string): void;
  /** The rows of this order or take may change, by this block or (null) by none. */
  touch(order: Bytes32, cause: CausingBlock | null): void;
  /** The row of this ask may change. */
  touchAsk(ask: Bytes32, cause: CausingBlock | null): void;
}

/** A change that is made at once and for good: facts that are loaded. */
export const LOADING: BookChange = {
  isLoading: true,
  set: (map, key, value) => void map.set(key, value),
  drop: (map, key) => void map.delete(key),
  include: (set, value) => void set.add(value),
  exclude: (set, value) => void set.delete(value),
  link: (index, key, member) => void index.add(key, member),
  unlink: (index, key, member) => void index.delete(key, member),
  assign: (cell, value) => {
    cell.value = value;
  },
  store: () => undefined,
  forget: () => undefined,
  touch: () => undefined,
  touchAsk: () => undefined,
};

interface Step {
  apply(): void;
  rollback(): void;
}

/** A change that can be rolled back and applied again. */
export class Draft implements BookChange {
  readonly isLoading = false;
  readonly put: StoredFact[] = [];
  readonly remove: { readonly kind: string; readonly key: string }[] = [];
  /** Orders and takes whose rows may change, each with the block that did it. */
  readonly orders = new Map<Bytes32, CausingBlock | null>();
  readonly asks = new Map<Bytes32, CausingBlock | null>();
  readonly #steps: Step[] = [];
  readonly #last: (() => void)[] = [];

  set<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
    const before = map.get(key);
    const apply = () => void map.set(key, value);
    if (before === undefined) this.#apply({ apply, rollback: () => void map.delete(key) });
    else this.#apply({ apply, rollback: () => void map.set(key, before) });
  }

  drop<Key, Value>(map: Map<Key, Value>, key: Key): void {
    const before = map.get(key);
    if (before === undefined) return;
    this.#apply({ apply: () => void map.delete(key), rollback: () => void map.set(key, before) });
  }

  /** What is done in memory once the change is durable and never rolled back: the order of a map's entries. */
  afterCommit(work: () => void): void {
    this.#last.push(work);
  }

  include<Value>(set: Set<Value>, value: Value): void {
    if (set.has(value)) return;
    this.#apply({ apply: () => void set.add(value), rollback: () => void set.delete(value) });
  }

  exclude<Value>(set: Set<Value>, value: Value): void {
    if (!set.has(value)) return;
    this.#apply({ apply: () => void set.delete(value), rollback: () => void set.add(value) });
  }

  link<Key extends string, Member extends string>(
    index: MultiIndex<Key, Member>,
    key: Key,
    member: Member,
  ): void {
    const step = { apply: () => void index.add(key, member), rollback: () => void index.delete(key, member) };
    if (index.add(key, member)) this.#steps.push(step);
  }

  unlink<Key extends string, Member extends string>(
    index: MultiIndex<Key, Member>,
    key: Key,
    member: Member,
  ): void {
    const step = { apply: () => void index.delete(key, member), rollback: () => void index.add(key, member) };
    if (index.delete(key, member)) this.#steps.push(step);
  }

  assign<Value>(cell: ChangingValue<Value>, value: Value): void {
    const before = cell.value;
    const to = (next: Value) => () => {
      cell.value = next;
    };
    this.#apply({ apply: to(value), rollback: to(before) });
  }

  store(fact: () => StoredFact): void {
    this.put.push(fact());
  }

  forget(kind: string, key: string): void {
    this.remove.push({ kind, key });
  }

  touch(order: Bytes32, cause: CausingBlock | null): void {
    this.orders.set(order, later(this.orders.get(order) ?? null, cause));
  }

  touchAsk(ask: Bytes32, cause: CausingBlock | null): void {
    this.asks.set(ask, later(this.asks.get(ask) ?? null, cause));
  }

  /** Memory as it was before the change. */
  rollback(): void {
    for (const step of this.#steps.toReversed()) step.rollback();
  }

  /** Memory as the change left it; only after `rollback`. */
  reapply(): void {
    for (const step of this.#steps) step.apply();
  }

  /** The change for good; only after `rollback`. */
  finish(): void {
    this.reapply();
    for (const work of this.#last) work();
  }

  #apply(step: Step): void {
    step.apply();
    this.#steps.push(step);
  }
}

function later(one: CausingBlock | null, other: CausingBlock | null): CausingBlock | null {
  if (one === null || other === null) return one ?? other;
  return other.height >= one.height ? other : one;
}
