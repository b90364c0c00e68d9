// The three lists and what is found by an address (H-40, H-43, S-52): filters over orders and asks in list order.

import { ABOVE_INTEGERS, BELOW_INTEGERS } from "../../primitives/integer-ends.ts";
import { scriptHexOfAddress } from "../../primitives/address.ts";
import type { Bytes32, EvmAddress, PearlAddress, ScriptHex, Txid } from "../../primitives/brands.ts";
import { bidRow, dealRow } from "../../swap/rows.ts";
import type { AskRecord } from "../../swap/records.ts";
import type { SwapSubject } from "../../swap/subject.ts";
import {
  stepsOf,
  type SwapTransactionRow,
  swapTransactions,
  TRANSACTION_ACTIONS,
  type TransactionSteps,
} from "../../swap/transactions.ts";
import {
  type AskSort,
  CLOSED_STATUSES,
  type ClosedAnswer,
  type ClosedQuestion,
  type ListPlace,
} from "../ledger/closed-port.ts";
import type { StateReads } from "../ledger/state-reads.ts";
import { ASK_ENDS, ASK_ORDERS, askKey, askPlaceOf, placeOfKey } from "./ask-order.ts";
import type { TaprootKeyIndex } from "./taproot-key-index.ts";
import {
  compareNewest,
  type IndexedOrder,
  keyOf,
  NEWEST_ENDS,
  type OrderIndex,
  placeAmongNewest,
} from "./order-index.ts";
import type { SwapList } from "./outcome.ts";
import { cutPage, HIGHEST_HASH, type Keyed, type ListEnds, type LookedUpTo, LOWEST_HASH } from "./pages.ts";
import { partyFilter, type PartyFilters } from "./parties.ts";
import { rowOfAsk, type SwapDependencies } from "./dependencies.ts";
import type { AskListQuery, BidListQuery, SwapListQuery, WireRow, SwapPageStart } from "./swap-service.ts";

/** Rows of each kind that `swaps/address/{address}` shows (H-43). */
const MAX_OF_ADDRESS = 100;
/** The ends of what a transaction did: by hash, then by the place of the step. */
const STEP_ENDS: ListEnds = { first: [LOWEST_HASH, BELOW_INTEGERS], last: [HIGHEST_HASH, ABOVE_INTEGERS] };

/** What the lists read from. */
interface SwapListsDependencies extends Pick<SwapDependencies, "ledger" | "readiness" | "rules" | "asks"> {
  readonly orders: OrderIndex;
  readonly programs: TaprootKeyIndex;
}

/** Lists of one state. */
export class SwapLists {
  readonly #deps: SwapListsDependencies;

  constructor(deps: SwapListsDependencies) {
    this.#deps = deps;
  }

  bids(query: BidListQuery): Promise<SwapList<WireRow>> {
    return this.#one(query, this.#bids(query));
  }

  deals(query: SwapListQuery): Promise<SwapList<WireRow>> {
    return this.#one(query, this.#deals(query));
  }

  asks(query: AskListQuery): Promise<SwapList<WireRow>> {
    return this.#one(query, this.#asks(query));
  }

