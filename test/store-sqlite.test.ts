// The SQLite engine keeps the contract of storage engines. What is particular to it has tests of its own: the lock,
// migrations, and a writer that dies.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { closedDeals } from "../src/adapters/store-sqlite/migrations/0012-closed-deals.ts";
import { closedLists } from "../src/adapters/store-sqlite/migrations/0013-closed-lists.ts";
import { openSqliteStore } from "../src/adapters/store-sqlite/sqlite-store.ts";
import { BASE } from "../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../testkit/store-contract/chain-model.ts";
import { withStore } from "../testkit/store-contract/engine.ts";
import { type Damage, type EngineUnderTest, storeContract } from "../testkit/store-contract/index.ts";
import { IDENTITY } from "../testkit/store-contract/swap-drafts.ts";

const DAMAGE_SQL: Readonly<Record<Damage, string>> = {
  balance: "UPDATE balance SET balance = balance || '0' WHERE balance <> '0'",
  "block fills": "UPDATE block_fills SET fills = fills + 1",
  "book of no token": "INSERT INTO floor (tick, height, price, amount) VALUES ('NOBODY', 999999, '1', '1')",
  candle: "UPDATE candle SET volume = volume || '0'",
  floor: "UPDATE floor SET price = price || '0' WHERE price IS NOT NULL",
  history: "DELETE FROM op_address WHERE place = (SELECT max(place) FROM op)",
  ledger: "UPDATE ledger SET locked = locked || '0' WHERE locked <> '0'",
  "listing state": "UPDATE listing SET state = 1 WHERE state = 0",
  market: "UPDATE market SET fills = fills + 1",
  party: "UPDATE op SET from_text = 'rprl1q' WHERE place = (SELECT max(place) FROM op)",
  "token holders": "UPDATE token SET holders = holders + 1",
};

async function sqliteEngine(): Promise<EngineUnderTest & { readonly file: string }> {
  const folder = await mkdtemp(join(tmpdir(), "strand-store-test-"));
  const file = join(folder, "index.db");
  return {
    file,
    open: (eventFloor = 0) => openSqliteStore({ file, eventFloor }),
    damage: async (kind) => {
      const database = new DatabaseSync(file);
      const { changes } = database.prepare(DAMAGE_SQL[kind]).run();
      database.close();
      assert.ok(Number(changes) > 0, "the damage must hit a row");
    },
    dispose: () => rm(folder, { recursive: true, force: true }),
  };
}

storeContract("sqlite", sqliteEngine);

/** Takes schemas 16 to 12 away. */
const UNCLOSED = `DROP INDEX balance_by_rank; ALTER TABLE balance DROP COLUMN tail;
      CREATE INDEX balance_by_rank ON balance (tick, rank, head);
      DROP INDEX listing_by_outpoint; CREATE INDEX listing_by_txid ON listing (substr(txid, 1, 8));
      DROP INDEX swap_fact_open; DROP INDEX swap_fact_by_bundle; ALTER TABLE swap_fact DROP COLUMN bundle;
      DROP TABLE swap_closed; DROP TABLE swap_closed_print; DROP TABLE swap_closed_order; DROP TABLE swap_closed_ask;
      DROP TABLE swap_closed_pearl; DROP TABLE swap_closed_move; ALTER TABLE swap_identity DROP COLUMN salt;`;
/** And schema 11. */
const UNLOOKED = `${UNCLOSED}
      DROP INDEX block_by_hash; DROP INDEX listing_of_owner; DROP INDEX listing_of_seller;
      DROP INDEX swap_event_reorgs;`;

