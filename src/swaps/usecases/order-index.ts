// Remembers which orders stand in which list, and with which status. Statuses are computed from facts and remembered
// here only until something that they depend on changes, so that a list or a count need not look at every order.

import { ABOVE_INTEGERS, BELOW_INTEGERS } from "../../primitives/integer-ends.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import { type OrderStanding, orderStanding } from "../../swap/stats.ts";
import type { EvaluationContext, SwapRules, SwapSubject } from "../../swap/subject.ts";
import { isAskMatch } from "../../swap/terms.ts";
import type { ListPlace } from "../ledger/closed-port.ts";
import { HIGHEST_HASH, type ListEnds, LOWEST_HASH } from "./pages.ts";
import { type Parties, partiesOfOrder } from "./parties.ts";
import { SortedList } from "./sorted-list.ts";
import type { SwapPageStart } from "./swap-service.ts";

/** An indexed order as lists see it. */
export interface IndexedOrder extends OrderStanding {
  readonly hash: Bytes32;
  /** Time of the OrderLocked block. */
  readonly createdAt: number;
  readonly isAskMatch: boolean;
  readonly parties: Parties;
}

/** What places are told apart by among the newest. */
type OrderPlace = Pick<ListPlace, "createdAt" | "hash">;

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
  readonly #sorted = new SortedList<IndexedOrder, OrderPlace>(compareNewest);

  constructor(deps: OrderIndexDependencies) {
    this.#deps = deps;
  }

  /** Looks at these orders again; new ones come in, those that are gone go. */
  refresh(hashes: Iterable<Bytes32>): void {
    const [moved, added]: [IndexedOrder[], IndexedOrder[]] = [[], []];
    const context = this.#deps.context();
    for (const hash of new Set(hashes)) {
      const before = this.#known.get(hash);
      const after = this.#look(hash, context);
      if (after === null) this.#known.delete(hash);
      else this.#known.set(hash, after);
      if (before !== undefined && before.createdAt !== after?.createdAt) moved.push(before);
      if (after !== null) added.push(after);
    }
    this.#sorted.change(moved, added);
  }

  /** Orders in list order. `start`: only those that stand behind its key; "prev" walks the other way. */
  walk(start: SwapPageStart | null): Generator<IndexedOrder> {
    return this.#sorted.walk(
      start === null ? null : { direction: start.direction, place: placeAmongNewest(start.key) },
    );
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
}

/** The paging key: created_at and hash (S-55). */
export function keyOf({ createdAt, hash }: OrderPlace): readonly [number, string] {
  return [createdAt, hash];
}

/** The place that such a key names. */
export function placeAmongNewest([createdAt, hash]: SwapPageStart["key"]): ListPlace {
  return { createdAt: Number(createdAt), hash: String(hash) as Bytes32, usdc: 0n, sat: 1n };
}

/** The ends of a list that shows the newest first. */
export const NEWEST_ENDS: ListEnds = {
  first: [ABOVE_INTEGERS, HIGHEST_HASH],
  last: [BELOW_INTEGERS, LOWEST_HASH],
};

/** Negative where `a` stands before `b`: newest first, ties by hash or id descending (S-55). */
export function compareNewest(a: OrderPlace, b: OrderPlace): number {
  return b.createdAt - a.createdAt || (a.hash === b.hash ? 0 : a.hash > b.hash ? -1 : 1);
}
