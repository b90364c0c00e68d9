// The three lists and what is found by an address (H-40, H-43, S-52): filters over orders and asks in list order.

import type { EvmAddress, PearlAddress } from "../../../primitives/brands.ts";
import type { AskRecord } from "../../../swap/records.ts";
import { bidRow, dealRow } from "../../../swap/rows.ts";
import type { AskStatus, SwapSubject } from "../../../swap/subject.ts";
import { rowOfAsk } from "./ask-view.ts";
import type { KeyPrograms } from "./key-programs.ts";
import { compareNewest, type IndexedOrder, keyOf, type OrderIndex } from "./order-index.ts";
import type { SwapList } from "./outcome.ts";
import { type Keyed, pageOf } from "./page-of.ts";
import { type Parties, partiesOfAsk, partyFilter, type PartyFilters } from "./parties.ts";
import type { SwapParts } from "./parts.ts";
import type { AskListQuery, BidListQuery, SwapListQuery, WireRow } from "./swap-service.ts";

/** Rows of each kind that `swaps/address/{address}` shows (H-43). */
const MAX_OF_ADDRESS = 100;

/** What the lists read from. */
export interface ListParts {
  readonly parts: Pick<SwapParts, "ledger" | "readiness" | "rules">;
  readonly orders: OrderIndex;
  readonly programs: KeyPrograms;
}

/** Lists of one state. */
export class SwapLists {
  readonly #parts: ListParts;

  constructor(parts: ListParts) {
    this.#parts = parts;
  }

  bids(query: BidListQuery): SwapList<WireRow> {
    const { readiness, rules } = this.#parts.parts;
    const moment = readiness.moment();
    const isListed = (order: IndexedOrder): boolean =>
      (query.includeAskMatches || !order.isAskMatch) && isOneOf(query.statuses, order.bid);
    return pageOf({
      limit: query.limit,
      start: query.start,
      entries: this.#orders(query, isListed),
      row: (subject) => rowIn(subject, bidRow(subject, moment, rules)),
    });
  }

  deals(query: SwapListQuery): SwapList<WireRow> {
    const { readiness, rules } = this.#parts.parts;
    const moment = readiness.moment();
    const isListed = (order: IndexedOrder): boolean =>
      order.deal !== null && isOneOf(query.statuses, order.deal);
    return pageOf({
      limit: query.limit,
      start: query.start,
      entries: this.#orders(query, isListed),
      row: (subject) => rowIn(subject, dealRow(subject, moment, rules)),
    });
  }