describe("sqlite engine", () => {
  test("a database of a newer program is refused with both numbers", async () => {
    const engine = await sqliteEngine();
    await (await engine.open()).close();
    const database = new DatabaseSync(engine.file);
    database.exec("PRAGMA user_version = 99");
    database.close();
    await assert.rejects(engine.open(), /schema 99.*up to 16/);
    await engine.dispose();
  });

  test("what a database of schema 12 has closed is open again, and can close anew", async () => {
    const engine = await sqliteEngine();
    await (await engine.open()).close();
    const database = new DatabaseSync(engine.file);
    database.exec(`${UNCLOSED} ${closedDeals.sql} PRAGMA user_version = 12;
      INSERT INTO swap_fact (kind, key, body, bundle) VALUES ('event', 'a', '{}', 1), ('secret', 'a', '{}', 1),
        ('ask', 'b', '{}', NULL), ('closed', 'state', '{}', NULL), ('unrevealed', 'a', '{}', NULL);
      INSERT INTO swap_closed VALUES (1, 5, 5);
      INSERT INTO swap_closed_print VALUES (7, 1);`);
    database.close();
    const store = await openSqliteStore({ file: engine.file });
    const loaded: string[] = [];
    await store.swaps.load((facts) => loaded.push(...facts.map(({ kind, key }) => `${kind} ${key}`)));
    assert.deepEqual(loaded, ["event a", "secret a", "ask b"]);
    const answer = await store.swaps.closed([{ kind: "above", chain: "evm", height: 0, limit: 9 }]);
    assert.deepEqual([answer.state, answer.bundles], [null, []]);
    await store.close();
    await engine.dispose();
  });

  test("what a database of schema 13 has closed is open again, and its names are keyed by a salt of its own", async () => {
    const salts = new Set<string>();
    for (const isOld of [false, true, true]) {
      const engine = await sqliteEngine();
      const made = await openSqliteStore({ file: engine.file });
      await made.swaps.initialise(IDENTITY);
      await made.close();
      const database = new DatabaseSync(engine.file);
      if (isOld)
        database.exec(`${UNCLOSED} ${closedDeals.sql} ${closedLists.sql} PRAGMA user_version = 13;
          INSERT INTO swap_fact (kind, key, body, bundle) VALUES ('event', 'a', '{}', 1), ('closed', 'state', '{}', NULL);
          INSERT INTO swap_closed VALUES (1, 5, 5);
          INSERT INTO swap_closed_print VALUES (7, 1);`);
      database.close();
      const store = await openSqliteStore({ file: engine.file });
      const loaded: string[] = [];
      await store.swaps.load((facts) => loaded.push(...facts.map(({ kind }) => kind)));
      assert.deepEqual(loaded, isOld ? ["event"] : []);
      assert.deepEqual((await store.swaps.closed([{ kind: "named", names: ["a"] }])).bundles, []);
      await store.close();
      const reader = new DatabaseSync(engine.file);
      const salt = String(reader.prepare("SELECT salt FROM swap_identity").get()?.["salt"]);
      reader.close();
      assert.match(salt, /^[0-9a-f]{64}$/);
      salts.add(salt);
      await engine.dispose();
    }
    assert.equal(salts.size, 3);
  });

  test("a database of schema 2 gets the texts of addresses and the fills of blocks, and its operations stay in their indexes", async () => {
    const engine = await sqliteEngine();
    const written = await engine.open();
    await written.commitBase(BASE);
    await written.commit(new ChainModel(91).many(30, { actions: 6 }), 10);
    const before = await written.dump();
    await written.close();
    const database = new DatabaseSync(engine.file);
    database.exec(`
      ALTER TABLE op DROP COLUMN from_text; ALTER TABLE op DROP COLUMN to_text;
      DROP TABLE block_fills;
      ${UNLOOKED}
      DROP TABLE market; DROP INDEX event_log_reorgs; DROP TABLE ledger;
      CREATE INDEX listing_fills ON listing (tick, close_time, close_place) WHERE state = 2;
      PRAGMA user_version = 2;
    `);
    database.close();
    const store = await engine.open();
    assert.deepEqual(await store.dump(), before);
    assert.deepEqual(await store.audit(), []);
    const { value } = await store.queries.operations({ op: "mint" }, { limit: 9, start: null });
    assert.ok(value.rows.length > 5, "found by an index");
    assert.ok(before.operations.length > 50);
    await store.close();
    await engine.dispose();
  });

  test("what a program of schema 5 had left for later is indexed and ranked when the database is opened", async () => {
    const engine = await sqliteEngine();
    const written = await engine.open();
    await written.commitBase(BASE);
    const model = new ChainModel(92);
    await written.commit(model.many(20, { actions: 6 }), 10);
    const late = model.next({ actions: 90 });
    await written.commit([late], 10);
    const before = await written.dump();
    await written.close();
    const database = new DatabaseSync(engine.file);
    const place = late.operations[0]?.place ?? assert.fail();
    database.exec(`
      ${UNLOOKED}
      DROP INDEX op_by_kind; DROP INDEX op_by_tick; DROP INDEX op_by_txid; DROP INDEX balance_by_rank;
      ALTER TABLE op ADD COLUMN is_indexed INTEGER NOT NULL DEFAULT 1;
      UPDATE op SET is_indexed = 0 WHERE place >= ${place};
      DELETE FROM op_address WHERE place >= ${place};
      UPDATE balance SET rank = x'' WHERE address_id % 2 = 0;
      INSERT INTO meta (key, value) VALUES ('indexed_place', '${place}');
      CREATE INDEX op_by_kind ON op (kind) WHERE is_indexed = 1;
      CREATE INDEX op_by_tick ON op (tick, kind) WHERE is_indexed = 1 AND tick <> '';
      CREATE INDEX op_by_txid ON op (substr(txid, 1, 8)) WHERE is_indexed = 1;
      CREATE INDEX balance_by_rank ON balance (tick, rank, head) WHERE rank <> x'';
      DROP TABLE market; DROP INDEX event_log_reorgs; DROP INDEX block_fills_by_time; DROP TABLE ledger;
      PRAGMA user_version = 5;
    `);
    database.close();
    const store = await engine.open();
    assert.ok(late.operations.length > 20);
    assert.deepEqual(await store.audit(), []);
    assert.deepEqual(await store.dump(), before);
    await store.close();
    await engine.dispose();
  });

  test("a temporary database works and is gone after closing", async () => {
    const store = await openSqliteStore({ file: ":memory:" });
    await store.commitBase(BASE);
    await store.commit(new ChainModel(81).many(3), 10);
    assert.equal((await store.tip())?.height, 12);
    await store.close();
    await store.close();
  });

  test("SIGKILL in the middle of writing loses nothing acknowledged and frees the lock", async () => {
    const engine = await sqliteEngine();
    const program = new URL("../testkit/store-contract/endless-writer.ts", import.meta.url);
    for (const lines of [3, 8]) {
      const writer = spawn(process.execPath, [fileURLToPath(program), engine.file], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = once(writer, "close");
      let acknowledged = BASE.height;
      let seen = 0;
      for await (const line of createInterface({ input: writer.stdout })) {
        acknowledged = Number(line);
        seen += 1;
        if (seen === lines) writer.kill("SIGKILL");
      }
      // Its output ends before its files are closed.
      await ended;
      const store = await engine.open();
      const tip = await store.tip();
      assert.ok(tip !== null && tip.height >= acknowledged && seen >= lines);
      assert.deepEqual(await store.audit(), []);
      await withStore(sqliteEngine, new ChainModel(7).many(tip.height - BASE.height), async (whole) => {
        assert.deepEqual(await store.dump(), await whole.dump());
      });
      await store.close();
    }
    await engine.dispose();
  });

  test("a file that is no database is refused", async () => {
    const engine = await sqliteEngine();
    await writeFile(engine.file, "no database at all, but long enough to be looked at as one".repeat(50));
    await assert.rejects(engine.open(), /no SQLite database/);
    await engine.dispose();
  });
});
