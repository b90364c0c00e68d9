// The PostgreSQL engine keeps the contract of storage engines, and that of swap storage.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { LiveBoard } from "../src/adapters/store-postgres/live-rows.ts";
import {
  type OpenedPostgresStore,
  openPostgresStore,
} from "../src/adapters/store-postgres/postgres-store.ts";
import { StoreUnavailable } from "../src/index/ports.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../testkit/doubles/postgres.ts";
import { BASE } from "../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../testkit/store-contract/chain-model.ts";
import { withStore } from "../testkit/store-contract/engine.ts";
import { storeContract } from "../testkit/store-contract/index.ts";
import { swapStoreContract } from "../testkit/store-contract/swaps.ts";
import { until } from "../testkit/until.ts";
import { type PostgresEngine, postgresEngine } from "./postgres-engine.ts";

/** A commit takes six seconds of the server's own time: longer than its silence is believed. */
const SLOW_COMMIT = `CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN FOR tenth IN 1..60 LOOP PERFORM pg_sleep(0.1); END LOOP; RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON block DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION linger()`;
const IS_COMMITTING = "SELECT 1 FROM pg_stat_activity WHERE query = 'COMMIT' AND state = 'active'";
/** A read of a server that hangs ends by then, also on a busy machine. */
const MOST_MS = 15_000;

/** The height of a tip that can be read when the server has let the connections in again. */
async function untilRead(tip: OpenedPostgresStore["tip"]): Promise<number> {
  for (let tries = 0; ; tries += 1) {
    try {
      return (await tip())?.height ?? -1;
    } catch (error) {
      if (tries === 300) throw error;
      await wait(100);
    }
  }
}

