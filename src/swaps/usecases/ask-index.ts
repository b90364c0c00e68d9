// Knows how every posted ask stands, so that no request looks at all of them: lists in both orders (H-40), the counts
// that limits and stats ask for (S-32, S-65), and the asks that share a balance (S-34). Statuses are computed from facts;
// here they are remembered until something changes them, time included.

import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import { type FundingAsk, countsForFunding } from "../../swap/funding.ts";
import type { AskRecord } from "../../swap/records.ts";
import type { AskStatus, EvaluationContext } from "../../swap/subject.ts";
import { MultiIndex } from "../ledger/multi-index.ts";
import type { LedgerReads } from "../ledger/ledger.ts";
import { ASK_ORDERS, askPlaceOf } from "./ask-order.ts";
import { type Parties, partiesOfAsk } from "./parties.ts";
import { SortedList } from "./sorted-list.ts";
import type { AskSort, ListPlace, ListStart } from "../ledger/closed-port.ts";

/** Asks that a list shows or leaves out together; of paused ones those without funds are left out by default. */
const SHELVES = ["open", "paused", "unfunded", "taken", "cancelled"] as const;
type ShelfName = (typeof SHELVES)[number];
/** Candidates of a filter up to this number are sorted; with more of them the shelves are walked. */
const SORTED_AT_ONCE = 4096;

/** A posted ask as lists and sums see it. */
export interface IndexedAsk extends ListPlace, FundingAsk {
  readonly parties: Parties;
  readonly shelf: ShelfName;
  readonly takenBy: Bytes32 | null;
}

/** Which asks a list has, and where it begins. */
export interface AskWalk {
  readonly statuses: readonly string[];
  readonly includeUnfunded: boolean;
  readonly sort: AskSort;
  readonly start: ListStart | null;
  /** Ids to which a filter bounds the list; null: all. */
  readonly among: readonly Bytes32[] | null;
}

/** What the index is made from. */
interface AskIndexDependencies {
  readonly ledger: Pick<
    LedgerReads,
    "asks" | "ask" | "askStatus" | "orderOfAsk" | "subject" | "asksEnding" | "onRows"
  >;
  readonly context: () => EvaluationContext;
}

interface Shelf {
  readonly created: SortedList<IndexedAsk, ListPlace>;
  readonly price: SortedList<IndexedAsk, ListPlace>;
}

/** The index; see the file header. */
export class AskIndex {
  readonly #deps: AskIndexDependencies;
  readonly #known = new Map<Bytes32, IndexedAsk>();
  readonly #shelves: Readonly<Record<ShelfName, Shelf>>;
  readonly #bySeller = new MultiIndex<EvmAddress, Bytes32>();
  readonly #byBuyer = new MultiIndex<EvmAddress, Bytes32>();
  readonly #byAddress = new MultiIndex<string, Bytes32>();
  readonly #byKey = new MultiIndex<Bytes32, Bytes32>();
  /** Those that take part in the sums of S-34, by seller_pearl_address. */
  readonly #counting = new MultiIndex<string, Bytes32>();
  readonly #askOfOrder = new Map<Bytes32, Bytes32>();
  readonly #standingOf = new Map<EvmAddress, number>();
  #unproven = 0;
  #settledUntil: number;

  constructor(deps: AskIndexDependencies) {
    this.#deps = deps;
    this.#shelves = {
      open: emptyShelf(),
      paused: emptyShelf(),
      unfunded: emptyShelf(),
      taken: emptyShelf(),
      cancelled: emptyShelf(),
    };
    this.#settledUntil = deps.context().expiryNow;
    this.#look(Array.from(deps.ledger.asks(), ({ askId }) => askId));
    deps.ledger.onRows((orders, asks) => this.#refresh(orders, asks));
  }

