// The PostgreSQL engine keeps the contract of storage engines, and that of swap storage.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPostgresStore } from "../src/adapters/store-postgres/postgres-store.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../testkit/doubles/postgres.ts";
import { BASE } from "../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../testkit/store-contract/chain-model.ts";
import { type Damage, type EngineUnderTest, storeContract } from "../testkit/store-contract/index.ts";
import { swapStoreContract } from "../testkit/store-contract/swaps.ts";

const DAMAGE_SQL: Readonly<Record<Damage, string>> = {
  balance: "UPDATE balance SET balance = balance * 10 WHERE balance <> 0",
  "block fills": "UPDATE block_fills SET fills = fills + 1",
  candle: "UPDATE candle SET volume = volume * 10",
  floor: "UPDATE floor SET price = price * 10 WHERE price IS NOT NULL",
  history: "DELETE FROM op_address WHERE place = (SELECT max(place) FROM op)",
  ledger: "UPDATE ledger SET locked = locked * 10 WHERE locked <> 0",
  "listing state": "UPDATE listing SET state = 1 WHERE state = 0",
  market: "UPDATE market SET fills = fills + 1",
  party: "UPDATE op SET from_id = from_id + 1000 WHERE place = (SELECT max(place) FROM op)",
  "token holders": "UPDATE token SET holders = holders + 1",
};

describe("PostgreSQL", needsPostgres(), () => {
  let cluster: PostgresCluster;
  before(async () => {
    cluster = await startPostgres();
  });
  after(() => cluster.stop());

  async function engine(): Promise<
    EngineUnderTest & { readonly url: string; open(): ReturnType<typeof openPostgresStore> }
  > {
    const url = await cluster.newUrl();
    return {
      url,
      open: () => openPostgresStore({ url }),
      damage: async (kind) => {
        assert.ok((await cluster.run(url, DAMAGE_SQL[kind])) > 0, "the damage must hit a row");
      },
      dispose: async () => {
        await cluster.run(
          url,
          "DO $$ BEGIN EXECUTE 'DROP SCHEMA ' || current_schema() || ' CASCADE'; END $$",
        );
      },
    };
  }

  storeContract("postgresql", engine);
  swapStoreContract("postgresql", engine);

  test("a database of a newer program is refused with both numbers", async () => {
    const own = await engine();
    await (await own.open()).close();
    await cluster.run(own.url, "INSERT INTO schema_version (version, name) VALUES (99, 'newer')");
    await assert.rejects(own.open(), /schema 99.*up to 1/);
  });

  test("a writer whose number is no longer the newest cannot commit", async () => {
    const own = await engine();
    const store = await own.open();
    await store.commitBase(BASE);
    await cluster.run(own.url, "UPDATE writer SET fence = fence + 1");
    await assert.rejects(
      store.commit(new ChainModel(3).many(1), 10),
      /another process has become the writer/,
    );
    assert.equal((await store.tip())?.height, BASE.height);
    await store.close();
  });
});
