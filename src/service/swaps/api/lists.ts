// The three lists and what is found by an address (H-40, H-43, S-52): filters over orders and asks in list order.

import type { Bytes32, EvmAddress, PearlAddress } from "../../../primitives/brands.ts";
import type { AskRecord } from "../../../swap/records.ts";
import { bidRow, dealRow } from "../../../swap/rows.ts";
import type { AskStatus, SwapSubject } from "../../../swap/subject.ts";
import { rowOfAsk } from "./ask-view.ts";
import type { KeyPrograms } from "./key-programs.ts";
import { compareNewest, type IndexedOrder, keyOf, type OrderIndex } from "./order-index.ts";
import type { SwapList } from "./outcome.ts";
import { type Keyed, pageOf } from "./page-of.ts";
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

/** Who a row belongs to, for the filters. */
interface Parties {
  readonly buyerEvm: EvmAddress | null;
  readonly sellerEvm: EvmAddress | null;
  readonly pearlAddresses: readonly (string | null)[];
  readonly pearlKeys: readonly Bytes32[];
}

type Filters = Pick<SwapListQuery, "buyerEvm" | "sellerEvm" | "pearlAddress">;

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
      row: (subject) => ({ ...bidRow(subject, moment, rules) }),
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
      row: (subject) => ({ ...dealRow(subject, moment, rules) }),
    });
  }

  asks(query: AskListQuery): SwapList<WireRow> {
    const { readiness, ledger } = this.#parts.parts;
    const moment = readiness.moment();
    const listed: Keyed<AskRecord>[] = [];
    for (const record of ledger.asks()) {
      const status = ledger.askStatus(record, moment);
      if (!isOneOf(query.statuses, status)) continue;
      if (!query.includeUnfunded && !isShownAsFunded(record, status)) continue;
      if (!this.#fits(this.#partiesOfAsk(record), query)) continue;
      listed.push({ entry: record, key: askKey(record, query.sort) });
    }
    const compare = query.sort === "price" ? comparePrice : compareNewest;
    listed.sort((a, b) => compare(a.key, b.key));
    return pageOf({
      limit: query.limit,
      start: query.start,
      entries: behind(listed, query.start, compare),
      row: (record) => ({ ...rowOfAsk(ledger, record, moment) }),
    });
  }

  /** H-43: at most 100 of each kind, newest first, unfunded asks included. */
  ofAddress(address: EvmAddress | PearlAddress): WireRow {
    const isEvm = address.startsWith("0x");
    const base = { statuses: [], start: null, limit: MAX_OF_ADDRESS };
    const sides: readonly Filters[] = isEvm
      ? [
          { buyerEvm: address as EvmAddress, sellerEvm: null, pearlAddress: null },
          { buyerEvm: null, sellerEvm: address as EvmAddress, pearlAddress: null },
        ]
      : [{ buyerEvm: null, sellerEvm: null, pearlAddress: address as PearlAddress }];
    const merged = (list: (filters: Filters) => SwapList<WireRow>, hash: string): readonly WireRow[] =>
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

  /** Every key that `pearl_address` may have to be compared with. */
  *keys(): Generator<Bytes32> {
    const { ledger } = this.#parts.parts;
    for (const hash of ledger.orders()) {
      const subject = ledger.subject(hash);
      if (subject !== null) yield* partiesOf(subject).pearlKeys;
    }
    for (const ask of ledger.asks()) yield ask.terms.sellerPearlKey;
  }

  *#orders(query: SwapListQuery, isListed: (order: IndexedOrder) => boolean): Generator<Keyed<SwapSubject>> {
    const { ledger } = this.#parts.parts;
    for (const order of this.#parts.orders.walk(query.start)) {
      if (!isListed(order)) continue;
      const subject = ledger.subject(order.hash);
      if (subject === null || !this.#fits(partiesOf(subject), query)) continue;
      yield { entry: subject, key: keyOf(order) };
    }
  }

  #partiesOfAsk(record: AskRecord): Parties {
    const { ledger } = this.#parts.parts;
    const orderHash = ledger.orderOfAsk(record.askId);
    const bound = orderHash === null ? null : ledger.subject(orderHash);
    return {
      // On asks the bound deal's (H-40).
      buyerEvm: bound?.terms.buyer ?? null,
      sellerEvm: record.terms.seller,
      pearlAddresses: [record.terms.sellerPearlAddress],
      pearlKeys: [record.terms.sellerPearlKey],
    };
  }

  #fits(parties: Parties, { buyerEvm, sellerEvm, pearlAddress }: Filters): boolean {
    if (buyerEvm !== null && parties.buyerEvm !== buyerEvm) return false;
    if (sellerEvm !== null && parties.sellerEvm !== sellerEvm) return false;
    if (pearlAddress === null || parties.pearlAddresses.includes(pearlAddress)) return true;
    return parties.pearlKeys.some((key) => this.#parts.programs.fits(key, pearlAddress));
  }
}

function partiesOf(subject: SwapSubject): Parties {
  const { terms, order } = subject;
  return {
    buyerEvm: terms.buyer,
    sellerEvm: order?.accepted?.seller ?? terms.seller,
    pearlAddresses: [subject.buyerPearlAddress, subject.sellerPearlAddress],
    pearlKeys: [terms.buyerPearlKey, order?.accepted?.sellerPearlKey ?? terms.sellerPearlKey],
  };
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
