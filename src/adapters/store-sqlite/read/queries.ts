// The read port on SQLite. Each method is one synchronous snapshot on a read-only connection in the calling thread.

import type { BlockHash, ListingId, PearlAddress, Tick, Txid } from "../../../primitives/brands.ts";
import type { BlockHappenings, BlockPart, EventGroup } from "../../../index/event-groups.ts";
import type { OperationFields, PageRequest } from "../../../index/pages.ts";
import type {
  IndexQueries,
  OperationFilter,
  OperationsPart,
  Snapshot,
  TipState,
} from "../../../index/queries.ts";
import type { LifecycleState } from "../../../index/views.ts";
import type { AddressFinder } from "../address-ids.ts";
import { storedBlock, storedTip } from "../block-rows.ts";
import { ALL_OPERATIONS } from "../../store-rows/pages.ts";
import type { Connection } from "../connection.ts";
import { eventsAfter, groupOf, groupsAfter, logBounds } from "../event-log.ts";
import type { OperationReader } from "./operation-reader.ts";
import { blockAt, blocksPage, reorgsPage } from "./query-blocks.ts";
import { balancesOfPage, balancesPage, balanceView } from "./query-balances.ts";
import {
  candlesPage,
  historyPage,
  listingsBetween,
  listingView,
  marketPage,
  sellerPage,
} from "./query-market.ts";
import { holdersPage } from "./query-holders.ts";
import { TickKinds } from "./query-kinds.ts";
import { ledgerPage } from "./query-ledger.ts";
import { partOf } from "../../store-rows/view-rows.ts";
import { operationsText } from "./query-operation-text.ts";
import { operationsBetween, operationsOf, operationsPage } from "./query-operations.ts";
import { dayOldHeight, marketsPage, summaryView } from "./query-summaries.ts";
import { storedToken, tokensPage } from "./query-tokens.ts";
import { StateReader } from "./state-view.ts";

/** The read port on one connection. */
export class SqliteQueries implements IndexQueries {
  readonly #connection: Connection;
  readonly #finder: AddressFinder;
  readonly #states: StateReader;
  readonly #kinds = new TickKinds();
  /** The day-old height of the last tip that was asked for: it depends on nothing else. */
  #dayOld: { readonly tip: BlockHash | null; readonly height: number | null } = { tip: null, height: null };

  constructor(connection: Connection, finder: AddressFinder) {
    this.#connection = connection;
    this.#finder = finder;
    this.#states = new StateReader(connection, () => finder.clear());
  }

  async state(): Promise<TipState> {
    return this.#read(() => null).state;
  }

  async tokens(prefix: string | null, page: PageRequest) {
    return this.#read(() => tokensPage(this.#connection, prefix, page));
  }

  async token(tick: Tick) {
    return this.#read(() => storedToken(this.#connection, tick));
  }