  /** Read in one go. Where it is filtered by a PEARL address, the programs of new keys are made before, in slices. */
  async #one({ pearlAddress }: PartyFilters, list: Listing): Promise<SwapList<WireRow>> {
    const { ledger, programs } = this.#deps;
    if (pearlAddress !== null) await programs.prepare();
    return ledger.reading([list.question], (reads, answer) => list.page(reads, closedOf(answer, 0)));
  }

  #bids(query: BidListQuery): Listing {
    const { includeAskMatches, statuses } = query;
    return this.#listing(query, {
      question: this.#closedOrders(query, "bid", includeAskMatches),
      isListed: ({ bid, isAskMatch }) => (includeAskMatches || !isAskMatch) && isOneOf(statuses, bid),
      rowOf: bidRow,
    });
  }

  #deals(query: SwapListQuery): Listing {
    return this.#listing(query, {
      question: this.#closedOrders(query, "deal", true),
      isListed: ({ deal }) => deal !== null && isOneOf(query.statuses, deal),
      rowOf: dealRow,
    });
  }

  /** A list of orders, newest first. */
  #listing(query: SwapListQuery, { question, isListed, rowOf }: OrderList): Listing {
    const { readiness, rules } = this.#deps;
    return {
      question,
      page: (reads, closed) => {
        const context = readiness.context();
        return cutPage({
          limit: query.limit,
          start: query.start,
          ends: NEWEST_ENDS,
          entries: this.#orders(reads, query, isListed, closed),
          row: (subject) => rowIn(subject, rowOf(subject, context, rules)),
        });
      },
    };
  }

  #asks(query: AskListQuery): Listing {
    const { asks, programs, readiness } = this.#deps;
    const { sort, start, statuses, includeUnfunded } = query;
    const place = start === null ? null : placeOfKey(start.key, sort);
    const from = start === null || place === null ? null : { direction: start.direction, place };
    // Whatever has closed was taken.
    const isAsked = isOneOf(statuses, "ASK_TAKEN");
    const question = { kind: "asks", sort, ...this.#closedParties(query), limit: query.limit + 1 } as const;
    return {
      question: isAsked ? { ...question, start: from } : NO_QUESTION,
      page: (reads, closed) => {
        const among = this.#candidates(query);
        const walk = asks.walk({ statuses, includeUnfunded, sort, start: from, among });
        const isOfParty = partyFilter(query, programs);
        const open = fitting(walk, ({ parties }) => isOfParty(parties));
        const context = readiness.context();
        const turn = start?.direction === "prev" ? -1 : 1;
        return cutPage({
          limit: query.limit,
          start,
          ends: ASK_ENDS[sort],
          entries: keyedAsks(
            inTurn<ShownAsk>(
              open,
              closedAsks(reads, closed),
              (one, other) => turn * ASK_ORDERS[sort](one, other),
            ),
            sort,
          ),
          row: ({ record }) => rowOfAsk(reads, record, context),
        });
      },
    };
  }

  #closedOrders(query: SwapListQuery, list: "bid" | "deal", includeAskMatches: boolean): ClosedQuestion {
    const { statuses, start, limit } = query;
    const closed: readonly string[] = CLOSED_STATUSES;
    if (statuses.length > 0 && !statuses.some((status) => closed.includes(status))) return NO_QUESTION;
    const from = start === null ? null : { direction: start.direction, place: placeAmongNewest(start.key) };
    const bounds = { statuses, includeAskMatches, start: from, limit: limit + 1 };
    return { kind: "orders", list, ...bounds, ...this.#closedParties(query) };
  }

  /** The filters as closed rows are found by them: by addresses that they show and by scripts that keys fit. */
  #closedParties({ buyerEvm, sellerEvm, pearlAddress }: PartyFilters) {
    const pearl = pearlAddress === null ? null : [pearlAddress, scriptHexOfAddress(pearlAddress)];
    return { buyerEvm, sellerEvm, pearl };
  }

  /** Ids that the filters by party leave, as far as an index tells; null: all. */
  #candidates({ sellerEvm, buyerEvm, pearlAddress }: PartyFilters): readonly Bytes32[] | null {
    const { asks, programs } = this.#deps;
    const byEvm = asks.of(sellerEvm, buyerEvm);
    if (byEvm !== null || pearlAddress === null) return byEvm;
    return asks.ofPearl(pearlAddress, programs.keysOf(pearlAddress));
  }

  /** H-43: at most 100 of each kind, newest first, unfunded asks included. */
  async ofAddress(address: EvmAddress | PearlAddress): Promise<WireRow> {
    const isEvm = address.startsWith("0x");
    if (!isEvm) await this.#deps.programs.prepare();
    const base = { statuses: [], start: null, limit: MAX_OF_ADDRESS };
    const sides: readonly PartyFilters[] = isEvm
      ? [
          { buyerEvm: address as EvmAddress, sellerEvm: null, pearlAddress: null },
          { buyerEvm: null, sellerEvm: address as EvmAddress, pearlAddress: null },
        ]
      : [{ buyerEvm: null, sellerEvm: null, pearlAddress: address as PearlAddress }];
    const kinds = {
      bids: sides.map((side) => this.#bids({ ...base, ...side, includeAskMatches: false })),
      asks: sides.map((side) => this.#asks({ ...base, ...side, includeUnfunded: true, sort: "created" })),
      deals: sides.map((side) => this.#deals({ ...base, ...side })),
    };
    const all = [...kinds.bids, ...kinds.asks, ...kinds.deals];
    return this.#deps.ledger.reading(
      all.map(({ question }) => question),
      (reads, answer) => {
        const merged = (lists: readonly Listing[], hash: string): readonly WireRow[] =>
          newest(
            lists.flatMap((list) => list.page(reads, closedOf(answer, all.indexOf(list))).rows),
            hash,
          );
        return {
          bids: merged(kinds.bids, "order_hash"),
          asks: merged(kinds.asks, "ask_id"),
          deals: merged(kinds.deals, "deal_hash"),
        };
      },
    );
  }

  /** what a transaction did, by deal hash and then in the order of a swap's steps. */
  transaction(
    hash: Bytes32,
    { limit, start }: Pick<SwapListQuery, "limit" | "start">,
  ): Promise<SwapList<WireRow>> {
    const order = start === null ? null : (String(start.key[0]) as Bytes32);
    const from = start === null || order === null ? null : { direction: start.direction, order };
    // Each order has a step at least, but that of the start may have none behind it; one more tells whether there are more.
    const most = limit + 2;
    const question = { kind: "moved", transaction: hash, start: from, limit: most } as const;
    return this.#deps.ledger.reading([question], (reads, { rows: [closed = []] }) => {
      // Behind the last one there may be others that were not read, before ones that are in memory.
      const last = closed.length < most ? null : (closed.at(-1)?.hash ?? null);
      const orders = ordersBetween(reads.ordersOfTransaction(hash), from, last);
      return cutPage({
        limit,
        start,
        ends: STEP_ENDS,
        entries: this.#stepsOf(reads, hash, start, orders),
        row: (step) => step,
      });
    });
  }

  *#stepsOf(
    reads: StateReads,
    hash: Bytes32,
    start: SwapPageStart | null,
    orders: readonly Bytes32[],
  ): Generator<Keyed<SwapTransactionRow>> {
    const { readiness, rules } = this.#deps;
    const context = readiness.context();
    const isBack = start?.direction === "prev";
    const from = String(start?.key[0] ?? "");
    const txid = hash.slice(2) as Txid;
    const byScript = new Map<ScriptHex | null, TransactionSteps>();
    for (const order of orders) {
      const subject = reads.subject(order);
      const script = subject?.script ?? null;
      const onPearl = byScript.get(script) ?? {
        txid,
        pearl: stepsOf(txid, reads.lockOutputsBy(txid, script), context.tips),
      };
      byScript.set(script, onPearl);
      const each: readonly TransactionSteps[] = [{ txid: hash, pearl: [] }, onPearl];
      const rows =
        subject === null ? [] : each.flatMap((only) => swapTransactions(subject, context, rules, only));
      const steps = rows
        .map((entry) => ({ entry, key: [order, TRANSACTION_ACTIONS.indexOf(entry.action)] as const }))
        .toSorted((one, other) => one.key[1] - other.key[1]);
      for (const one of isBack ? steps.toReversed() : steps) {
        const apart = order === from ? one.key[1] - Number(start?.key[1]) : null;
        if (apart === null || (isBack ? apart < 0 : apart > 0)) yield one;
      }
    }
  }

  /** Open and closed orders in list order. */
  *#orders(
    reads: StateReads,
    query: SwapListQuery,
    isListed: (order: IndexedOrder) => boolean,
    { rows, until }: ClosedRows,
  ): Generator<Keyed<SwapSubject> | LookedUpTo> {
    const { orders, programs } = this.#deps;
    const isOfParty = partyFilter(query, programs);
    const open = fitting(orders.walk(query.start), (order) => isListed(order) && isOfParty(order.parties));
    const turn = query.start?.direction === "prev" ? -1 : 1;
    const end = until === null ? null : { ...until };
    const all = inTurn<Pick<IndexedOrder, "createdAt" | "hash">>(
      open,
      end === null ? rows : [...rows, end],
      (one, other) => turn * compareNewest(one, other),
    );
    for (const order of all) {
      const subject = order === end ? null : reads.subject(order.hash);
      if (order === end) yield { until: keyOf(order) };
      else if (subject !== null) yield { entry: subject, key: keyOf(order) };
    }
  }
}

