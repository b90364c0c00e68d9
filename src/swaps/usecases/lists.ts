// The three lists and what is found by an address (H-40, H-43, S-52): filters over orders and asks in list order.

import type { Bytes32, EvmAddress, PearlAddress } from "../../primitives/brands.ts";
import { bidRow, dealRow } from "../../swap/rows.ts";
import type { SwapSubject } from "../../swap/subject.ts";
import { type SwapTransactionRow, swapTransactions, TRANSACTION_ACTIONS } from "../../swap/transactions.ts";
import type { IndexedAsk } from "./ask-index.ts";
import { askKey, placeOfKey } from "./ask-order.ts";
import type { TaprootKeyIndex } from "./taproot-key-index.ts";
import { compareNewest, type IndexedOrder, keyOf, type OrderIndex } from "./order-index.ts";
import type { SwapList } from "./outcome.ts";
import { type Parties, partyFilter, type PartyFilters } from "./parties.ts";
import { rowOfAsk, type SwapDependencies } from "./dependencies.ts";
import type { AskListQuery, BidListQuery, SwapListQuery, WireRow, SwapPageStart } from "./swap-service.ts";

/** Rows of each kind that `swaps/address/{address}` shows (H-43). */
const MAX_OF_ADDRESS = 100;

/** What the lists read from. */
interface SwapListsDependencies {
  readonly deps: Pick<SwapDependencies, "ledger" | "readiness" | "rules" | "asks">;
  readonly orders: OrderIndex;
  readonly programs: TaprootKeyIndex;
}

/** Lists of one state. */
export class SwapLists {
  readonly #deps: SwapListsDependencies;

  constructor(deps: SwapListsDependencies) {
    this.#deps = deps;
  }

  bids(query: BidListQuery): SwapList<WireRow> {
    const { readiness, rules } = this.#deps.deps;
    const context = readiness.context();
    const isListed = (order: IndexedOrder): boolean =>
      (query.includeAskMatches || !order.isAskMatch) && isOneOf(query.statuses, order.bid);
    return cutPage({
      limit: query.limit,
      start: query.start,
      entries: this.#orders(query, isListed),
      row: (subject) => rowIn(subject, bidRow(subject, context, rules)),
    });
  }

  deals(query: SwapListQuery): SwapList<WireRow> {
    const { readiness, rules } = this.#deps.deps;
    const context = readiness.context();
    const isListed = (order: IndexedOrder): boolean =>
      order.deal !== null && isOneOf(query.statuses, order.deal);
    return cutPage({
      limit: query.limit,
      start: query.start,
      entries: this.#orders(query, isListed),
      row: (subject) => rowIn(subject, dealRow(subject, context, rules)),
    });
  }

  asks(query: AskListQuery): SwapList<WireRow> {
    const { deps, programs } = this.#deps;
    const { readiness, ledger, asks } = deps;
    const { sort, start, statuses, includeUnfunded } = query;
    const place = start === null ? null : placeOfKey(start.key, sort);
    const walk = asks.walk({
      statuses,
      includeUnfunded,
      sort,
      start: start === null || place === null ? null : { direction: start.direction, place },
      among: this.#candidates(query),
    });
    const isOfParty = partyFilter(query, programs);
    const context = readiness.context();
    return cutPage({
      limit: query.limit,
      start,
      entries: keyed(walk, isOfParty, (ask) => askKey(ask, sort)),
      row: ({ record }) => rowOfAsk(ledger, record, context),
    });
  }

  /** Ids that the filters by party leave, as far as an index tells; null: all. */
  #candidates({ sellerEvm, buyerEvm, pearlAddress }: PartyFilters): readonly Bytes32[] | null {
    const { deps, programs } = this.#deps;
    const byEvm = deps.asks.of(sellerEvm, buyerEvm);
    if (byEvm !== null || pearlAddress === null) return byEvm;
    return deps.asks.ofPearl(pearlAddress, programs.keysOf(pearlAddress));
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

