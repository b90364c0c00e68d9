// Which orders stand in which list, and with which status? Statuses are computed from facts; here they are only
// remembered until something that they depend on changes, so that a list or a count need not look at every order.

import type { Bytes32 } from "../../../primitives/brands.ts";
import { type OrderStanding, orderStanding } from "../../../swap/stats.ts";
import type { Moment, SwapRules, SwapSubject } from "../../../swap/subject.ts";
import { isAskMatch } from "../../../swap/terms.ts";

/** An indexed order as lists see it. */
export interface IndexedOrder extends OrderStanding {
  readonly hash: Bytes32;
  /** Time of the OrderLocked block. */
  readonly createdAt: number;
  readonly isAskMatch: boolean;
}

/** What the index is made from. */
export interface OrderIndexParts {
  readonly subject: (hash: Bytes32) => SwapSubject | null;
  readonly moment: () => Moment;
  readonly rules: SwapRules;
}

/** Orders newest first, ties by hash descending (S-55), with their statuses. */
export class OrderIndex {
  readonly #parts: OrderIndexParts;
  readonly #known = new Map<Bytes32, IndexedOrder>();
  #sorted: IndexedOrder[] = [];

  constructor(parts: OrderIndexParts) {
    this.#parts = parts;
  }

  /** Looks at these orders again; new ones come in, those that are gone go. */
  refresh(hashes: Iterable<Bytes32>): void {
    const added: IndexedOrder[] = [];
    let isAnyGone = false;
    const moment = this.#parts.moment();
    for (const hash of hashes) {
      const before = this.#known.get(hash);
      const after = this.#look(hash, moment);
      if (after === null) this.#known.delete(hash);
      else this.#known.set(hash, after);
      const isMoved = before?.createdAt !== after?.createdAt;
      if (before !== undefined && isMoved) isAnyGone = true;
      if (after !== null && isMoved) added.push(after);
    }
    if (isAnyGone) this.#sorted = this.#sorted.filter((one) => this.#isCurrent(one));
    this.#insert(added);
  }

  /** Orders in list order. `after`: only those that stand behind this key; "prev" walks the other way. */
  *walk(
    start: {
      readonly direction: "next" | "prev";
      readonly key: readonly (number | string)[];
    } | null,
  ): Generator<IndexedOrder> {
    const key = start?.key ?? null;
    if (start?.direction === "prev") {
      for (let at = this.#firstNotBefore(key) - 1; at >= 0; at -= 1) yield* this.#at(at);
      return;
    }
    let at = key === null ? 0 : this.#firstNotBefore(key);
    const first = this.#sorted[at];
    if (key !== null && first !== undefined && compareNewest(keyOf(first), key) === 0) at += 1;
    for (; at < this.#sorted.length; at += 1) yield* this.#at(at);
  }

  /** All orders, in no order. */
  all(): Iterable<IndexedOrder> {
    return this.#known.values();
  }

  *#at(index: number): Generator<IndexedOrder> {
    const placed = this.#sorted[index];
    const current = placed === undefined ? undefined : this.#known.get(placed.hash);
    if (current !== undefined) yield current;
  }

  #isCurrent(placed: IndexedOrder): boolean {
    return this.#known.get(placed.hash)?.createdAt === placed.createdAt;
  }

  #look(hash: Bytes32, moment: Moment): IndexedOrder | null {
    const subject = this.#parts.subject(hash);
    const standing = subject === null ? null : orderStanding(subject, moment, this.#parts.rules);
    const createdAt = subject?.order?.locked.time;
    if (subject === null || standing === null || createdAt === undefined) return null;
    return { ...standing, hash, createdAt, isAskMatch: isAskMatch(subject.terms) };
  }

  #insert(added: readonly IndexedOrder[]): void {
    if (added.length === 0) return;
    if (added.length > 64) {
      this.#sorted = [...this.#sorted, ...added].toSorted((a, b) => compareNewest(keyOf(a), keyOf(b)));
      return;
    }
    for (const order of added) this.#sorted.splice(this.#firstNotBefore(keyOf(order)), 0, order);
  }

  /** Place of the first order that does not stand before the key. */
  #firstNotBefore(key: readonly (number | string)[] | null): number {
    if (key === null) return this.#sorted.length;
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const order = this.#sorted[middle];
      if (order !== undefined && compareNewest(keyOf(order), key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The paging key: created_at and hash (S-55). */
export function keyOf(order: Pick<IndexedOrder, "createdAt" | "hash">): readonly [number, string] {
  return [order.createdAt, order.hash];
}

/** Negative where key `a` stands before `b`: newest first, ties by hash or id descending (S-55). */
export function compareNewest(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const [timeA = 0, hashA = ""] = a;
  const [timeB = 0, hashB = ""] = b;
  if (timeA !== timeB) return timeA > timeB ? -1 : 1;
  return hashA === hashB ? 0 : hashA > hashB ? -1 : 1;
}
