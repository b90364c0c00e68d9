// The read port of a storage engine: the reads that the public interface needs. Each method answers from ONE committed
// state (H-09) and says which. Pages are keyed, never offsets (H-06).

import type {
  BlockHash,
  Hex32,
  ListingId,
  PearlAddress,
  RawAmount,
  Tick,
  Txid,
} from "../primitives/brands.ts";
import type { BalanceRow, ListingRow, OperationRow, TokenRow, Totals } from "../prc20/state.ts";

/** The state that an answer was read from. `totals` is the one of the tip (zeros at the base block). */
export interface TipState {
  /** -1 where nothing is indexed yet (H-09). */
  readonly height: number;
  readonly hash: BlockHash | null;
  readonly time: number;
  readonly digest: Hex32 | null;
  readonly totals: Totals;
}

/** A value and the state that it was read from. */
export interface Snapshot<Value> {
  readonly state: TipState;
  readonly value: Value;
}

/**
 * A place within a list's order, a row's or one beyond all rows: safe integers from -1 and 1 to 128 printable ASCII
 * characters, in the shape of `KEY_SHAPES`.
 */
export type PageKey = readonly (number | string)[];

/** Element types of each list's key; a cursor whose key has another shape is no cursor of that list. */
export const KEY_SHAPES = {
  tokens: ["int"],
  balances: ["text"],
  balancesOf: ["int", "text"],
  ledger: ["int"],
  market: ["text", "int"],
  sellerListings: ["int"],
  marketHistory: ["int"],
  operations: ["int"],
  holders: ["text", "text"],
  candles: ["int"],
  markets: ["text", "text"],
  mempool: ["text", "int"],
  blocks: ["int"],
  reorgs: ["int"],
  bids: ["int", "text"],
  asks: ["int", "text"],
  asksByPrice: ["text", "text", "int", "text"],
  deals: ["int", "text"],
} as const satisfies Record<string, readonly ("int" | "text")[]>;

/** Names of the paged lists. */
export type ListName = keyof typeof KEY_SHAPES;

/** Where a page starts: after `key` in list order (next) or before it (prev, walking back). */
export interface PageStart {
  readonly direction: "next" | "prev";
  readonly key: PageKey;
}

/** A page of a list. `start` null = first page. `limit` 1 .. 100. */
export interface PageRequest {
  readonly limit: number;
  readonly start: PageStart | null;
}

/** Rows in list order; the keys to continue with, null where there is nothing on that side. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: PageKey | null;
  readonly prev: PageKey | null;
}

/** State of a listing as the interface shows it (P-70): `expired_open` is an open one with tip height > exp. */
export type LifecycleState = "open" | "expired_open" | "filled" | "cancelled" | "invalid_spent";

/** All lifecycle states. */
export const LIFECYCLE_STATES = ["open", "expired_open", "filled", "cancelled", "invalid_spent"] as const;

/** A listing with its state as of the snapshot, and its token's decimals. */
export interface ListingView {
  readonly listing: ListingRow;
  readonly lifecycle: LifecycleState;
  readonly dec: string;
}

/** An operation with its block's hash and time. */
export interface OperationView {
  readonly operation: OperationRow;
  readonly blockHash: BlockHash;
  readonly time: number;
}

/** A block of the index with the number of its operations. */
export interface BlockView {
  readonly height: number;
  readonly hash: BlockHash;
  /** Unix seconds, of the header. */
  readonly time: number;
  readonly digest: Hex32;
  readonly operations: number;
  readonly validOperations: number;
}

/** What an engine can write of an operation as JSON: as in `OperationView`, `valid` as 1 or 0, amounts as texts. */
export type OperationField =
  | "height"
  | "txIndex"
  | "txid"
  | "vout"
  | "op"
  | "tick"
  | "valid"
  | "reason"
  | "payloadJson"
  | "blockHash"
  | "time"
  | "from"
  | "to"
  | "amount"
  | "listingId"
  /** Height of the state - height of the block + 1. */
  | "confirmations";

/** The shape of a row: names in the order in which they are written. Made once, not per request. */
export type OperationFields = readonly (readonly [name: string, field: OperationField])[];

/**
 * Text in a buffer that belongs to it alone: the UTF-8 bytes from `from` on up to `to`. What stands before and behind
 * may be written over, so that an envelope can be put around the text where it is.
 */
