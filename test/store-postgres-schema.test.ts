// The schema of PostgreSQL databases: brought up to date forward only, by whoever comes first and as often as one likes,
// and the same in a database of any locale.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { rowsOf } from "../src/adapters/store-postgres/audit/dump.ts";
import { migrate } from "../src/adapters/store-postgres/migrate.ts";
import { initial } from "../src/adapters/store-postgres/migrations/0001-initial.ts";
import { roles } from "../src/adapters/store-postgres/migrations/0002-roles.ts";
import { closedDeals } from "../src/adapters/store-postgres/migrations/0003-closed-deals.ts";
import { closedLists } from "../src/adapters/store-postgres/migrations/0004-closed-lists.ts";
import { closedPrints } from "../src/adapters/store-postgres/migrations/0005-closed-prints.ts";
import { openIndexReader } from "../src/adapters/store-postgres/read/index-reader.ts";
import { openPostgresStore } from "../src/adapters/store-postgres/postgres-store.ts";
import { schemaDifferences } from "../src/adapters/store-postgres/schema-differences.ts";
import { type Migration, Session } from "../src/adapters/store-postgres/session.ts";
import { openReplay } from "../src/adapters/store-sqlite/read/index-reader.ts";
import { openSqliteStore } from "../src/adapters/store-sqlite/sqlite-store.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../testkit/doubles/postgres.ts";
import { BASE } from "../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../testkit/store-contract/chain-model.ts";

const SECOND: Migration = { version: 2, name: "second", sql: "CREATE TABLE second (id bigint PRIMARY KEY)" };
const BROKEN: Migration = { ...SECOND, sql: `${SECOND.sql}; SELECT 1 / 0` };
const VERSIONS = "SELECT version, name FROM schema_version ORDER BY version";
const TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename";

/** Twenty thousand listings, each of a transaction of its own, as PostgreSQL knows them after a while. */
const MANY_LISTINGS = `INSERT INTO listing (place, tick, amount, owner_id, seller_id, price, protocol_fee, seller_net, txid, vout,
    created_height, created_time, anchor_amount, signature, policy_hash, state, unit_key, change_key)
  SELECT at, 'MANY', 1, 1, 1, 1, 0, 1, sha256(at::text::bytea), 0, 1, 1, 546, '', '', 0, '', 2 * at
    FROM generate_series(1, 20000) AS at;
  ANALYZE listing; SET plan_cache_mode = force_custom_plan`;
/** As the writer looks for what a block names. */
const LISTINGS_BY_OUTPOINT = `SELECT listing.place FROM unnest($1::bytea[], $2::bigint[]) AS asked (txid, vout)
  JOIN listing ON substr(listing.txid, 1, 8) = substr(asked.txid, 1, 8) AND listing.txid = asked.txid
    AND listing.vout = asked.vout`;

/** What somebody may do to a schema, how he takes it back, and of what the findings speak. */
const CHANGES: readonly (readonly [change: string, back: string, names: readonly string[]])[] = [
  [
    `CREATE FUNCTION richer() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.balance := 0; RETURN NEW; END';
     CREATE TRIGGER richer BEFORE UPDATE ON balance FOR EACH ROW EXECUTE FUNCTION richer()`,
    "DROP TRIGGER richer ON balance",
    ["holds the trigger richer on balance"],
  ],
  [
    "CREATE RULE silent AS ON DELETE TO undo DO INSTEAD NOTHING",
    "DROP RULE silent ON undo",
    ["holds the rule silent on undo"],
  ],
  [
    "DROP INDEX op_by_txid",
    "CREATE INDEX op_by_txid ON op (substr(txid, 1, 8))",
    ["lacks the index op_by_txid on op"],
  ],
  [
    "ALTER TABLE balance ALTER COLUMN locked TYPE numeric(38)",
    "ALTER TABLE balance ALTER COLUMN locked TYPE numeric(39)",
    ["holds the column balance.locked", "lacks the column balance.locked"],
  ],
  [
    "ALTER TABLE errand ALTER COLUMN state SET DEFAULT 2",
    "ALTER TABLE errand ALTER COLUMN state SET DEFAULT 0",
    ["holds the column errand.state"],
  ],
  ["ALTER TABLE meta SET UNLOGGED", "ALTER TABLE meta SET LOGGED", ["holds the relation meta"]],
  [
    "ALTER TABLE token ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON token USING (tick < 'M')",
    "DROP POLICY few ON token; ALTER TABLE token DISABLE ROW LEVEL SECURITY",
    ["holds the policy few on token", "holds the relation token"],
  ],
  [
    "ALTER TABLE live ADD CONSTRAINT short CHECK (length(body) < 9)",
    "ALTER TABLE live DROP CONSTRAINT short",
    ["holds the constraint short of live"],
  ],
  [
    "ALTER SEQUENCE live_version CYCLE",
    "ALTER SEQUENCE live_version NO CYCLE",
    ["holds the numbers of live_version"],
  ],
];