  /** what a transaction did, by deal hash and then in the order of a swap's steps. */
  transaction(hash: Bytes32, { limit, start }: Pick<SwapListQuery, "limit" | "start">): SwapList<WireRow> {
    return cutPage({ limit, start, entries: this.#stepsOf(hash, start), row: (step) => step });
  }

  *#stepsOf(hash: Bytes32, start: SwapPageStart | null): Generator<Keyed<SwapTransactionRow>> {
    const { ledger, readiness, rules } = this.#deps.deps;
    const context = readiness.context();
    const isBack = start?.direction === "prev";
    const from = String(start?.key[0] ?? "");
    const orders = [...ledger.ordersOfTransaction(hash)]
      .filter((order) => start === null || (isBack ? order <= from : order >= from))
      .toSorted();
    for (const order of isBack ? orders.toReversed() : orders) {
      const subject = ledger.subject(order);
      const ids: readonly string[] = [hash, hash.slice(2)];
      const rows = subject === null ? [] : ids.flatMap((id) => swapTransactions(subject, context, rules, id));
      const steps = rows
        .map((entry) => ({ entry, key: [order, TRANSACTION_ACTIONS.indexOf(entry.action)] as const }))
        .toSorted((one, other) => one.key[1] - other.key[1]);
      for (const one of isBack ? steps.toReversed() : steps) {
        const apart = order === from ? one.key[1] - Number(start?.key[1]) : null;
        if (apart === null || (isBack ? apart < 0 : apart > 0)) yield one;
      }
    }
  }

  *#orders(query: SwapListQuery, isListed: (order: IndexedOrder) => boolean): Generator<Keyed<SwapSubject>> {
    const { deps, orders, programs } = this.#deps;
    const isOfParty = partyFilter(query, programs);
    for (const order of orders.walk(query.start)) {
      if (!isListed(order) || !isOfParty(order.parties)) continue;
      const subject = deps.ledger.subject(order.hash);
      if (subject !== null) yield { entry: subject, key: keyOf(order) };
    }
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

/** Asks of a party with their keys. */
function* keyed(
  asks: Iterable<IndexedAsk>,
  isOfParty: (parties: Parties) => boolean,
  keyOfAsk: (ask: IndexedAsk) => readonly (number | string)[],
): Generator<Keyed<IndexedAsk>> {
  for (const ask of asks) if (isOfParty(ask.parties)) yield { entry: ask, key: keyOfAsk(ask) };
}

function newest(rows: readonly WireRow[], hash: string): readonly WireRow[] {
  const unique = new Map(rows.map((row) => [String(row[hash]), row]));
  return [...unique.values()]
    .toSorted((a, b) =>
      compareNewest([Number(a["created_at"]), String(a[hash])], [Number(b["created_at"]), String(b[hash])]),
    )
    .slice(0, MAX_OF_ADDRESS);
}

/** An entry of a list and the key of its place. */
interface Keyed<Entry> {
  readonly entry: Entry;
  readonly key: readonly (number | string)[];
}

/** What a page is cut from. */
interface PageOf<Entry, Row> {
  readonly limit: number;
  readonly start: SwapPageStart | null;
  /** Entries behind the start, in the direction of the start. */
  readonly entries: Iterable<Keyed<Entry>>;
  readonly row: (entry: Entry) => Row;
}

/** The page; `next` and `prev` are keys of its own edge rows. */
export function cutPage<Entry, Row>({ limit, start, entries, row }: PageOf<Entry, Row>): SwapList<Row> {
  const found: Keyed<Entry>[] = [];
  let hasMore = false;
  for (const each of entries) {
    if (found.length === limit) {
      hasMore = true;
      break;
    }
    found.push(each);
  }
  const isBack = start?.direction === "prev";
  if (isBack) found.reverse();
  const first = found[0];
  const last = found.at(-1);
  const rows = found.map(({ entry }) => row(entry));
  if (first === undefined || last === undefined) return emptyPage(start);
  // Where the walk came from there are rows, or were when the cursor was given.
  const isNext = isBack ? true : hasMore;
  const isPrev = isBack ? hasMore : start !== null;
  return { kind: "list", rows, next: isNext ? last.key : null, prev: isPrev ? first.key : null };
}

/** Nothing behind the start: the way back is where the walk came from. */
function emptyPage<Row>(start: SwapPageStart | null): SwapList<Row> {
  const back = start === null ? null : start.key;
  const isBack = start?.direction === "prev";
  return { kind: "list", rows: [], next: isBack ? back : null, prev: isBack ? null : back };
}
