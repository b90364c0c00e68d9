// The read port of a storage engine: the reads that the public interface needs. Each method answers from ONE committed
// state (H-09) and says which.

import type { BlockHash, Hex32, ListingId, PearlAddress, Tick, Txid } from "../primitives/brands.ts";
import type { TokenRow, Totals } from "../prc20/state.ts";
import type { BlockHappenings, BlockPart, EventGroup } from "./event-groups.ts";
import type { OperationFields, Page, PageRequest, PageText } from "./pages.ts";
import type {
  BalanceView,
  BlockView,
  CandleView,
  HoldersPage,
  LedgerView,
  LifecycleState,
  ListingView,
  MarketSummaryView,
  OperationView,
  ReorgView,
  StatsView,
} from "./views.ts";

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

/** Filters of the operation lists; absent = any. `address` is the history of H-36, `height` one block. */
export interface OperationFilter {
  readonly tick?: Tick;
  readonly op?: string;
  readonly valid?: boolean;
  readonly address?: PearlAddress;
  readonly height?: number;
}

/** Some of the operations of a transaction: at most `limit` of those behind the place `after`. */
export interface OperationsPart {
  readonly after: number;
  readonly limit: number;
}

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
  /** Listings whose owner or seller is the address, in all tickers where `tick` is null, newest first. Key: created place. */
  sellerListings(
    tick: Tick | null,
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
  /** Operations of a transaction, ascending by input: all of them, or a part; with `vout`, that one. */
  operationsOf(
    txid: Txid,
    vout: number | null,
    part?: OperationsPart,
  ): Promise<Snapshot<readonly OperationView[]>>;
  /** By total descending, ties by address text. Key: (total as 32 hex digits, address). Null for an unknown tick. */
  holders(tick: Tick, page: PageRequest): Promise<Snapshot<HoldersPage | null>>;
  /** Null below the base block and above the tip. */
  digest(
    height: number,
  ): Promise<Snapshot<{ readonly height: number; readonly hash: BlockHash; readonly digest: Hex32 } | null>>;
  /** Blocks from the start height on, newest first. Key: height. */
  blocks(page: PageRequest): Promise<Snapshot<Page<BlockView>>>;
  /** By height or hash; null below the start height, above the tip and for a block that is not in the chain. */
  block(at: number | BlockHash): Promise<Snapshot<BlockView | null>>;
  /** Reorganisations of both chains that the event log holds, newest first. Key: id. */
  reorgs(page: PageRequest): Promise<Snapshot<Page<ReorgView>>>;
  /** Oldest first; intervals with fills only. `intervalS` is 3600, 14400 or 86400. Null for an unknown tick. */
  candles(tick: Tick, intervalS: number, page: PageRequest): Promise<Snapshot<Page<CandleView> | null>>;
  /** Groups with lastId > `afterId`, ascending, at most `limit`. */
  eventGroups(afterId: number, limit: number): Promise<readonly EventGroup[]>;
  /** Lowest and highest id that the log holds; of an empty log 0 and the id above which it will go on. */
  eventBounds(): Promise<{ readonly lowest: number; readonly highest: number }>;
  /**
   * The log entry that `id` belongs to while its block is in its chain; null where the id was never given, has
   * left the log, or belongs to an undone block of either chain.
   */
  eventGroupOf(id: number): Promise<EventGroup | null>;
  /** Events that the log has behind `id`. */
  eventsAfter(id: number): Promise<number>;
  /** A part of a block; null where the index no longer holds the block. */
  happenings(height: number, hash: BlockHash, part: BlockPart): Promise<BlockHappenings | null>;
}
