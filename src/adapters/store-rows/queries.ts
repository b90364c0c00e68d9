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
  LedgerView,
  LifecycleState,
  ListingView,
  MarketSummaryView,
  OperationView,
  StatsView,
} from "../../index/views.ts";
import type { BlockHash, PearlAddress, Tick, Txid } from "../../primitives/brands.ts";
import { blockAt, blockAtHeight, blocksPage, highestBlock, partOfBlock } from "./block-reads.ts";
import { eventsAfter, groupOf, groupsAfter, logBounds, reorgsPage } from "./event-reads.ts";
import { type Cells, CellReader } from "./cells.ts";
import { stateNumbers } from "./kinds.ts";
import { readLedger } from "./ledger-effects.ts";
import { candlesPage, listingsBetween, listingView } from "./market-reads.ts";
import { ALL_OPERATIONS, EMPTY_PAGE, type MergedRanges, newestPage, type Walk } from "./pages.ts";
import { type Reading, together } from "./reading.ts";
import { holdersPage, storedToken, tokensPage } from "./token-reads.ts";
import { listingKey } from "./written-rows.ts";

/** A question of the port as the read that answers it. */
type ReadOf<Query> = Query extends (...asked: infer Asked) => Promise<Snapshot<infer Value>>
  ? (...asked: Asked) => Reading<Value>
  : never;

/** Questions whose reads need nothing of the snapshot's state. */
type Stateless = "balances" | "balance" | "balancesOf" | "market";

/** The reads that are of one engine, each as `IndexQueries` describes it; `state`: that of the snapshot. */
export interface EngineReads extends Readonly<{ [Name in Stateless]: ReadOf<IndexQueries[Name]> }> {
  /** Id of an address, or null where no row names it. */
  findAddress(text: string): Reading<number | null>;
  /** Changes of what an address holds beyond a key, nearest first, in one token or in all; as `readLedger` reads them. */
  ledgerRows(
    id: number,
    tick: Tick | null,
    key: number,
    walk: Walk,
    limit: number,
  ): Reading<readonly Cells[]>;
  /** A page of a list of listings, newest first. `keyOf`: what a row has in the list's column. */
  listings(
    list: MergedRanges,
    keyOf: (view: ListingView) => number,
    page: PageRequest,
  ): Reading<Page<ListingView>>;
  /** As `holdersPage` needs it. */
  readonly holding: string;
  /** As `tokensPage` needs it. */
  readonly prefixed: (walk: Walk, limit: number) => string;
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
  readonly read: <Value>(reading: (state: TipState) => Reading<Value>) => Promise<Snapshot<Value>>;
  readonly look: <Value>(reading: Reading<Value>) => Promise<Value>;
}

/** The read port of an engine. */
export function storedQueries({ read, look }: Snapshots, engine: EngineReads): IndexQueries {
  return {
    state: async () => (await read(() => together([]))).state,
    tokens: (prefix, page) => read(() => tokensPage(engine.prefixed, prefix, page)),
    token: (tick) => read(() => storedToken(tick)),
    stats: () => read(stats),
    balances: (address, page) => read(() => engine.balances(address, page)),
    balance: (address, tick) => read(() => engine.balance(address, tick)),
    balancesOf: (addresses, tick, page) => read(() => engine.balancesOf(addresses, tick, page)),
    ledger: (address, tick, page) => read(() => ledgerPage(engine, address, tick, page)),
    market: (tick, page) => read(() => engine.market(tick, page)),
    sellerListings: (tick, address, lifecycle, page) =>
      read(() => sellerPage(engine, tick, address, lifecycle, page)),
    marketHistory: (tick, lifecycle, page) => read(() => historyPage(engine, tick, lifecycle, page)),
    marketSummary: (tick) => read((state) => engine.marketSummary(tick, state)),
    markets: (page) => read((state) => engine.markets(page, state)),
    listing: (id) => read(() => listingView(id)),
    operations: (filter, page) => read((state) => engine.operations(filter, page, state)),
    operationsText: (filter, page, fields) =>
      read((state) => engine.operationsText(filter, page, fields, state)),
    operationsOf: (txid, vout, part = ALL_OPERATIONS) => read(() => engine.operationsOf(txid, vout, part)),
    holders: (tick, page) => read(() => holdersPage(engine.holding, tick, page)),
    digest: (height) => read(() => digestAt(height)),
    blocks: (page) => read(() => blocksPage(page)),
    block: (at) => read(() => blockAt(at)),
    reorgs: (page) => read(() => reorgsPage(page)),
    candles: (tick, intervalS, page) => read(() => candlesPage(tick, intervalS, page)),
    eventGroups: (afterId, limit) => look(groupsAfter(afterId, limit)),
    eventBounds: () => look(logBounds()),
    eventGroupOf: (id) => look(groupOf(id)),
    eventsAfter: (id) => look(eventsAfter(id)),
    happenings: (height, hash, part) => look(happenings(engine, height, hash, part)),
  };
}

function* stats(): Reading<StatsView> {
  const tip = yield* highestBlock();
  return { distinctHolders: tip?.distinctHolders ?? 0, listsExpiredOpen: tip?.listsExpiredOpen ?? 0 };
}

function* digestAt(height: number): Reading<Awaited<ReturnType<IndexQueries["digest"]>>["value"]> {
  const block = yield* blockAtHeight(height);
  return block === null ? null : { height, hash: block.hash, digest: block.digest };
}

/** A page of the changes of what an address holds, in one token or in all, newest first (H-38). */
function* ledgerPage(
  engine: EngineReads,
  address: PearlAddress,
  tick: Tick | null,
  page: PageRequest,
): Reading<Page<LedgerView>> {
  const id = yield* engine.findAddress(address);
  if (id === null) return EMPTY_PAGE;
  const read = function* (key: number, walk: Walk, limit: number): Reading<readonly LedgerView[]> {
    const rows = yield* engine.ledgerRows(id, tick, key, walk, limit);
    return rows.map((row) => readLedger(new CellReader(row), id));
  };
  return yield* newestPage(read, ({ key }) => key, page);
}

/** A page of the listings of an owner or seller, in one ticker or in all, newest list first. */
function* sellerPage(
  engine: EngineReads,
  tick: Tick | null,
  address: PearlAddress,
  state: LifecycleState | null,
  page: PageRequest,
): Reading<Page<ListingView>> {
  const id = yield* engine.findAddress(address);
  if (id === null) return EMPTY_PAGE;
  const within = tick === null ? "" : " AND tick = ?2";
  const ranges = stateNumbers(state).flatMap((number) => [
    `owner_id = ?1 AND state = ${number}${within}`,
    `seller_id = ?1 AND state = ${number} AND seller_id <> owner_id${within}`,
  ]);
  const values = tick === null ? [id] : [id, tick];
  const list = { table: "listing", column: "place", ranges, values };
  return yield* engine.listings(list, ({ listing }) => listing.createdPlace, page);
}

/** A page of the listings of a token, newest change first. */
function historyPage(
  engine: EngineReads,
  tick: Tick,
  state: LifecycleState | null,
  page: PageRequest,
): Reading<Page<ListingView>> {
  const ranges = stateNumbers(state).map((number) => `tick = ?1 AND state = ${number}`);
  const list = { table: "listing", column: "change_key", ranges, values: [tick] };
  return engine.listings(list, ({ listing }) => listingKey(listing), page);
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