/** Orders from one to another one, both with them, in the direction of the first; null: no end. */
function ordersBetween(
  orders: Iterable<Bytes32>,
  from: { readonly direction: "next" | "prev"; readonly order: Bytes32 } | null,
  last: Bytes32 | null,
): readonly Bytes32[] {
  const turn = from?.direction === "prev" ? -1 : 1;
  const compare = (one: Bytes32, other: Bytes32): number => turn * (one === other ? 0 : one < other ? -1 : 1);
  return [...orders]
    .filter((order) => from === null || compare(order, from.order) >= 0)
    .filter((order) => last === null || compare(order, last) <= 0)
    .toSorted(compare);
}

/** A list: what must be asked of closed rows, and its page. */
interface Listing {
  readonly question: ClosedQuestion;
  readonly page: (reads: StateReads, closed: ClosedRows) => SwapList<WireRow>;
}

/** What the store has found for a list, and up to where it has looked; null: to the end, or for a whole page. */
interface ClosedRows {
  readonly rows: readonly ListPlace[];
  readonly until: ListPlace | null;
}

function closedOf({ rows, until }: ClosedAnswer, at: number): ClosedRows {
  return { rows: rows[at] ?? [], until: until[at] ?? null };
}

/** Which orders a list has, open and closed ones, and how it shows them. */
interface OrderList {
  readonly question: ClosedQuestion;
  readonly isListed: (order: IndexedOrder) => boolean;
  readonly rowOf: typeof bidRow | typeof dealRow;
}