export interface PaddedText {
  readonly buffer: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** A page whose rows are JSON objects, in list order and joined by commas; empty where there are none. */
export interface PageText {
  readonly rows: PaddedText;
  readonly next: PageKey | null;
  readonly prev: PageKey | null;
}

/** A balance with its token's decimals. */
export interface BalanceView {
  readonly row: BalanceRow;
  readonly dec: string;
}

/** What has changed a balance (H-38): a valid operation, or the end of a listing that nobody filled. */
export const LEDGER_CAUSES = [
  "deploy",
  "mint",
  "transfer",
  "burn",
  "list",
  "fill",
  "cancel",
  "invalid_spend",
] as const;

/** One of them. */
export type LedgerCause = (typeof LEDGER_CAUSES)[number];

/** One change of what an address holds in a token. Amounts in raw units. */
export interface LedgerView {
  /** Its place in the list: grows in chain order; a closing comes before the operation at the same input (P-64). */
  readonly key: number;
  readonly height: number;
  /** Time of the block. */
  readonly time: number;
  readonly txid: Txid;
  /** Input of the operation, or the input that spent the anchor. */
  readonly vout: number;
  readonly cause: LedgerCause;
  readonly tick: Tick;
  /** Signed; never 0 together with `lockedDelta`. */
  readonly balanceDelta: bigint;
  readonly lockedDelta: bigint;
  /** After the change. */
  readonly balance: RawAmount;
  readonly locked: RawAmount;
  /** The listing that was created, filled or ended; else null. */
  readonly listingId: ListingId | null;
}

/** Counts of `stats` that are not in the totals. */
export interface StatsView {
  readonly distinctHolders: number;
  readonly listsExpiredOpen: number;
}

/** Facts of a market summary (H-33) beyond the token row's own totals. */
export interface MarketSummaryView {
  readonly token: TokenRow;
  readonly expiredOpenCount: number;
  /** The cheapest active listing, ties older first; null where there is none. */
  readonly best: Pick<ListingRow, "id" | "priceSat" | "amount"> | null;
  /** Σ price and number of fills in blocks with time > tip time - 86400. */
  readonly volume24hSat: bigint;
  readonly fills24h: number;
  /** The cheapest active listing as of the last block with time <= tip time - 86400; null where there is none. */
  readonly floorThen: { readonly priceSat: bigint; readonly amount: bigint } | null;
}

/** Fills of one interval (H-38). Prices are exact quotients price / amount. */
export interface CandleView {
  /** Unix seconds, a multiple of the interval. */
  readonly start: number;
  readonly open: Quotient;
  readonly high: Quotient;
  readonly low: Quotient;
  readonly close: Quotient;
  readonly volume: bigint;
  readonly volumeSat: bigint;
  readonly fills: number;
}

/** A unit price before rounding. */
export interface Quotient {
  readonly priceSat: bigint;
  readonly amount: bigint;
}

/** A holder row with the token's circulating supply (minted - burned). */
export interface HolderView {
  readonly row: BalanceRow;
}

/** Filters of the operation lists; absent = any. `address` is the history of H-36, `height` one block. */
export interface OperationFilter {
  readonly tick?: Tick;
  readonly op?: string;
  readonly valid?: boolean;
  readonly address?: PearlAddress;
  readonly height?: number;
}

/** A swap event as told (H-47). */
export interface SwapEventView {
  readonly id: number;
  readonly type: "bid" | "ask" | "deal" | "reorg";
  readonly dealHash: string | null;
  readonly addresses: readonly string[];
  /** JSON text. */
  readonly data: string;
}

/**
 * One entry of the bounded event log (H-39): a group of consecutive event ids of one block, one reorg, or some swap
 * events.
 */
export type EventGroup =
  | {
      readonly kind: "swaps";
      readonly firstId: number;
      readonly lastId: number;
      /** One per id, ascending. */
      readonly events: readonly SwapEventView[];
    }
  | {
      readonly kind: "block";
      readonly firstId: number;
      readonly lastId: number;
      readonly height: number;
      readonly hash: BlockHash;
    }
  | {
      readonly kind: "reorg";
      readonly firstId: number;
      readonly lastId: number;
      readonly forkHeight: number;
      readonly oldTip: { readonly height: number; readonly hash: BlockHash };
      readonly newTip: { readonly height: number; readonly hash: BlockHash };
    };

/**
 * What happened in one block, to make its events from. Event order: the block itself, then by place the closing at
 * that place, then its operation, then the listing that this operation created. So a block's id range has
 * 1 + operations + created listings + closed listings ids.
 */
export interface BlockHappenings {
  readonly height: number;
  readonly hash: BlockHash;
  readonly time: number;
  readonly digest: Hex32;
  /** Operations of the whole block, whatever part of it was asked for. */
  readonly operationCount: number;
  /** Where the next part begins; null where this is the last one. */
  readonly nextPlace: number | null;
  /** Ascending by place. */
  readonly operations: readonly OperationView[];
  /** Listings created in this block, in their present state. */
  readonly created: readonly ListingView[];
  /** Listings closed in this block. */
  readonly closed: readonly ListingView[];
}

/** A part of a block: the rows at `places` places, beginning at `from`, which is the block's first one where null. */
export interface BlockPart {
  readonly from: number | null;
  readonly places: number;
}

/** All of a block at once: for blocks that are known to be small. */
export const WHOLE_BLOCK: BlockPart = { from: null, places: Number.MAX_SAFE_INTEGER };

/** The read side of a storage engine. */
export interface IndexQueries {
  /** The present state alone. */
  state(): Promise<TipState>;
  /** Newest deploy first; `prefix` in canonical (upper) case. */
  tokens(prefix: string | null, page: PageRequest): Promise<Snapshot<Page<TokenRow>>>;
  token(tick: Tick): Promise<Snapshot<TokenRow | null>>;
  stats(): Promise<Snapshot<StatsView>>;
  /** Ticks with balance or locked > 0, by the bytes of the ticker. */
  balances(address: PearlAddress, page: PageRequest): Promise<Snapshot<Page<BalanceView>>>;
  /** Null for an unknown tick; zeros for a known tick without balance. */
  balance(address: PearlAddress, tick: Tick): Promise<Snapshot<BalanceView | null>>;
  /**
   * H-38 `balances`: addresses in the order given (no duplicates). With `tick`: one row each, zeros included, none
   * for an unknown tick. Key: (index in `addresses`, tick).
   */
  balancesOf(
    addresses: readonly PearlAddress[],
    tick: Tick | null,
    page: PageRequest,
  ): Promise<Snapshot<Page<BalanceView>>>;
  /** Every change of what an address holds, in one token where `tick` is given, newest first (H-38). Key: `key`. */
  ledger(address: PearlAddress, tick: Tick | null, page: PageRequest): Promise<Snapshot<Page<LedgerView>>>;
  /** Active listings, cheapest exact unit price first, ties older first. Key: (unit price key hex, created place). */
  market(tick: Tick, page: PageRequest): Promise<Snapshot<Page<ListingView>>>;
  /** Listings whose owner or seller is the address, newest list first. Key: created place. */
  sellerListings(
    tick: Tick,
    address: PearlAddress,
    state: LifecycleState | null,
    page: PageRequest,
  ): Promise<Snapshot<Page<ListingView>>>;
  /** Newest change first. Key: 2 * place of the list where open, 2 * place of the closing + 1 where closed. */
  marketHistory(
    tick: Tick,
    state: LifecycleState | null,
    page: PageRequest,
  ): Promise<Snapshot<Page<ListingView>>>;
  /** Null for an unknown tick. */
  marketSummary(tick: Tick): Promise<Snapshot<MarketSummaryView | null>>;
  /**
   * Tokens with an open listing, expired or not, or a fill in a block with time > tip time - 30 days. By the volume of
   * 24 h descending, ties by the bytes of the ticker. Key: (volume as 32 hex digits, tick).
   */
  markets(page: PageRequest): Promise<Snapshot<Page<MarketSummaryView>>>;
  listing(id: ListingId): Promise<Snapshot<ListingView | null>>;
  /** Newest first. Key: place. */
  operations(filter: OperationFilter, page: PageRequest): Promise<Snapshot<Page<OperationView>>>;
  /** The same page, written by the engine. */
  operationsText(
    filter: OperationFilter,
    page: PageRequest,
    fields: OperationFields,
  ): Promise<Snapshot<PageText>>;
  /** All operations of a transaction, ascending by input; with `vout`, that one. */
  operationsOf(txid: Txid, vout: number | null): Promise<Snapshot<readonly OperationView[]>>;
  /** By total descending, ties by address text. Key: (total as 32 hex digits, address). Null for an unknown tick. */
  holders(
    tick: Tick,
    page: PageRequest,
  ): Promise<Snapshot<{ readonly circulating: RawAmount; readonly page: Page<HolderView> } | null>>;
  /** Null below the base block and above the tip. */
  digest(
    height: number,
  ): Promise<Snapshot<{ readonly height: number; readonly hash: BlockHash; readonly digest: Hex32 } | null>>;
  /** Blocks from the start height on, newest first. Key: height. */
  blocks(page: PageRequest): Promise<Snapshot<Page<BlockView>>>;
  /** Null below the start height and above the tip. */
  block(height: number): Promise<Snapshot<BlockView | null>>;
  /** Reorganisations that the event log holds, newest first. Key: id. */
  reorgs(page: PageRequest): Promise<Snapshot<Page<Extract<EventGroup, { kind: "reorg" }>>>>;
  /** Oldest first; intervals with fills only. `intervalS` is 3600, 14400 or 86400. Null for an unknown tick. */
  candles(tick: Tick, intervalS: number, page: PageRequest): Promise<Snapshot<Page<CandleView> | null>>;
  /** Groups with lastId > `afterId`, ascending, at most `limit`. */
  eventGroups(afterId: number, limit: number): Promise<readonly EventGroup[]>;
  /** Lowest id that the log still holds and the highest ever given (0 where none). */
  eventBounds(): Promise<{ readonly lowest: number; readonly highest: number }>;
  /**
   * The log entry that `id` belongs to while its block is in its chain; null where the id was never given, has
   * left the log, or belongs to an undone block of either chain.
   */
  eventGroupOf(id: number): Promise<EventGroup | null>;
  /** A part of a block; null where the index no longer holds the block. */
  happenings(height: number, hash: BlockHash, part: BlockPart): Promise<BlockHappenings | null>;
}