  asks(query: AskListQuery): SwapList<WireRow> {
    const { readiness, ledger } = this.#parts.parts;
    const moment = readiness.moment();
    const isOfParty = partyFilter(query, this.#parts.programs);
    const listed: Keyed<AskRecord>[] = [];
    for (const record of ledger.asks()) {
      const status = ledger.askStatus(record, moment);
      if (!isOneOf(query.statuses, status)) continue;
      if (!query.includeUnfunded && !isShownAsFunded(record, status)) continue;
      if (!isOfParty(this.#partiesOfAsk(record))) continue;
      listed.push({ entry: record, key: askKey(record, query.sort) });
    }
    const compare = query.sort === "price" ? comparePrice : compareNewest;
    listed.sort((a, b) => compare(a.key, b.key));
    return pageOf({
      limit: query.limit,
      start: query.start,
      entries: behind(listed, query.start, compare),
      row: (record) => rowOfAsk(ledger, record, moment),
    });
  }

  /** H-43: at most 100 of each kind, newest first, unfunded asks included. */
  ofAddress(address: EvmAddress | PearlAddress): WireRow {
    const isEvm = address.startsWith("0x");
    const base = { statuses: [], start: null, limit: MAX_OF_ADDRESS };
    const sides: readonly PartyFilters[] = isEvm
      ? [
          { buyerEvm: address as EvmAddress, sellerEvm: null, pearlAddress: null },
          { buyerEvm: null, sellerEvm: address as EvmAddress, pearlAddress: null },
        ]
      : [{ buyerEvm: null, sellerEvm: null, pearlAddress: address as PearlAddress }];
    const merged = (list: (filters: PartyFilters) => SwapList<WireRow>, hash: string): readonly WireRow[] =>
      newest(
        sides.flatMap((side) => list(side).rows),
        hash,
      );
    return {
      bids: merged((side) => this.bids({ ...base, ...side, includeAskMatches: false }), "order_hash"),
      asks: merged(
        (side) => this.asks({ ...base, ...side, includeUnfunded: true, sort: "created" }),
        "ask_id",
      ),
      deals: merged((side) => this.deals({ ...base, ...side }), "deal_hash"),
    };
  }

  *#orders(query: SwapListQuery, isListed: (order: IndexedOrder) => boolean): Generator<Keyed<SwapSubject>> {
    const { parts, orders, programs } = this.#parts;
    const isOfParty = partyFilter(query, programs);
    for (const order of orders.walk(query.start)) {
      if (!isListed(order) || !isOfParty(order.parties)) continue;
      const subject = parts.ledger.subject(order.hash);
      if (subject !== null) yield { entry: subject, key: keyOf(order) };
    }
  }

  #partiesOfAsk(record: AskRecord): Parties {
    const { parts, orders } = this.#parts;
    const orderHash = parts.ledger.orderOfAsk(record.askId);
    const bound = orderHash === null ? null : orders.order(orderHash);
    return partiesOfAsk(record, bound?.parties.buyerEvm ?? null);
  }
}

/** The row of an order that a list holds. @throws where it has none: the index and the ledger differ. */
function rowIn(subject: SwapSubject, row: WireRow | null): WireRow {
  if (row === null) throw new Error(`swap lists: order ${subject.hash} is listed and has no row`);
  return row;
}

function isOneOf(statuses: readonly string[], status: string): boolean {
  return statuses.length === 0 || statuses.includes(status);
}

function isShownAsFunded(record: AskRecord, status: AskStatus): boolean {
  return record.funded || status === "ASK_TAKEN" || status === "ASK_CANCELLED";
}

function askKey(record: AskRecord, sort: "created" | "price"): readonly (number | string)[] {
  const { usdcAmount, pearlAmountSat } = record.terms;
  return sort === "price"
    ? [usdcAmount.toString(), pearlAmountSat.toString(), record.createdAt, record.askId]
    : [record.createdAt, record.askId];
}

type Compare = typeof compareNewest;

/** Exact quotients, cheapest first; ties by created_at, then id, both ascending. */
const comparePrice: Compare = (a, b) => {
  const [usdcA, pearlA, timeA = 0, idA = ""] = a;
  const [usdcB, pearlB, timeB = 0, idB = ""] = b;
  const left = BigInt(usdcA ?? 0) * BigInt(pearlB ?? 0);
  const right = BigInt(usdcB ?? 0) * BigInt(pearlA ?? 0);
  if (left !== right) return left < right ? -1 : 1;
  if (timeA !== timeB) return timeA < timeB ? -1 : 1;
  return idA === idB ? 0 : idA < idB ? -1 : 1;
};

/** What stands behind the start, nearest first. */
function behind<Entry>(
  sorted: readonly Keyed<Entry>[],
  start: SwapListQuery["start"],
  compare: Compare,
): readonly Keyed<Entry>[] {
  if (start === null) return sorted;
  if (start.direction === "next") return sorted.filter(({ key }) => compare(key, start.key) > 0);
  return sorted.filter(({ key }) => compare(key, start.key) < 0).toReversed();
}

function newest(rows: readonly WireRow[], hash: string): readonly WireRow[] {
  const unique = new Map(rows.map((row) => [String(row[hash]), row]));
  return [...unique.values()]
    .toSorted((a, b) =>
      compareNewest([Number(a["created_at"]), String(a[hash])], [Number(b["created_at"]), String(b[hash])]),
    )
    .slice(0, MAX_OF_ADDRESS);
}
