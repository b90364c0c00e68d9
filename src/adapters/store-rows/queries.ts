// The read port over any engine: each question is a read of one snapshot. Most reads are the same in both engines; what an
// engine's indexes, tables or planner make another statement of is its own part, `EngineReads`.

import type { BlockHappenings, BlockPart } from "../../index/event-groups.ts";
import type { OperationFields, Page, PageRequest, PageText } from "../../index/pages.ts";
import type {
  IndexQueries,
  OperationFilter,
  OperationsPart,
  Snapshot,
  TipState,
} from "../../index/queries.ts";
import type {
  BalanceView,
  LedgerView,
  LifecycleState,
  ListingView,
  MarketSummaryView,
  OperationView,
  StatsView,
} from "../../index/views.ts";
import type { TokenRow } from "../../prc20/state.ts";
import type { BlockHash, ListingId, PearlAddress, Tick, Txid } from "../../primitives/brands.ts";
import { blockAt, blockAtHeight, blocksPage, highestBlock, partOfBlock } from "./block-reads.ts";
import { eventsAfter, groupOf, groupsAfter, logBounds, reorgsPage } from "./event-reads.ts";
import { candlesPage, listingsBetween, listingView } from "./market-reads.ts";
import { ALL_OPERATIONS } from "./pages.ts";
import { type Reading, together } from "./reading.ts";
import { holdersPage, storedToken } from "./token-reads.ts";

/** The reads that are of one engine, each as `IndexQueries` describes it; `state`: that of the snapshot. */
export interface EngineReads {
  /** As `holdersPage` needs it. */
  readonly holding: string;
  tokens(prefix: string | null, page: PageRequest): Reading<Page<TokenRow>>;
  balances(address: PearlAddress, page: PageRequest): Reading<Page<BalanceView>>;
  balance(address: PearlAddress, tick: Tick): Reading<BalanceView | null>;
  balancesOf(
    addresses: readonly PearlAddress[],
    tick: Tick | null,
    page: PageRequest,
  ): Reading<Page<BalanceView>>;
  ledger(address: PearlAddress, tick: Tick | null, page: PageRequest): Reading<Page<LedgerView>>;
  market(tick: Tick, page: PageRequest): Reading<Page<ListingView>>;
  sellerListings(
    tick: Tick | null,
    address: PearlAddress,
    lifecycle: LifecycleState | null,
    page: PageRequest,
  ): Reading<Page<ListingView>>;
  marketHistory(tick: Tick, lifecycle: LifecycleState | null, page: PageRequest): Reading<Page<ListingView>>;
  marketSummary(tick: Tick, state: TipState): Reading<MarketSummaryView | null>;
  markets(page: PageRequest, state: TipState): Reading<Page<MarketSummaryView>>;
  operations(filter: OperationFilter, page: PageRequest, state: TipState): Reading<Page<OperationView>>;
  operationsText(
    filter: OperationFilter,
    page: PageRequest,
    fields: OperationFields,
    state: TipState,
  ): Reading<PageText>;
  operationsOf(txid: Txid, vout: number | null, part: OperationsPart): Reading<readonly OperationView[]>;
  /** Operations with `from <= place < before`, ascending. */
  operationsBetween(from: number, before: number): Reading<readonly OperationView[]>;
}

/** How an engine carries reads out, each on one snapshot. */
export interface Snapshots {
  /** Says which state the read saw, and tells it. */
  read<Value>(reading: (state: TipState) => Reading<Value>): Promise<Snapshot<Value>>;
  look<Value>(reading: Reading<Value>): Promise<Value>;
}

/** The read port of an engine. */
export class StoredQueries implements IndexQueries {
  readonly #snapshots: Snapshots;
  readonly #engine: EngineReads;

  constructor(snapshots: Snapshots, engine: EngineReads) {
    this.#snapshots = snapshots;
    this.#engine = engine;
  }