  async stats() {
    return this.#read(() => {
      const tip = storedTip(this.#connection);
      return {
        distinctHolders: tip?.distinctHolders ?? 0,
        listsExpiredOpen: tip?.listsExpiredOpen ?? 0,
      };
    });
  }

  async balances(address: PearlAddress, page: PageRequest) {
    return this.#read(() => balancesPage(this.#connection, this.#finder, address, page));
  }

  async balance(address: PearlAddress, tick: Tick) {
    return this.#read(() => balanceView(this.#connection, this.#finder, address, tick));
  }

  async balancesOf(addresses: readonly PearlAddress[], tick: Tick | null, page: PageRequest) {
    return this.#read(() => balancesOfPage(this.#connection, this.#finder, addresses, tick, page));
  }

  async ledger(address: PearlAddress, tick: Tick | null, page: PageRequest) {
    return this.#read(() => ledgerPage(this.#connection, this.#finder, address, tick, page));
  }

  async market(tick: Tick, page: PageRequest) {
    return this.#read(() => marketPage(this.#connection, tick, page));
  }

  async sellerListings(
    tick: Tick | null,
    address: PearlAddress,
    state: LifecycleState | null,
    page: PageRequest,
  ) {
    return this.#read(() => sellerPage(this.#connection, this.#finder, tick, address, state, page));
  }

  async marketHistory(tick: Tick, state: LifecycleState | null, page: PageRequest) {
    return this.#read(() => historyPage(this.#connection, tick, state, page));
  }

  async marketSummary(tick: Tick) {
    return this.#read((state) => summaryView(this.#connection, tick, this.#dayOldHeight(state)));
  }

  async markets(page: PageRequest) {
    return this.#read((state) => marketsPage(this.#connection, this.#dayOldHeight(state), page));
  }

  async listing(id: ListingId) {
    return this.#read(() => listingView(this.#connection, id));
  }

  async operations(filter: OperationFilter, page: PageRequest) {
    return this.#readOperations((source) => operationsPage(source, filter, page));
  }

  async operationsText(filter: OperationFilter, page: PageRequest, fields: OperationFields) {
    return this.#readOperations((source, { height }) =>
      operationsText(source, height, { filter, page, fields }),
    );
  }

  async operationsOf(txid: Txid, vout: number | null, part: OperationsPart = ALL_OPERATIONS) {
    return this.#readOperations((source) => operationsOf(source, txid, vout, part));
  }

  async holders(tick: Tick, page: PageRequest) {
    return this.#read(() => holdersPage(this.#connection, tick, page));
  }

  async digest(height: number) {
    return this.#read(() => {
      const block = storedBlock(this.#connection, height);
      return block === null ? null : { height, hash: block.hash, digest: block.digest };
    });
  }

  async blocks(page: PageRequest) {
    return this.#read(() => blocksPage(this.#connection, page));
  }

  async block(at: number | BlockHash) {
    return this.#read(() => blockAt(this.#connection, at));
  }

  async reorgs(page: PageRequest) {
    return this.#read(() => reorgsPage(this.#connection, page));
  }

  async candles(tick: Tick, intervalS: number, page: PageRequest) {
    return this.#read(() => candlesPage(this.#connection, tick, intervalS, page));
  }

  async eventGroups(afterId: number, limit: number): Promise<readonly EventGroup[]> {
    return this.#connection.snapshot(() => groupsAfter(this.#connection, afterId, limit));
  }

  async eventBounds(): Promise<{ readonly lowest: number; readonly highest: number }> {
    return this.#connection.snapshot(() => logBounds(this.#connection));
  }

  async eventGroupOf(id: number): Promise<EventGroup | null> {
    return this.#connection.snapshot(() => groupOf(this.#connection, id));
  }

  async eventsAfter(id: number): Promise<number> {
    return this.#connection.snapshot(() => eventsAfter(this.#connection, id));
  }

  async happenings(height: number, hash: BlockHash, part: BlockPart): Promise<BlockHappenings | null> {
    return this.#connection.snapshot(() => {
      const block = storedBlock(this.#connection, height);
      if (block === null || block.hash !== hash) return null;
      const { from, before, facts } = partOf(block, storedBlock(this.#connection, height - 1), part);
      return {
        ...facts,
        operations: operationsBetween(this.#connection, from, before),
        ...listingsBetween(this.#connection, from, before),
      };
    });
  }

  #read<Value>(read: (state: TipState) => Value): Snapshot<Value> {
    return this.#states.read(read);
  }

  #readOperations<Value>(read: (source: OperationReader, state: TipState) => Value): Snapshot<Value> {
    return this.#states.read((state) => {
      const connection = this.#connection;
      const kindsOfTick = (tick: Tick) => this.#kinds.of(connection, state.hash, tick);
      return read({ connection, finder: this.#finder, kindsOfTick }, state);
    });
  }

  #dayOldHeight(state: TipState): number | null {
    if (state.hash === null || this.#dayOld.tip !== state.hash) {
      this.#dayOld = { tip: state.hash, height: dayOldHeight(this.#connection, state) };
    }
    return this.#dayOld.height;
  }
}