/** Of a list that no closed row is in. */
const NO_QUESTION: ClosedQuestion = { kind: "named", names: [] };

/** An ask with its place; without a record the place up to which the store has looked. */
type ShownAsk = ListPlace & { readonly record: AskRecord | null };

/** Closed asks, and behind them the place up to which the store has looked. */
function* closedAsks(reads: StateReads, { rows, until }: ClosedRows): Generator<ShownAsk> {
  for (const { hash } of rows) {
    const record = reads.ask(hash);
    if (record !== null) yield { ...askPlaceOf(record), record };
  }
  if (until !== null) yield { ...until, record: null };
}

function* keyedAsks(
  asks: Iterable<ShownAsk>,
  sort: AskSort,
): Generator<Keyed<{ readonly record: AskRecord }> | LookedUpTo> {
  for (const ask of asks) {
    const [{ record }, key] = [ask, askKey(ask, sort)];
    yield record === null ? { until: key } : { entry: { record }, key };
  }
}

function* fitting<One>(all: Iterable<One>, fits: (one: One) => boolean): Generator<One> {
  for (const one of all) if (fits(one)) yield one;
}

/** Two lists of one order as one. */
function* inTurn<One>(
  open: Iterable<One>,
  closed: Iterable<One>,
  compare: (one: One, other: One) => number,
): Generator<One> {
  const waiting = closed[Symbol.iterator]();
  let next = waiting.next();
  for (const one of open) {
    for (; next.done !== true && compare(next.value, one) < 0; next = waiting.next()) yield next.value;
    yield one;
  }
  for (; next.done !== true; next = waiting.next()) yield next.value;
}

/** The row of an order that a list holds. @throws where it has none: the index and the ledger differ. */
function rowIn(subject: SwapSubject, row: WireRow | null): WireRow {
  if (row === null) throw new Error(`swap lists: order ${subject.hash} is listed and has no row`);
  return row;
}

function isOneOf(statuses: readonly string[], status: string): boolean {
  return statuses.length === 0 || statuses.includes(status);
}

function newest(rows: readonly WireRow[], hash: string): readonly WireRow[] {
  const placeOf = (row: WireRow) => placeAmongNewest([Number(row["created_at"]), String(row[hash])]);
  const unique = new Map(rows.map((row) => [String(row[hash]), row]));
  return [...unique.values()]
    .toSorted((a, b) => compareNewest(placeOf(a), placeOf(b)))
    .slice(0, MAX_OF_ADDRESS);
}