describe("schema of PostgreSQL", needsPostgres(), () => {
  let cluster: PostgresCluster;
  before(async () => {
    cluster = await startPostgres();
  });
  after(() => cluster.stop());

  async function withSessions(count: number, job: (sessions: readonly Session[]) => Promise<void>) {
    const url = await cluster.newUrl();
    const sessions = await Promise.all(Array.from({ length: count }, () => Session.open(url, "test")));
    try {
      await job(sessions);
    } finally {
      await Promise.all(sessions.map((session) => session.close()));
    }
  }

  test("several that migrate at once, and twice, make each step once", async () => {
    await withSessions(4, async (sessions) => {
      await Promise.all(sessions.map((session) => migrate(session, [initial])));
      const [one, ...others] = sessions;
      assert.ok(one !== undefined);
      assert.deepEqual(await one.all(VERSIONS), [[1, "initial"]]);
      const tables = await one.all(TABLES);
      await Promise.all([one, ...others].map((session) => migrate(session, [initial, SECOND])));
      await migrate(one, [initial, SECOND]);
      assert.deepEqual(await one.all(VERSIONS), [
        [1, "initial"],
        [2, "second"],
      ]);
      assert.equal((await one.all(TABLES)).length, tables.length + 1);
    });
  });

  test("a step that fails, or whose process dies, leaves nothing of itself, and the next start makes it", async () => {
    await withSessions(3, async ([one, other, third]) => {
      assert.ok(one !== undefined && other !== undefined && third !== undefined);
      await assert.rejects(migrate(one, [initial, BROKEN]), /division by zero/);
      assert.deepEqual(await one.all(VERSIONS), [[1, "initial"]]);
      const tables = await one.all(TABLES);
      const pid = (await one.first("SELECT pg_backend_pid()::bigint"))?.[0];
      const slow = { ...SECOND, sql: `${SECOND.sql}; SELECT pg_sleep(60)` };
      const killed = assert.rejects(migrate(one, [initial, slow]));
      const asleep =
        "SELECT count(*) FROM pg_stat_activity WHERE pid = $1::bigint AND wait_event = 'PgSleep'";
      while ((await other.first(asleep, Number(pid)))?.[0] === 0);
      // Who comes second waits for the first, and does what that one could not.
      const waiting = migrate(third, [initial, SECOND]);
      await other.run("SELECT pg_terminate_backend($1::bigint::int)", Number(pid));
      await killed;
      await waiting;
      assert.equal((await other.all(TABLES)).length, tables.length + 1);
    });
  });

  test("an older program is refused with both numbers, and changes nothing", async () => {
    await withSessions(1, async ([one]) => {
      assert.ok(one !== undefined);
      await migrate(one, [initial, SECOND]);
      const tables = await one.all(TABLES);
      await assert.rejects(migrate(one, [initial]), /schema 2, this program knows schemas up to 1/);
      assert.deepEqual(await one.all(TABLES), tables);
      assert.equal((await one.all(VERSIONS)).length, 2);
    });
  });

  test("listings of a block are found by the index of schema 6 at once: its making counts the rows that are there", async () => {
    await withSessions(1, async ([one]) => {
      assert.ok(one !== undefined);
      await migrate(one, [initial, roles, closedDeals, closedLists, closedPrints]);
      await one.exec(MANY_LISTINGS);
      await migrate(one);
      const asked = Array.from({ length: 20 }, (_, at) => Buffer.alloc(32, at));
      const plan = await one.all(
        `EXPLAIN ${LISTINGS_BY_OUTPOINT}`,
        asked,
        asked.map(() => 0),
      );
      assert.match(plan.join("\n"), /Index Scan using listing_by_outpoint/);
    });
  });

  test("what takes long is done, whatever limits its role has for statements, locks and transactions", async () => {
    const url = await cluster.newUrl();
    const names = ["statement_timeout", "idle_in_transaction_session_timeout", "idle_session_timeout"];
    for (const name of names) await cluster.run(url, `ALTER ROLE CURRENT_USER SET ${name} = '50ms'`);
    try {
      await withSessions(1, async ([one]) => {
        assert.ok(one !== undefined);
        await migrate(one, [initial, { ...SECOND, sql: `${SECOND.sql}; SELECT pg_sleep(0.2)` }]);
        await one.transaction(async () => {
          await one.all(VERSIONS);
          await delay(200);
          await one.all(VERSIONS);
        });
        await delay(200);
        assert.equal((await one.all(VERSIONS)).length, 2);
      });
    } finally {
      // Whoever takes them back must not be bounded himself.
      const unbounded = new URL(url);
      unbounded.searchParams.set("options", names.map((name) => `-c ${name}=0`).join(" "));
      for (const name of names) await cluster.run(unbounded.href, `ALTER ROLE CURRENT_USER RESET ${name}`);
    }
  });

  test("what takes long is done where the server has no connection left by which to ask whether it works on it", async () => {
    const url = await cluster.newUrl();
    await cluster.run(url, "CREATE ROLE alone LOGIN CONNECTION LIMIT 1");
    const session = await Session.open(url.replace(/\/\/[^@]*@/, "//alone@"), "test");
    try {
      await session.beginLongWork();
      assert.deepEqual(await session.all("SELECT 1::bigint FROM pg_sleep(6)"), [[1]]);
    } finally {
      await session.close();
      await cluster.run(url, "DROP ROLE alone");
    }
  });

  test("statements mean what they mean to us, whatever its role has set for isolation and arrays", async () => {
    const url = await cluster.newUrl();
    const settings = ["default_transaction_isolation = 'serializable'", "array_nulls = 'off'"];
    for (const setting of settings) await cluster.run(url, `ALTER ROLE CURRENT_USER SET ${setting}`);
    try {
      await withSessions(4, async (sessions) => {
        await Promise.all(sessions.map((session) => migrate(session, [initial, SECOND])));
        const [one] = sessions;
        assert.deepEqual(await one?.all("SELECT * FROM unnest($1::text[])", ["a", null]), [["a"], [null]]);
      });
    } finally {
      await cluster.run(url, "ALTER ROLE CURRENT_USER RESET ALL");
    }
  });

  test("the server is asked of every connection to notice that its machine is gone", async () => {
    // Over the socket of these tests it shows no values of them.
    const asked =
      "SELECT count(*) FROM pg_settings WHERE name LIKE 'tcp_keepalives_%' AND source = 'session'";
    await withSessions(1, async ([session]) => assert.deepEqual(await session?.first(asked), [3]));
  });

  test("a server that makes tables slowly is waited for, by who begins an index and by who verifies one", async () => {
    const url = await cluster.newDatabase("en");
    // A busy machine, or a disk with much to do: a step of the schema takes longer than a silence may be.
    await cluster.run(
      url,
      `CREATE FUNCTION dawdle() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(5); END';
       CREATE EVENT TRIGGER dawdle ON ddl_command_start WHEN TAG IN ('CREATE SEQUENCE') EXECUTE FUNCTION dawdle()`,
    );
    await (await openPostgresStore({ url })).close();
    assert.deepEqual(await schemaDifferences(url), []);
  });

  test("verify finds what somebody has changed of the schema, and leaves what stands beside it", async () => {
    const url = await cluster.newUrl();
    await (await openPostgresStore({ url })).close();
    const auditOf = async (): Promise<readonly string[]> => {
      const reader = await openIndexReader(url, openReplay);
      const found: string[] = [];
      for await (const step of reader.audit()) if ("finding" in step) found.push(step.finding);
      await reader.close();
      return found;
    };
    await cluster.run(
      url,
      "CREATE TABLE of_another_program (id int); CREATE INDEX ON of_another_program (id)",
    );
    assert.deepEqual(await auditOf(), []);
    for (const [change, back, names] of CHANGES) {
      await cluster.run(url, change);
      const found = (await auditOf()).join("\n");
      for (const name of names) assert.ok(found.includes(name), `${change}: ${found}`);
      await cluster.run(url, back);
      assert.deepEqual(await auditOf(), [], back);
    }
    await withSessions(1, async ([session]) => {
      assert.deepEqual(
        await session?.all("SELECT relname::text FROM pg_class WHERE relpersistence = 't'"),
        [],
      );
    });
  });

  test("what ends a long reading of rows is told, and not that the transaction has ended with it", async () => {
    await withSessions(1, async ([session]) => {
      assert.ok(session !== undefined);
      await session.exec(`BEGIN; CREATE TEMP VIEW floor AS SELECT 'T' AS tick, at AS height, 1 / (3 - at) AS price,
        1 AS amount FROM generate_series(1, 5) AS at`);
      const reading = async (): Promise<void> => {
        for await (const rows of rowsOf(session).pieces("floor")) assert.deepEqual(rows, []);
      };
      await assert.rejects(reading, /division by zero/);
    });
  });

  test("in a database of another locale every row and order is that of SQLite", async () => {
    const url = await cluster.newDatabase("de-DE");
    // Else this test could not fail: people sort a before B, bytes do not.
    const session = await Session.open(url, "test");
    assert.deepEqual(await session.first("SELECT ('a' < 'B')::int::bigint"), [1]);
    const store = await openPostgresStore({ url });
    const file = await openSqliteStore({ file: ":memory:" });
    try {
      const blocks = new ChainModel(23).many(40, { actions: 30 });
      for (const each of [store, file]) {
        await each.commitBase(BASE);
        await each.commit(blocks, 1000);
      }
      assert.deepEqual(await store.dump(), await file.dump());
      assert.deepEqual(await store.audit(), []);
      const unordered = await session.all(
        `SELECT table_name, column_name FROM information_schema.columns
           WHERE table_schema = current_schema() AND data_type IN ('text', 'character varying')
             AND collation_name IS DISTINCT FROM 'C' AND table_name <> 'schema_version'`,
      );
      assert.deepEqual(unordered, []);
    } finally {
      await session.close();
      await store.close();
      await file.close();
    }
  });
});
