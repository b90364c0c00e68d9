// What a store keeps: facts and records, of which it knows what a wipe does to each kind, and closed deals, which are in no
// ledger's memory (docs/decisions/0041): facts that belong to a bundle are not loaded at a start, and are found by what they
// have to do with, by lists, and by the heights of their blocks.

import type { Bytes32, EvmAddress, Txid } from "../../primitives/brands.ts";
import type { BidStatus, DealStatus } from "../../swap/statuses.ts";
import type { Chain } from "../../swap/facts.ts";

/** One stored fact or record. The store knows nothing of its meaning. */
export interface StoredFact {
  /** What it is: one of `FACT_KINDS`, where this program has written it. */
  readonly kind: string;
  /** Unique within its kind. */
  readonly key: string;
  /** The chain whose block showed it; null where it is tied to no block. */
  readonly chain: Chain | null;
  /** Height of that block; null with `chain` null. */
  readonly height: number | null;
  /** JSON text; amounts as decimal strings. */
  readonly body: string;
}

/**
 * The kinds of stored facts, and what a wipe of the index (reindex) does to them. Shown by a block: it goes, as it does where
 * that block leaves the chain. Derived from such facts, or from where on they were read: it goes, though no block owns it.
 * Kept: records (S-50), secrets (S-13), sightings (S-15), alarms (S-05), and what is owed to consumers of events.
 */
const FACT_KINDS = {
  event: "shown",
  dispute: "shown",
  output: "shown",
  spend: "shown",
  inputSpend: "shown",
  tip: "derived",
  script: "derived",
  badkey: "derived",
  closed: "derived",
  unrevealed: "derived",
  firstblock: "derived",
  reread: "derived",
  seenlock: "derived",
  seenspend: "derived",
  ends: "derived",
  alarm: "kept",
  secret: "kept",
  sighting: "kept",
  inputs: "kept",
  ask: "kept",
  take: "kept",
  address: "kept",
  origin: "kept",
  untold: "kept",
} as const;

/** A kind of fact that a block shows. */
export type ShownKind = KindThatIs<"shown">;
/** A kind of fact that no reorganisation takes back. */
export type LastingKind = KindThatIs<"derived" | "kept">;
type KindThatIs<Fate> = {
  [Kind in keyof typeof FACT_KINDS]: (typeof FACT_KINDS)[Kind] extends Fate ? Kind : never;
}[keyof typeof FACT_KINDS];

/** Kinds that a wipe of the index removes although they are tied to no block. */
export const DERIVED_KINDS: readonly string[] = Object.entries(FACT_KINDS).flatMap(([kind, fate]) =>
  fate === "derived" ? [kind] : [],
);

/** Closed statuses of bids and deals, which a bid's is where there is no deal. */
export const CLOSED_STATUSES = ["SETTLED", "USDC_REFUNDED", "BID_CANCELLED"] as const;
/** One of them. */
export type ClosedStatus = (typeof CLOSED_STATUSES)[number];

/** Counts of what has closed. */
export interface ClosedState {
  /** Grows with each transaction that closes or opens anything: it tells states apart. */
  readonly version: number;
  /** Number of the last bundle. */
  readonly lastBundle: number;
  readonly bids: Readonly<Record<ClosedStatus, number>>;
  readonly deals: Readonly<Record<ClosedStatus, number>>;
  /** Asks that closed orders carry. */
  readonly asks: number;
  /** Sums over claimed orders: raw USDC and satoshis. */
  readonly usdc: bigint;
  readonly sat: bigint;
}

/** A closed order as lists find it. */
export interface ClosedOrder {
  readonly hash: Bytes32;
  /** Time of the OrderLocked block: the lists' order, ties by hash. */
  readonly createdAt: number;
  readonly isAskMatch: boolean;
  readonly bid: BidStatus;
  /** Null for a bid that was never accepted. */
  readonly deal: DealStatus | null;
  readonly buyerEvm: EvmAddress;
  readonly sellerEvm: EvmAddress;
  /** Addresses that the row shows, its keys, and the scripts of the addresses that they fit (S-14). */
  readonly pearl: readonly string[];
  /** Of its terms: raw units and satoshis. */
  readonly usdc: bigint;
  readonly sat: bigint;
  /** Time of the OrderClaimed block; null where the order was not claimed. */
  readonly settledAt: number | null;
}

/** An ask that a closed order carries, as lists find it. */
export interface ClosedAsk {
  readonly askId: Bytes32;
  readonly createdAt: number;
  readonly sellerEvm: EvmAddress;
  readonly buyerEvm: EvmAddress;
  readonly pearl: readonly string[];
  readonly usdc: bigint;
  readonly sat: bigint;
}

/** Orders that close together, and all that is stored of them. */
export interface ClosedBundle {
  readonly id: number;
  /** Highest block of each chain that one of its facts is of; -1 where none. */
  readonly evmHeight: number;
  readonly pearlHeight: number;
  /** Facts that are not there are left out by the store. */
  readonly facts: readonly { readonly kind: string; readonly key: string }[];
  /**
   * What finds it: its order hashes, ask ids, hashlocks, scripts, lock transactions, and outpoints that these spend. Whatever
   * is called one thing closes together, so that a name finds one bundle.
   */
  readonly names: readonly string[];
  /** What moved its orders. One transaction may move orders of any number of bundles, and is no name of theirs. */
  readonly moves: readonly ClosedMove[];
  readonly orders: readonly ClosedOrder[];
  readonly asks: readonly ClosedAsk[];
}

