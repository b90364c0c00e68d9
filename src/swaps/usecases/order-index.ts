// Remembers which orders stand in which list, and with which status. Statuses are computed from facts and remembered
// here only until something that they depend on changes, so that a list or a count need not look at every order.

import type { Bytes32 } from "../../primitives/brands.ts";
import { firstIndex } from "../../primitives/elements.ts";
import { type OrderStanding, orderStanding } from "../../swap/stats.ts";
import type { EvaluationContext, SwapRules, SwapSubject } from "../../swap/subject.ts";
import { isAskMatch } from "../../swap/terms.ts";
import { ABOVE_INTEGERS, BELOW_INTEGERS, HIGHEST_HASH, type ListEnds, LOWEST_HASH } from "./pages.ts";
import { type Parties, partiesOfOrder } from "./parties.ts";
import type { SwapPageStart } from "./swap-service.ts";

/** An indexed order as lists see it. */
export interface IndexedOrder extends OrderStanding {
  readonly hash: Bytes32;
  /** Time of the OrderLocked block. */
  readonly createdAt: number;
  readonly isAskMatch: boolean;
  readonly parties: Parties;
}

/** What the index is made from. */
interface OrderIndexDependencies {
  readonly subject: (hash: Bytes32) => SwapSubject | null;
  readonly context: () => EvaluationContext;
  readonly rules: SwapRules;
}

/** Orders newest first, ties by hash descending (S-55), with their statuses. */
export class OrderIndex {
  readonly #deps: OrderIndexDependencies;
  readonly #known = new Map<Bytes32, IndexedOrder>();
  #sorted: IndexedOrder[] = [];

  constructor(deps: OrderIndexDependencies) {
    this.#deps = deps;
  }

  /** Looks at these orders again; new ones come in, those that are gone go. */
  refresh(hashes: Iterable<Bytes32>): void {
    const added: IndexedOrder[] = [];
    let isAnyGone = false;
    const context = this.#deps.context();
    for (const hash of new Set(hashes)) {
      const before = this.#known.get(hash);
      const after = this.#look(hash, context);
      if (after === null) this.#known.delete(hash);
      else this.#known.set(hash, after);
      if (after !== null && before?.createdAt === after.createdAt) this.#replace(after);
      else {
        if (before !== undefined) isAnyGone = true;
        if (after !== null) added.push(after);
      }
    }
    if (isAnyGone) this.#sorted = this.#sorted.filter((one) => this.#known.get(one.hash) === one);
    this.#insert(added);
  }

  /** Orders in list order. `start`: only those that stand behind its key; "prev" walks the other way. */
  walk(start: SwapPageStart | null): readonly IndexedOrder[] {
    if (start === null) return this.#sorted;
    const at = this.#firstNotBefore(start.key);
    if (start.direction === "prev") return this.#sorted.slice(0, at).toReversed();
    const first = this.#sorted[at];
    const isOfCursor = first !== undefined && compareNewest(keyOf(first), start.key) === 0;
    return this.#sorted.slice(isOfCursor ? at + 1 : at);
  }

  /** An indexed order, or null. */
  order(hash: Bytes32): IndexedOrder | null {
    return this.#known.get(hash) ?? null;
  }

  /** All orders, in no order. */
  all(): Iterable<IndexedOrder> {
    return this.#known.values();
  }

  #look(hash: Bytes32, context: EvaluationContext): IndexedOrder | null {
    const subject = this.#deps.subject(hash);
    const standing = subject === null ? null : orderStanding(subject, context, this.#deps.rules);
    const createdAt = subject?.order?.locked.time;
    if (subject === null || standing === null || createdAt === undefined) return null;
    const { bid, deal, settled } = standing;
    const parties = partiesOfOrder(subject);
    return { hash, createdAt, bid, deal, settled, isAskMatch: isAskMatch(subject.terms), parties };
  }

  /** Puts what an order is now in the place where it stands. */
  #replace(order: IndexedOrder): void {
    this.#sorted[this.#firstNotBefore(keyOf(order))] = order;
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
  #firstNotBefore(key: readonly (number | string)[]): number {
    return firstIndex(this.#sorted, (order) => compareNewest(keyOf(order), key) >= 0);
  }
}

/** The paging key: created_at and hash (S-55). */
export function keyOf(order: Pick<IndexedOrder, "createdAt" | "hash">): readonly [number, string] {
  return [order.createdAt, order.hash];
}

/** The ends of a list that shows the newest first. */
export const NEWEST_ENDS: ListEnds = {
  first: [ABOVE_INTEGERS, HIGHEST_HASH],
  last: [BELOW_INTEGERS, LOWEST_HASH],
};

/** Negative where key `a` stands before `b`: newest first, ties by hash or id descending (S-55). */
export function compareNewest(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const [timeA = 0, hashA = ""] = a;
  const [timeB = 0, hashB = ""] = b;
  if (timeA !== timeB) return timeA > timeB ? -1 : 1;
  return hashA === hashB ? 0 : hashA > hashB ? -1 : 1;
}
