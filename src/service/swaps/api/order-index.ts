// Which orders stand in which list, and with which status? Statuses are computed from facts; here they are only
// remembered until something that they depend on changes, so that a list or a count need not look at every order.

import type { Bytes32 } from "../../../primitives/brands.ts";
import { BID_STATUSES, bidStatus, type BidStatus } from "../../../swap/bid-status.ts";
import { DEAL_STATUSES, dealStatus, type DealStatus } from "../../../swap/deal-status.ts";
import { dealExists } from "../../../swap/order-state.ts";
import type { Moment, SwapRules, SwapSubject } from "../../../swap/subject.ts";
import { isAskMatch } from "../../../swap/terms.ts";

/** An indexed order as lists see it. */
export interface IndexedOrder {
  readonly hash: Bytes32;
  /** Time of the OrderLocked block. */
  readonly createdAt: number;
  readonly bid: BidStatus;
  /** Null for a bid that is not accepted. */
  readonly deal: DealStatus | null;
  readonly isAskMatch: boolean;
  /** The settlement, where the order is claimed. */
  readonly settled: { readonly time: number; readonly usdc: bigint; readonly sat: bigint } | null;
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
  readonly #bids = new Map<BidStatus, number>(BID_STATUSES.map((status) => [status, 0]));
  readonly #deals = new Map<DealStatus, number>(DEAL_STATUSES.map((status) => [status, 0]));

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
      if (before !== undefined) this.#count(before, -1);
      if (after !== null) this.#count(after, 1);
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
    if (key !== null && first !== undefined && compareKeys(keyOf(first), key) === 0) at += 1;
    for (; at < this.#sorted.length; at += 1) yield* this.#at(at);
  }

  /** How many bids have each status. */
  bidCounts(): Record<BidStatus, number> {
    return Object.fromEntries(this.#bids) as Record<BidStatus, number>;
  }

  /** How many deals have each status. */
  dealCounts(): Record<DealStatus, number> {
    return Object.fromEntries(this.#deals) as Record<DealStatus, number>;
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
    const order = subject?.order ?? null;
    if (subject === null || order === null) return null;
    const { usdcAmount, pearlAmountSat } = subject.terms;
    const closed = order.closed;
    return {
      hash,
      createdAt: order.locked.time,
      bid: bidStatus(order, moment.tips),
      deal:
        dealExists(subject) && order.accepted !== null
          ? dealStatus(subject, moment, this.#parts.rules)
          : null,
      isAskMatch: isAskMatch(subject.terms),
      settled:
        closed?.kind === "claimed"
          ? { time: closed.place.time, usdc: usdcAmount, sat: pearlAmountSat }
          : null,
    };
  }

  #count(order: IndexedOrder, by: 1 | -1): void {
    this.#bids.set(order.bid, (this.#bids.get(order.bid) ?? 0) + by);
    if (order.deal !== null) this.#deals.set(order.deal, (this.#deals.get(order.deal) ?? 0) + by);
  }

  #insert(added: readonly IndexedOrder[]): void {
    if (added.length === 0) return;
    if (added.length > 64) {
      this.#sorted = [...this.#sorted, ...added].toSorted((a, b) => compareKeys(keyOf(a), keyOf(b)));
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
      if (order !== undefined && compareKeys(keyOf(order), key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The paging key: created_at and hash (S-55). */
export function keyOf(order: Pick<IndexedOrder, "createdAt" | "hash">): readonly [number, string] {
  return [order.createdAt, order.hash];
}

/** Negative where `a` stands before `b`: both descending. */
function compareKeys(a: readonly (number | string)[], b: readonly (number | string)[]): number {
  const [timeA = 0, hashA = ""] = a;
  const [timeB = 0, hashB = ""] = b;
  if (timeA !== timeB) return timeA > timeB ? -1 : 1;
  return hashA === hashB ? 0 : hashA > hashB ? -1 : 1;
}