  async state(): Promise<TipState> {
    return (await this.#snapshots.read(() => together([]))).state;
  }

  tokens(prefix: string | null, page: PageRequest) {
    return this.#snapshots.read(() => this.#engine.tokens(prefix, page));
  }

  token(tick: Tick) {
    return this.#snapshots.read(() => storedToken(tick));
  }

  stats() {
    return this.#snapshots.read(stats);
  }

  balances(address: PearlAddress, page: PageRequest) {
    return this.#snapshots.read(() => this.#engine.balances(address, page));
  }

  balance(address: PearlAddress, tick: Tick) {
    return this.#snapshots.read(() => this.#engine.balance(address, tick));
  }

  balancesOf(addresses: readonly PearlAddress[], tick: Tick | null, page: PageRequest) {
    return this.#snapshots.read(() => this.#engine.balancesOf(addresses, tick, page));
  }

  ledger(address: PearlAddress, tick: Tick | null, page: PageRequest) {
    return this.#snapshots.read(() => this.#engine.ledger(address, tick, page));
  }

  market(tick: Tick, page: PageRequest) {
    return this.#snapshots.read(() => this.#engine.market(tick, page));
  }

  sellerListings(
    tick: Tick | null,
    address: PearlAddress,
    lifecycle: LifecycleState | null,
    page: PageRequest,
  ) {
    return this.#snapshots.read(() => this.#engine.sellerListings(tick, address, lifecycle, page));
  }

  marketHistory(tick: Tick, lifecycle: LifecycleState | null, page: PageRequest) {
    return this.#snapshots.read(() => this.#engine.marketHistory(tick, lifecycle, page));
  }

  marketSummary(tick: Tick) {
    return this.#snapshots.read((state) => this.#engine.marketSummary(tick, state));
  }

  markets(page: PageRequest) {
    return this.#snapshots.read((state) => this.#engine.markets(page, state));
  }

  listing(id: ListingId) {
    return this.#snapshots.read(() => listingView(id));
  }

  operations(filter: OperationFilter, page: PageRequest) {
    return this.#snapshots.read((state) => this.#engine.operations(filter, page, state));
  }

  operationsText(filter: OperationFilter, page: PageRequest, fields: OperationFields) {
    return this.#snapshots.read((state) => this.#engine.operationsText(filter, page, fields, state));
  }

  operationsOf(txid: Txid, vout: number | null, part: OperationsPart = ALL_OPERATIONS) {
    return this.#snapshots.read(() => this.#engine.operationsOf(txid, vout, part));
  }

  holders(tick: Tick, page: PageRequest) {
    return this.#snapshots.read(() => holdersPage(this.#engine.holding, tick, page));
  }

  digest(height: number) {
    return this.#snapshots.read(() => digestAt(height));
  }

  blocks(page: PageRequest) {
    return this.#snapshots.read(() => blocksPage(page));
  }

  block(at: number | BlockHash) {
    return this.#snapshots.read(() => blockAt(at));
  }

  reorgs(page: PageRequest) {
    return this.#snapshots.read(() => reorgsPage(page));
  }

  candles(tick: Tick, intervalS: number, page: PageRequest) {
    return this.#snapshots.read(() => candlesPage(tick, intervalS, page));
  }

  eventGroups(afterId: number, limit: number) {
    return this.#snapshots.look(groupsAfter(afterId, limit));
  }

  eventBounds() {
    return this.#snapshots.look(logBounds());
  }

  eventGroupOf(id: number) {
    return this.#snapshots.look(groupOf(id));
  }

  eventsAfter(id: number) {
    return this.#snapshots.look(eventsAfter(id));
  }

  happenings(height: number, hash: BlockHash, part: BlockPart): Promise<BlockHappenings | null> {
    return this.#snapshots.look(happenings(this.#engine, height, hash, part));
  }
}

function* stats(): Reading<StatsView> {
  const tip = yield* highestBlock();
  return { distinctHolders: tip?.distinctHolders ?? 0, listsExpiredOpen: tip?.listsExpiredOpen ?? 0 };
}

function* digestAt(height: number): Reading<Awaited<ReturnType<IndexQueries["digest"]>>["value"]> {
  const block = yield* blockAtHeight(height);
  return block === null ? null : { height, hash: block.hash, digest: block.digest };
}

function* happenings(
  engine: EngineReads,
  height: number,
  hash: BlockHash,
  part: BlockPart,
): Reading<BlockHappenings | null> {
  const found = yield* partOfBlock(height, hash, part);
  if (found === null) return null;
  const { from, before, facts } = found;
  const operations = yield* engine.operationsBetween(from, before);
  return { ...facts, operations, ...(yield* listingsBetween(from, before)) };
}