/** A transaction that did a step of an order. */
export interface ClosedMove {
  readonly order: Bytes32;
  /** As its chain shows it: 0x before an EVM hash, none before a PEARL one. */
  readonly transaction: Bytes32 | Txid;
}

/** The facts of a bundle, in the order of loading. */
export interface StoredBundle {
  readonly id: number;
  readonly facts: readonly StoredFact[];
}

/** Filters of lists by party; null where absent. */
interface ClosedParties {
  readonly buyerEvm: EvmAddress | null;
  readonly sellerEvm: EvmAddress | null;
  /** The texts of `pearl` that find a row: an address and its script. */
  readonly pearl: readonly string[] | null;
}

/** Where an order or an ask stands in lists. Nothing of it ever changes. */
export interface ListPlace {
  /** Order hash or ask id. */
  readonly hash: Bytes32;
  readonly createdAt: number;
  readonly usdc: bigint;
  /** Satoshis, above 0. */
  readonly sat: bigint;
}

/** The orders of a list of asks (H-40): newest first, or cheapest first. */
export type AskSort = "created" | "price";

/** What can be asked of closed deals. "named" and "above" give bundles alone; "settled" and "shown" rows alone. */
export type ClosedQuestion =
  /** Bundles with one of these names; 0x before a hash makes no other name of it. */
  | { readonly kind: "named"; readonly names: readonly string[] }
  /** Bundles with a block of the chain above the height: so many of them at most, whichever. */
  | {
      readonly kind: "above";
      readonly chain: Chain;
      readonly height: number;
      readonly limit: number;
    }
  /** Newest first; `start`: behind this place, in its direction. Statuses: empty for all. */
  | ({
      readonly kind: "orders";
      readonly list: "bid" | "deal";
      readonly statuses: readonly string[];
      readonly includeAskMatches: boolean;
      readonly start: ListStart | null;
      readonly limit: number;
    } & ClosedParties)
  | ({
      readonly kind: "asks";
      readonly sort: AskSort;
      readonly start: ListStart | null;
      readonly limit: number;
    } & ClosedParties)
  /** Orders that a transaction moved, by hash; `start`: from this order on, in this direction. */
  | {
      readonly kind: "moved";
      readonly transaction: Bytes32 | Txid;
      readonly start: { readonly direction: "next" | "prev"; readonly order: Bytes32 } | null;
      readonly limit: number;
    }
  /** Orders whose OrderClaimed block is of a later time. */
  | { readonly kind: "settled"; readonly after: number }
  /** Rows that show one of these texts of `pearl`: one at most. */
  | { readonly kind: "shown"; readonly pearl: readonly string[] };

/** Where a page begins: behind a place, in a direction. */
export interface ListStart {
  readonly direction: "next" | "prev";
  readonly place: ListPlace;
}

/** Answers of one committed state. */
export interface ClosedAnswer {
  /** Body of the stored fact "closed": who remembers another one has another state. Null where nothing ever closed. */
  readonly state: string | null;
  /** The rows of each question, in its order. */
  readonly rows: readonly (readonly ListPlace[])[];
  /**
   * Of each question: the place of a list up to which it was looked through, where the rows that were found there are fewer
   * than `limit` and there may be more behind it; else null.
   */
  readonly until: readonly (ListPlace | null)[];
  /** Every bundle that was asked for, and those of all rows but the ones of "settled" and "shown"; each once. */
  readonly bundles: readonly StoredBundle[];
}

/** Bundles that come back in one piece for a rewind, of which a deep one concerns any number. */
const ABOVE_AT_ONCE = 50;

/** What is asked before blocks of a chain above a height are undone: again and again, until it brings nothing back. */
export function closedAbove(chain: Chain, height: number): ClosedQuestion {
  return { kind: "above", chain, height, limit: ABOVE_AT_ONCE };
}

/** The answers where nothing is closed. */
export function emptyAnswer(questions: readonly ClosedQuestion[]): ClosedAnswer {
  return { state: null, rows: questions.map(() => []), until: questions.map(() => null), bundles: [] };
}

/** What is asked to have all that a name finds: an order's hash, an ask's id, a hashlock, a transaction. */
export function whatIsNamed(name: string): readonly ClosedQuestion[] {
  return [{ kind: "named", names: [name] }];
}

/**
 * What is asked to know whether anything closed has to do with a transaction: one bundle says so, however many orders the
 * transaction moved.
 */
export function whetherKnown(transaction: Bytes32 | Txid): readonly ClosedQuestion[] {
  return [...whatIsNamed(transaction), { kind: "moved", transaction, start: null, limit: 1 }];
}

/** A name as all that compare names do it: chains write one hash with 0x and without. */
export function bareName(name: string): string {
  return name.startsWith("0x") ? name.slice(2) : name;
}

/** The names that questions are about. */
export function namesIn(questions: readonly ClosedQuestion[]): readonly string[] {
  return questions.flatMap((question) => (question.kind === "named" ? question.names : []));
}
