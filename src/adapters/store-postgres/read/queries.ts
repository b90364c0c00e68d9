// The read port on PostgreSQL. Each method is one snapshot on a connection of its own.

import type { BlockHash, ListingId, PearlAddress, Tick, Txid } from "../../../primitives/brands.ts";
import type { BlockHappenings, BlockPart } from "../../../index/event-groups.ts";
import type { OperationFields, PageRequest } from "../../../index/pages.ts";
import type {
  IndexQueries,
  OperationFilter,
  OperationsPart,
  Snapshot,
  TipState,
} from "../../../index/queries.ts";
import type { LifecycleState } from "../../../index/views.ts";
import { ALL_OPERATIONS } from "../../store-rows/pages.ts";
import type { BlockRow } from "../../store-rows/row-shapes.ts";
import { partOf, tipStateOf } from "../../store-rows/view-rows.ts";
import { storedBlock, storedTip } from "../block-rows.ts";
import { eventsAfter, groupOf, groupsAfter, logBounds } from "../event-log.ts";
import type { Readers } from "../readers.ts";
import type { Session } from "../session.ts";
import { textOf } from "./operations-text.ts";
import { balancesOfPage, balancesPage, balanceView } from "./query-balances.ts";
import { blockAt, blocksPage, reorgsPage } from "./query-blocks.ts";
import { holdersPage } from "./query-holders.ts";
import { ledgerPage } from "./query-ledger.ts";
import {
  candlesPage,
  historyPage,
  listingsBetween,
  listingView,
  marketPage,
  sellerPage,
} from "./query-market.ts";
import { operationsBetween, operationsOf, operationsPage } from "./query-operations.ts";
import { marketsPage, summaryView } from "./query-summaries.ts";
import { storedToken, tokensPage } from "./query-tokens.ts";

/** The read port on the connections of one database. */
export class PostgresQueries implements IndexQueries {
  readonly #readers: Readers;

  constructor(readers: Readers) {
    this.#readers = readers;
  }

  async state(): Promise<TipState> {
    return (await this.#read(async () => null)).state;
  }

  tokens(prefix: string | null, page: PageRequest) {
    return this.#read((session) => tokensPage(session, prefix, page));
  }

  token(tick: Tick) {
    return this.#read((session) => storedToken(session, tick));
  }

  stats() {
    return this.#read(async (_, __, tip) => ({
      distinctHolders: tip?.distinctHolders ?? 0,
      listsExpiredOpen: tip?.listsExpiredOpen ?? 0,
    }));
  }

  balances(address: PearlAddress, page: PageRequest) {
    return this.#read((session) => balancesPage(session, address, page));
  }

  balance(address: PearlAddress, tick: Tick) {
    return this.#read((session) => balanceView(session, address, tick));
  }

  balancesOf(addresses: readonly PearlAddress[], tick: Tick | null, page: PageRequest) {
    return this.#read((session) => balancesOfPage(session, addresses, tick, page));
  }

  ledger(address: PearlAddress, tick: Tick | null, page: PageRequest) {
    return this.#read((session) => ledgerPage(session, address, tick, page));
  }

  market(tick: Tick, page: PageRequest) {
    return this.#read((session) => marketPage(session, tick, page));
  }

  sellerListings(tick: Tick | null, address: PearlAddress, state: LifecycleState | null, page: PageRequest) {
    return this.#read((session) => sellerPage(session, tick, address, state, page));
  }

  marketHistory(tick: Tick, state: LifecycleState | null, page: PageRequest) {
    return this.#read((session) => historyPage(session, tick, state, page));
  }

  marketSummary(tick: Tick) {
    return this.#read((session, state) => summaryView(session, state, tick));
  }

  markets(page: PageRequest) {
    return this.#read((session, state) => marketsPage(session, state, page));
  }

  listing(id: ListingId) {
    return this.#read((session) => listingView(session, id));
  }

  operations(filter: OperationFilter, page: PageRequest) {
    return this.#read((session) => operationsPage(session, filter, page));
  }

  operationsText(filter: OperationFilter, page: PageRequest, fields: OperationFields) {
    return this.#read(async (session, { height }) =>
      textOf(await operationsPage(session, filter, page), height, fields),
    );
  }

  operationsOf(txid: Txid, vout: number | null, part: OperationsPart = ALL_OPERATIONS) {
    return this.#read((session) => operationsOf(session, txid, vout, part));
  }

  holders(tick: Tick, page: PageRequest) {
    return this.#read((session) => holdersPage(session, tick, page));
  }

  digest(height: number) {
    return this.#read(async (session) => {
      const block = await storedBlock(session, height);
      return block === null ? null : { height, hash: block.hash, digest: block.digest };
    });
  }

  blocks(page: PageRequest) {
    return this.#read((session) => blocksPage(session, page));
  }

  block(at: number | BlockHash) {
    return this.#read((session) => blockAt(session, at));
  }

  reorgs(page: PageRequest) {
    return this.#read((session) => reorgsPage(session, page));
  }

  candles(tick: Tick, intervalS: number, page: PageRequest) {
    return this.#read((session) => candlesPage(session, tick, intervalS, page));
  }

  eventGroups(afterId: number, limit: number) {
    return this.#readers.snapshot((session) => groupsAfter(session, afterId, limit));
  }

  eventBounds() {
    return this.#readers.snapshot(logBounds);
  }

  eventGroupOf(id: number) {
    return this.#readers.snapshot((session) => groupOf(session, id));
  }

  eventsAfter(id: number) {
    return this.#readers.snapshot((session) => eventsAfter(session, id));
  }

  happenings(height: number, hash: BlockHash, part: BlockPart): Promise<BlockHappenings | null> {
    return this.#readers.snapshot(async (session) => {
      const block = await storedBlock(session, height);
      if (block === null || block.hash !== hash) return null;
      const { from, before, facts } = partOf(block, await storedBlock(session, height - 1), part);
      return {
        ...facts,
        operations: await operationsBetween(session, from, before),
        ...(await listingsBetween(session, from, before)),
      };
    });
  }

  /** Runs a read on one snapshot and says which state it saw. */
  #read<Result>(
    read: (session: Session, state: TipState, tip: BlockRow | null) => Promise<Result>,
  ): Promise<Snapshot<Result>> {
    return this.#readers.snapshot(async (session) => {
      const tip = await storedTip(session);
      const state = tipStateOf(tip);
      return { state, value: await read(session, state, tip) };
    });
  }
}
