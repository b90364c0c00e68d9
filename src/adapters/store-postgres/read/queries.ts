// The read port on PostgreSQL. Each method is one snapshot on a connection of its own.

import type { IndexQueries } from "../../../index/queries.ts";
import { highestBlock, tipStateOf } from "../../store-rows/block-reads.ts";
import { walked } from "../../store-rows/pages.ts";
import { type EngineReads, storedQueries } from "../../store-rows/queries.ts";
import { answered, rowsFor } from "../answered.ts";
import type { Readers } from "../readers.ts";
import { textOf } from "./operations-text.ts";
import { balancesOfPage, balancesPage, balanceView } from "./query-balances.ts";
import { ledgerRows } from "./query-ledger.ts";
import { listingsPage, marketPage } from "./query-market.ts";
import { findAddress, operationsBetween, operationsOf, operationsPage } from "./query-operations.ts";
import { marketsPage, summaryView } from "./query-summaries.ts";

/** The read port on the connections of one database. */
export function postgresQueries(readers: Readers): IndexQueries {
  return storedQueries(
    {
      read: (reading) =>
        readers.snapshot(async (session) => {
          const state = tipStateOf(await answered(session, highestBlock()));
          return { state, value: await answered(session, reading(state)) };
        }),
      look: (reading) => readers.snapshot((session) => answered(session, reading)),
    },
    READS,
  );
}

const READS: EngineReads = {
  holding: "balance JOIN address ON address.id = balance.address_id",
  prefixed: (walk, limit) => {
    const { compare, order } = walked(walk);
    return `FROM (SELECT deploy_place AS found FROM token_prefix
        WHERE prefix = ? AND deploy_place ${compare} ? ORDER BY deploy_place ${order} LIMIT ${rowsFor(limit)}) AS page
      JOIN token ON token.deploy_place = page.found JOIN address AS deployer ON deployer.id = token.deployer_id
      ORDER BY page.found ${order}`;
  },
  balances: balancesPage,
  balance: balanceView,
  balancesOf: balancesOfPage,
  market: marketPage,
  findAddress,
  ledgerRows,
  listings: listingsPage,
  marketSummary: summaryView,
  markets: (page, state) => marketsPage(state, page),
  operations: operationsPage,
  *operationsText(filter, page, fields, { height }) {
    return textOf(yield* operationsPage(filter, page), height, fields);
  },
  operationsOf,
  operationsBetween,
};
