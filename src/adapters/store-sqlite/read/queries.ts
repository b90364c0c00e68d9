// The read port on SQLite. Each method is one synchronous snapshot on a read-only connection in the calling thread.

import type { IndexQueries, TipState } from "../../../index/queries.ts";
import type { Tick } from "../../../primitives/brands.ts";
import { walked } from "../../store-rows/pages.ts";
import { type EngineReads, storedQueries } from "../../store-rows/queries.ts";
import { atOnce } from "../../store-rows/reading.ts";
import type { AddressFinder } from "../address-ids.ts";
import { answered } from "../answered.ts";
import type { Connection } from "../connection.ts";
import { balancesOfPage, balancesPage, balanceView } from "./query-balances.ts";
import { TickKinds } from "./query-kinds.ts";
import { ledgerRows } from "./query-ledger.ts";
import { listingsPage, marketPage } from "./query-market.ts";
import { operationsText } from "./query-operation-text.ts";
import { type OperationKeys, operationsBetween, operationsOf, operationsPage } from "./query-operations.ts";
import { DayOldHeight, marketsPage, summaryView } from "./query-summaries.ts";
import { StateReader } from "./state-view.ts";

/** The read port on one connection. */
export function sqliteQueries(connection: Connection, finder: AddressFinder): IndexQueries {
  const states = new StateReader(connection, () => finder.clear());
  return storedQueries(
    {
      read: async (reading) => states.read((state) => answered(connection, reading(state))),
      look: async (reading) => connection.snapshot(() => answered(connection, reading)),
    },
    readsOf(finder),
  );
}

function readsOf(finder: AddressFinder): EngineReads {
  const [kinds, dayOld] = [new TickKinds(), new DayOldHeight()];
  const findAddress = (text: string) => atOnce(finder.find(text));
  const known = ({ hash }: TipState): OperationKeys => ({
    findAddress,
    kindsOfTick: (tick: Tick) => kinds.of(hash, tick),
  });
  return {
    holding: "balance CROSS JOIN address ON address.id = balance.address_id",
    prefixed: (walk) => {
      const { compare, order } = walked(walk);
      return `FROM token_prefix CROSS JOIN token ON token.deploy_place = token_prefix.deploy_place
        JOIN address AS deployer ON deployer.id = token.deployer_id
        WHERE token_prefix.prefix = ? AND token_prefix.deploy_place ${compare} ?
        ORDER BY token_prefix.deploy_place ${order}`;
    },
    balances: (address, page) => balancesPage(finder, address, page),
    balance: (address, tick) => balanceView(finder, address, tick),
    balancesOf: (addresses, tick, page) => balancesOfPage(finder, addresses, tick, page),
    market: marketPage,
    findAddress,
    ledgerRows,
    listings: listingsPage,
    *marketSummary(tick, state) {
      return yield* summaryView(tick, yield* dayOld.of(state));
    },
    *markets(page, state) {
      return yield* marketsPage(yield* dayOld.of(state), page);
    },
    operations: (filter, page, state) => operationsPage(known(state), filter, page),
    operationsText: (filter, page, fields, state) =>
      operationsText(known(state), state.height, { filter, page, fields }),
    operationsOf,
    operationsBetween,
  };
}
