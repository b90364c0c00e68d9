// The PostgreSQL engine as the suite of storage engines wants it: schemas of one cluster, and ways to damage their rows.

import assert from "node:assert/strict";
import { openPostgresStore } from "../src/adapters/store-postgres/postgres-store.ts";
import type { PostgresCluster } from "../testkit/doubles/postgres.ts";
import type { Damage, EngineUnderTest } from "../testkit/store-contract/index.ts";

const DAMAGE_SQL: Readonly<Record<Damage, string>> = {
  balance: "UPDATE balance SET balance = balance * 10 WHERE balance <> 0",
  "block fills": "UPDATE block_fills SET fills = fills + 1",
  "book of no token": "INSERT INTO floor (tick, height, price, amount) VALUES ('NOBODY', 999999, 1, 1)",
  candle: "UPDATE candle SET volume = volume * 10",
  floor: "UPDATE floor SET price = price * 10 WHERE price IS NOT NULL",
  history: "DELETE FROM op_address WHERE place = (SELECT max(place) FROM op)",
  ledger: "UPDATE ledger SET locked = locked * 10 WHERE locked <> 0",
  "listing state": "UPDATE listing SET state = 1 WHERE state = 0",
  market: "UPDATE market SET fills = fills + 1",
  party: "UPDATE op SET from_id = from_id + 1000 WHERE place = (SELECT max(place) FROM op)",
  "token holders": "UPDATE token SET holders = holders + 1",
};

/** A new schema, and the store in it. */
export interface PostgresEngine extends EngineUnderTest {
  readonly url: string;
  open(): ReturnType<typeof openPostgresStore>;
}

/** Makes a new, empty schema in the cluster. */
export async function postgresEngine(cluster: PostgresCluster): Promise<PostgresEngine> {
  const url = await cluster.newUrl();
  return {
    url,
    open: (eventFloor = 0) => openPostgresStore({ url, eventFloor: () => eventFloor }),
    damage: async (kind) => {
      assert.ok((await cluster.run(url, DAMAGE_SQL[kind])) > 0, "the damage must hit a row");
    },
    dispose: async () => {
      await cluster.run(url, "DO $$ BEGIN EXECUTE 'DROP SCHEMA ' || current_schema() || ' CASCADE'; END $$");
    },
  };
}