  /** Looks again at asks, and at those that these orders took. */
  #refresh(orders: Iterable<Bytes32>, asks: Iterable<Bytes32>): void {
    const ids = new Set(asks);
    for (const order of orders) {
      const id = this.#askOfOrder.get(order);
      if (id !== undefined) ids.add(id);
    }
    this.#look(ids);
  }

  /** Asks in list order. */
  *walk({ statuses, includeUnfunded, sort, start, among }: AskWalk): Generator<IndexedAsk> {
    this.#settle();
    const isListed = ({ shelf, status }: Pick<IndexedAsk, "shelf" | "status">): boolean =>
      (statuses.length === 0 || statuses.includes(status)) && (includeUnfunded || shelf !== "unfunded");
    const shelves = SHELVES.filter((shelf) => isListed({ shelf, status: statusOf(shelf) }));
    if (among === null || among.length > SORTED_AT_ONCE) {
      const allowed = among === null ? null : new Set<string>(among);
      for (const ask of this.#merged(shelves, sort, start)) {
        if (allowed === null || allowed.has(ask.hash)) yield ask;
      }
      return;
    }
    const list = new SortedList<IndexedAsk, ListPlace>(ASK_ORDERS[sort]);
    const found = among.flatMap((id) => this.#known.get(id) ?? []).filter(isListed);
    list.change([], found);
    yield* list.walk(start);
  }

  /** Ids of the asks that belong to a party; null where neither is given. */
  of(sellerEvm: EvmAddress | null, buyerEvm: EvmAddress | null): readonly Bytes32[] | null {
    if (sellerEvm !== null) return [...this.#bySeller.of(sellerEvm)];
    return buyerEvm === null ? null : [...this.#byBuyer.of(buyerEvm)];
  }

  /** Ids of the asks whose PEARL side is this address, or one of these keys. */
  ofPearl(address: string, keys: Iterable<Bytes32>): readonly Bytes32[] {
    const ids = new Set(this.#byAddress.of(address));
    for (const key of keys) for (const id of this.#byKey.of(key)) ids.add(id);
    return [...ids];
  }

  /** How many asks have each status. */
  counts(): Readonly<Record<AskStatus, number>> {
    this.#settle();
    const size = (name: ShelfName): number => this.#shelves[name].created.size;
    return {
      ASK_TAKEN: size("taken"),
      ASK_CANCELLED: size("cancelled"),
      ASK_PAUSED: size("paused") + size("unfunded"),
      ASK_OPEN: size("open"),
    };
  }

  /** Open and paused asks of a seller (S-32). */
  standingOf(seller: EvmAddress): number {
    this.#settle();
    return this.#standingOf.get(seller) ?? 0;
  }

  /** Asks that are kept and that no order carries, and those of them without a proof of their key (S-32). */
  kept(): { readonly all: number; readonly unproven: number } {
    return { all: this.#known.size - this.#shelves.taken.created.size, unproven: this.#unproven };
  }

  /** Sellers with an open or a paused ask, in an order that stays. */
  standingSellers(): readonly EvmAddress[] {
    return [...this.#standingOf.keys()];
  }

  /** Open and paused asks of a seller that his balance pays for. */
  fundedOf(seller: EvmAddress): readonly AskRecord[] {
    this.#settle();
    const asks = [...this.#bySeller.of(seller)].flatMap((id) => this.#known.get(id) ?? []);
    return asks.filter(({ shelf }) => shelf === "open" || shelf === "paused").map(({ record }) => record);
  }

  /** Addresses with asks that take part in the sums of S-34. */
  fundingAddresses(): readonly string[] {
    return [...this.#counting.keys()];
  }

  /** The asks on an address that take part in its sums. */
  fundingAsks(address: string): readonly IndexedAsk[] {
    this.#settle();
    return [...this.#counting.of(address)].flatMap((id) => this.#known.get(id) ?? []);
  }

  *#merged(names: readonly ShelfName[], sort: AskSort, start: AskWalk["start"]): Generator<IndexedAsk> {
    const compare = ASK_ORDERS[sort];
    const turn = start?.direction === "prev" ? -1 : 1;
    const walks = names.map((name) => this.#shelves[name][sort].walk(start));
    const heads = walks.map((walk) => walk.next());
    for (;;) {
      let best = -1;
      let ask: IndexedAsk | null = null;
      for (const [index, head] of heads.entries()) {
        if (head.done === true || (ask !== null && turn * compare(head.value, ask) > 0)) continue;
        best = index;
        ask = head.value;
      }
      const walk = walks[best];
      if (ask === null || walk === undefined) return;
      yield ask;
      heads[best] = walk.next();
    }
  }

  /** Asks that have died since the last look. */
  #settle(): void {
    const { expiryNow } = this.#deps.context();
    if (expiryNow <= this.#settledUntil) return;
    const dead = [...this.#deps.ledger.asksEnding(this.#settledUntil, expiryNow)];
    this.#settledUntil = expiryNow;
    if (dead.length > 0) this.#look(dead);
  }

  #look(ids: Iterable<Bytes32>): void {
    const context = this.#deps.context();
    const removed: Record<ShelfName, ListPlace[]> = emptyLists();
    const added: Record<ShelfName, IndexedAsk[]> = emptyLists();
    for (const id of ids) {
      const before = this.#known.get(id);
      const after = this.#seen(id, context);
      if (before !== undefined) {
        removed[before.shelf].push(before);
        this.#note(before, false);
      }
      if (after === null) continue;
      added[after.shelf].push(after);
      this.#note(after, true);
    }
    for (const name of SHELVES) {
      this.#shelves[name].created.change(removed[name], added[name]);
      this.#shelves[name].price.change(removed[name], added[name]);
    }
  }

  #seen(id: Bytes32, context: EvaluationContext): IndexedAsk | null {
    const { ledger } = this.#deps;
    const record = ledger.ask(id);
    if (record === null) return null;
    const status = ledger.askStatus(record, context);
    const takenBy = ledger.orderOfAsk(id);
    const order = takenBy === null ? null : (ledger.subject(takenBy) ?? null);
    const facts = order?.order ?? null;
    const isAccepted = facts !== null && facts.accepted !== null && facts.closed === null;
    // A small output, which anybody pays for a fee, moves nothing of what the ask offered.
    const isLockAwaited = isAccepted && order?.outputs.hasFullMined(order.terms.pearlAmountSat) === false;
    const parties = partiesOfAsk(record, order?.terms.buyer ?? null);
    const shelf = shelfOf(status, record);
    return { ...askPlaceOf(record), record, status, isLockAwaited, parties, shelf, takenBy };
  }

  /** Puts an ask into the indexes and counts, or takes it out. */
  #note(ask: IndexedAsk, isIn: boolean): void {
    const { record, parties, status, takenBy } = ask;
    const { askId, terms, pearlKeyProven } = record;
    const link = <Key extends string>(index: MultiIndex<Key, Bytes32>, key: Key): void =>
      void (isIn ? index.add(key, askId) : index.delete(key, askId));
    if (isIn) this.#known.set(askId, ask);
    else this.#known.delete(askId);
    link(this.#bySeller, terms.seller);
    link(this.#byAddress, terms.sellerPearlAddress);
    link(this.#byKey, terms.sellerPearlKey);
    if (parties.buyerEvm !== null) link(this.#byBuyer, parties.buyerEvm);
    if (countsForFunding(ask)) link(this.#counting, terms.sellerPearlAddress);
    if (takenBy !== null && isIn) this.#askOfOrder.set(takenBy, askId);
    if (takenBy !== null && !isIn) this.#askOfOrder.delete(takenBy);
    const step = isIn ? 1 : -1;
    if (!pearlKeyProven && status !== "ASK_TAKEN") this.#unproven += step;
    if (status !== "ASK_OPEN" && status !== "ASK_PAUSED") return;
    const standing = (this.#standingOf.get(terms.seller) ?? 0) + step;
    if (standing === 0) this.#standingOf.delete(terms.seller);
    else this.#standingOf.set(terms.seller, standing);
  }
}

function emptyShelf(): Shelf {
  return { created: new SortedList(ASK_ORDERS.created), price: new SortedList(ASK_ORDERS.price) };
}

function emptyLists<Item>(): Record<ShelfName, Item[]> {
  return { open: [], paused: [], unfunded: [], taken: [], cancelled: [] };
}

function shelfOf(status: AskStatus, { funded }: AskRecord): ShelfName {
  if (status === "ASK_OPEN") return "open";
  if (status === "ASK_PAUSED") return funded ? "paused" : "unfunded";
  return status === "ASK_TAKEN" ? "taken" : "cancelled";
}

function statusOf(shelf: ShelfName): AskStatus {
  if (shelf === "open") return "ASK_OPEN";
  if (shelf === "taken") return "ASK_TAKEN";
  return shelf === "cancelled" ? "ASK_CANCELLED" : "ASK_PAUSED";
}