describe("PostgreSQL", needsPostgres(), () => {
  let cluster: PostgresCluster;
  before(async () => {
    cluster = await startPostgres();
  });
  after(() => cluster.stop());

  const engine = (): Promise<PostgresEngine> => postgresEngine(cluster);

  storeContract("postgresql", engine);
  swapStoreContract("postgresql", engine);

  test("a database of a newer program is refused with both numbers", async () => {
    const own = await engine();
    await (await own.open()).close();
    await cluster.run(own.url, "INSERT INTO schema_version (version, name) VALUES (99, 'newer')");
    await assert.rejects(own.open(), /schema 99.*up to 8/);
  });

  test("PostgreSQL dies under the writer: nothing acknowledged is lost, reads and writes go on by themselves", async () => {
    await using own = await startPostgres({ durable: true });
    const url = await own.newUrl();
    const blocks = new ChainModel(17).many(60, { actions: 30 });
    const store = await openPostgresStore({ url });
    await store.commitBase(BASE);
    let acknowledged = BASE.height;
    for (const block of blocks.slice(0, 20)) {
      await store.commit([block], 1000);
      acknowledged = block.height;
    }
    const late = store.commit(blocks.slice(20, 40), 1000).then(
      () => true,
      (error: unknown) => {
        assert.ok(error instanceof StoreUnavailable, String(error));
        return false;
      },
    );
    await own.takeAway();
    if (await late) acknowledged += 20;
    await assert.rejects(store.queries.state(), StoreUnavailable);
    await assert.rejects(store.tip(), StoreUnavailable);
    await assert.rejects(store.commit(blocks.slice(40, 41), 1000), StoreUnavailable);
    assert.deepEqual(store.conditions(), []);
    await own.bringBack();
    const tip = await untilRead(() => store.tip());
    assert.ok(tip === acknowledged || tip === acknowledged + 20, `${tip} and ${acknowledged}`);
    await store.commit(blocks.slice(tip - BASE.height), 1000);
    assert.equal((await store.queries.state()).height, BASE.height + 60);
    assert.deepEqual(await store.audit(), []);
    await withStore(engine, blocks, async (whole) => {
      assert.deepEqual(await store.dump(), await whole.dump());
    });
    await assert.rejects(openPostgresStore({ url }), /in use by another process/);
    await store.close();
  });

  test("PostgreSQL hangs in a commit: reads are refused in time, and what becomes of the commit is waited for", async () => {
    const [first, second] = new ChainModel(23).many(2);
    assert.ok(first !== undefined && second !== undefined);
    // Meanwhile, at a server that does not hang: a commit on which it works for as long.
    const other = await engine();
    const patient = await other.open();
    await patient.commitBase(BASE);
    await cluster.run(other.url, SLOW_COMMIT);
    const long = patient.commit([first], 1000).then(() => patient.tip());
    await using own = await startPostgres({ durable: true });
    try {
      const url = await own.newUrl();
      const store = await openPostgresStore({ url });
      await store.commitBase(BASE);
      await own.run(url, SLOW_COMMIT);
      const outcome = store.commit([first], 1000).then(
        () => null,
        (error: unknown) => error,
      );
      await until("the server commits", async () => (await own.run(url, IS_COMMITTING)) > 0);
      own.freeze();
      const begun = performance.now();
      await assert.rejects(store.queries.state(), StoreUnavailable);
      assert.ok(performance.now() - begun < MOST_MS);
      assert.ok((await outcome) instanceof StoreUnavailable);
      await assert.rejects(store.tip(), StoreUnavailable);
      own.thaw();
      // The server goes on with the commit that was given up: nobody goes by what is there before it has come to its end.
      assert.equal(await untilRead(() => store.tip()), BASE.height + 1);
      await own.run(url, "DROP TRIGGER slow ON block");
      await store.commit([second], 1000);
      assert.equal((await store.queries.state()).height, BASE.height + 2);
      assert.deepEqual(await store.audit(), []);
      await store.close();
      assert.equal((await long)?.height, BASE.height + 1);
    } finally {
      await patient.close();
    }
  });

  test("a server that says nothing for some seconds does not end a command that connects to it", async () => {
    const url = await cluster.newUrl();
    cluster.freeze();
    const opened = openPostgresStore({ url });
    opened.catch(() => undefined);
    await wait(6000);
    cluster.thaw();
    const store = await opened;
    assert.equal(await store.tip(), null);
    await store.close();
  });

  test("a writer that was cut off while another one wrote does not write any more", async () => {
    const own = await engine();
    const store = await openPostgresStore({ url: own.url });
    await store.commitBase(BASE);
    const blocks = new ChainModel(5).many(2);
    await cluster.run(
      own.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = 'strand writer'
           AND pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory'
             AND objid::bigint = hashtext(current_schema())::bigint & 4294967295)`,
    );
    const other = await own.open();
    await other.commit(blocks.slice(0, 1), 10);
    await other.close();
    await assert.rejects(store.commit(blocks.slice(1), 10), /another process|does not answer/);
    await assert.rejects(store.commit(blocks.slice(1), 10), /another process has become the writer/);
    assert.match((await store.failed).message, /another process/);
    assert.deepEqual(
      store.conditions().map(({ code }) => code),
      ["WRITER_DEAD"],
    );
    assert.equal((await store.tip())?.height, BASE.height + 1);
    await store.close();
  });

  test("a database that took reads alone for a while is written again, by connections of then, too", async () => {
    const url = await cluster.newDatabase("und");
    const name = new URL(url).pathname.slice(1);
    const store = await openPostgresStore({ url });
    const [board, told] = [new LiveBoard(url, store.fence), [{ topic: "test", key: "one", body: "1" }]];
    try {
      await store.commitBase(BASE);
      const blocks = new ChainModel(6).many(2);
      // As hosts of databases do where the disk is nearly full.
      const base = await cluster.newUrl();
      await cluster.run(base, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      await cluster.run(
        base,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
      await assert.rejects(store.commit(blocks.slice(0, 1), 10));
      await assert.rejects(store.commit(blocks.slice(0, 1), 10), /does not answer|read-only/);
      await assert.rejects(board.publish(told), /read-only/);
      await cluster.run(base, `ALTER DATABASE ${name} RESET default_transaction_read_only`);
      const commit = (): Promise<boolean> =>
        store.commit(blocks, 10).then(
          () => true,
          () => false,
        );
      await until("it is written", commit, 20_000);
      assert.equal((await store.tip())?.height, BASE.height + 2);
      await board.publish(told);
    } finally {
      await board.close();
      await store.close();
    }
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
