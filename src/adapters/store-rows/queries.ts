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
import type { MarketSummaryView, OperationView, StatsView } from "../../index/views.ts";
import type { BlockHash, Tick, Txid } from "../../primitives/brands.ts";
import { blockAt, blockAtHeight, blocksPage, highestBlock, partOfBlock } from "./block-reads.ts";
import { eventsAfter, groupOf, groupsAfter, logBounds, reorgsPage } from "./event-reads.ts";
import { candlesPage, listingsBetween, listingView } from "./market-reads.ts";
import { ALL_OPERATIONS, type Walk } from "./pages.ts";
import { type Reading, together } from "./reading.ts";
import { holdersPage, storedToken, tokensPage } from "./token-reads.ts";

/** A question of the port as the read that answers it. */
type ReadOf<Query> = Query extends (...asked: infer Asked) => Promise<Snapshot<infer Value>>
  ? (...asked: Asked) => Reading<Value>
  : never;

/** Questions whose reads need nothing of the snapshot's state. */
type Stateless =
  | "balances"
  | "balance"
  | "balancesOf"
  | "ledger"
  | "market"
  | "sellerListings"
  | "marketHistory";

/** The reads that are of one engine, each as `IndexQueries` describes it; `state`: that of the snapshot. */
export interface EngineReads extends Readonly<{ [Name in Stateless]: ReadOf<IndexQueries[Name]> }> {
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
    ledger: (address, tick, page) => read(() => engine.ledger(address, tick, page)),
    market: (tick, page) => read(() => engine.market(tick, page)),
    sellerListings: (tick, address, lifecycle, page) =>
      read(() => engine.sellerListings(tick, address, lifecycle, page)),
    marketHistory: (tick, lifecycle, page) => read(() => engine.marketHistory(tick, lifecycle, page)),
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
