// What a writer and readers tell each other through PostgreSQL: who writes, the present, changes of swaps, and errands.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { ErrandDesk, ErrandSender } from "../src/adapters/store-postgres/errands.ts";
import { OtherSchema } from "../src/adapters/store-postgres/migrate.ts";
import { LiveBoard } from "../src/adapters/store-postgres/live-rows.ts";
import {
  type OpenedPostgresReader,
  openPostgresReader,
} from "../src/adapters/store-postgres/postgres-reader.ts";
import {
  electPostgresWriter,
  type OpenedPostgresStore,
  openPostgresStore,
} from "../src/adapters/store-postgres/postgres-store.ts";
import { Session } from "../src/adapters/store-postgres/session.ts";
import type { EvmAddress } from "../src/primitives/brands.ts";
import type { SwapTransaction } from "../src/swaps/ledger/ports.ts";
import { NothingWritten } from "../src/swaps/ledger/ports.ts";
import { postgresWire } from "../testkit/doubles/postgres-wire.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../testkit/doubles/postgres.ts";
import { BASE } from "../testkit/store-contract/chain-facts.ts";
import { fact, swapTransaction } from "../testkit/store-contract/swap-drafts.ts";
import { until } from "../testkit/until.ts";

const IDENTITY = { network: "simnet", chainId: 31_337, escrow: `0x${"ab".repeat(20)}` as EvmAddress };

function storing(key: string, told: SwapTransaction["told"] = null): SwapTransaction {
  return swapTransaction({ put: [fact("ask", key, null, null)], told });
}

function reader(url: string, onNotice: () => void = () => undefined): OpenedPostgresReader {
  return openPostgresReader({ url, primaryUrl: url, onNotice });
}

describe("writer and readers over PostgreSQL", needsPostgres(), () => {
  let cluster: PostgresCluster;
  before(async () => {
    cluster = await startPostgres();
  });
  after(() => cluster.stop());

  async function withWriter(job: (store: OpenedPostgresStore, url: string) => Promise<void>): Promise<void> {
    const url = await cluster.newUrl();
    const store = await openPostgresStore({ url });
    try {
      await store.swaps.initialise(IDENTITY);
      await job(store, url);
    } finally {
      await store.close();
    }
  }

  test("of two candidates the second waits, takes over when the first is gone, and the first cannot write any more", async () => {
    const url = await cluster.newUrl();
    const { signal } = new AbortController();
    const first = await electPostgresWriter({ url }, { signal, onStandby: () => undefined });
    assert.ok(first !== null);
    await first.commitBase(BASE);
    let hasWaited = false;
    const second = electPostgresWriter({ url }, { signal, onStandby: () => (hasWaited = true) });
    await until("the second waits", async () => hasWaited);
    // As when its machine is gone: the server ends the connection.
    await cluster.run(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
         AND objid = (hashtext(current_schema())::bigint & 4294967295)::oid`,
    );
    const successor = await second;
    assert.ok(successor !== null);
    assert.equal(successor.fence, first.fence + 1);
    await assert.rejects(first.wipe(), /another process has become the writer/);
    assert.match((await first.failed).message, /another process/);
    assert.equal((await successor.tip())?.height, BASE.height);
    await Promise.all([first.close(), successor.close()]);
  });

  test("a machine that goes while it tells readers of the present keeps the next writer from nothing", async () => {
    const url = await cluster.newUrl();
    const first = await openPostgresStore({ url });
    const wire = await postgresWire(cluster.folder, "INSERT INTO live");
    const board = new LiveBoard(wire.through(url), first.fence);
    // The server has the transaction, which holds the row of the writer, and hears nothing more of its client.
    const told = board.publish([{ topic: "report", key: "", body: "1" }]).catch(() => undefined);
    await wire.isCut;
    await first.close();
    const { signal } = new AbortController();
    const elected = electPostgresWriter({ url }, { signal, onStandby: () => undefined });
    try {
      const waited = await Promise.race([elected, wait(10_000, "still waiting", { ref: false })]);
      assert.notEqual(waited, "still waiting");
    } finally {
      wire.close();
      await (await elected)?.close();
      await Promise.all([told, board.close()]);
    }
  });

  test("waiting for the lock ends by the signal", async () => {
    await withWriter(async (_, url) => {
      const stop = new AbortController();
      const elected = electPostgresWriter({ url }, { signal: stop.signal, onStandby: () => stop.abort() });
      assert.equal(await elected, null);
    });
  });

  test("a reader sees each change of the present once, and everything where it comes late", async () => {
    await withWriter(async (store, url) => {
      let notices = 0;
      const reading = reader(url, () => (notices += 1));
      const board = new LiveBoard(url, store.fence);
      await until("the reader listens", async () => notices > 0);
      const heard = notices;
      await board.publish([
        { topic: "mempool", key: "a", body: "1" },
        { topic: "mempool", key: "b", body: "1" },
      ]);
      await until("the reader is told", async () => notices > heard);
      const whole = await reading.look({ live: 0, fence: null, change: null });
      assert.equal(whole.live.isWhole, true);
      assert.deepEqual(whole.live.rows.map(({ key }) => key).toSorted(), ["a", "b"]);
      await board.publish([{ topic: "mempool", key: "a", body: null }]);
      const next = await reading.look({ live: whole.live.version, fence: null, change: null });
      assert.deepEqual(next.live.rows, [{ topic: "mempool", key: "a", body: null }]);
      assert.equal(next.live.isWhole, false);
      assert.deepEqual(
        (await reading.look({ live: next.live.version, fence: null, change: null })).live.rows,
        [],
      );
      await cluster.run(url, "SELECT setval('live_version', 100000)");
      await board.publish([{ topic: "mempool", key: "c", body: "1" }]);
      const late = await reading.look({ live: next.live.version, fence: null, change: null });
      assert.equal(late.live.isWhole, true);
      // The board of a later writer takes back what it does not know itself.
      await cluster.run(url, "UPDATE writer SET fence = fence + 1");
      await assert.rejects(board.publish([]), /another process has become the writer/);
      const later = new LiveBoard(url, store.fence + 1);
      await later.publish([{ topic: "mempool", key: "c", body: "2" }]);
      const changed = await reading.look({ live: late.live.version, fence: null, change: null });
      assert.deepEqual(changed.live.rows.map(({ key, body }) => `${key} ${body}`).toSorted(), [
        "b null",
        "c 2",
      ]);
      await Promise.all([board.close(), later.close(), reading.close()]);
    });
  });

  test("changes of swaps are followed in order; a gap says that all must be read again", async () => {
    await withWriter(async (store, url) => {
      const reading = reader(url);
      await store.swaps.commit(storing("one", { text: "first" }));
      const { change, facts } = await reading.storedSwaps();
      assert.deepEqual(
        facts.map(({ key }) => key),
        ["one"],
      );
      await store.swaps.commit(storing("two", { text: "second" }));
      await store.swaps.commit(storing("three", { text: "third" }));
      const { changes } = await reading.look({ live: 0, fence: null, change });
      assert.deepEqual(
        changes?.map(({ text }) => text),
        ["second", "third"],
      );
      await cluster.run(url, "DELETE FROM swap_change WHERE body = 'second'");
      assert.equal((await reading.look({ live: 0, fence: null, change })).changes, null);
      // A wipe leaves a gap behind everything.
      const newest = (await reading.storedSwaps()).change;
      await store.wipe();
      assert.equal((await reading.look({ live: 0, fence: null, change: newest })).changes, null);
      await reading.close();
    });
  });

  test("a reader does not read rows of another schema", async () => {
    await withWriter(async (_, url) => {
      const reading = reader(url);
      const since = { live: 0, fence: null, change: null };
      await reading.look(since);
      await cluster.run(
        url,
        "INSERT INTO schema_version (version, name) VALUES (1000, 'of a newer program')",
      );
      await assert.rejects(reading.look(since), OtherSchema);
      await assert.rejects(reading.storedSwaps(), /schema 1000/);
      await cluster.run(
        url,
        "DELETE FROM schema_version WHERE version IN (1000, (SELECT max(version) FROM schema_version WHERE version < 1000))",
      );
      await assert.rejects(reading.look(since), OtherSchema);
      await reading.close();
    });
  });

  test("a change that is too long to be told leaves a gap: what is stored is read again", async () => {
    await withWriter(async (store, url) => {
      const reading = reader(url);
      await store.swaps.commit(storing("one", { text: "the first" }));
      let { change } = await reading.storedSwaps();
      for (const tooLong of ["x".repeat(1_000_001), null]) {
        await store.swaps.commit(storing("two", { text: tooLong }));
        assert.equal((await reading.look({ live: 0, fence: null, change })).changes, null);
        ({ change } = await reading.storedSwaps());
        await store.swaps.commit(storing("three", { text: "the next" }));
        const { changes } = await reading.look({ live: 0, fence: null, change });
        assert.deepEqual(
          changes?.map(({ text }) => text),
          ["the next"],
        );
      }
      await reading.close();
    });
  });

  test("of many long changes a look reads some, and the next one those behind them", async () => {
    await withWriter(async (store, url) => {
      const reading = reader(url);
      let { change } = await reading.storedSwaps();
      for (let at = 0; at < 20; at += 1)
        await store.swaps.commit(storing(`${at}`, { text: `${at} ${"x".repeat(990_000)}` }));
      const counts: number[] = [];
      let next = 0;
      for (let looks = 0; looks < 20 && next < 20; looks += 1) {
        const { changes } = await reading.look({ live: 0, fence: null, change });
        assert.ok(changes !== null && changes.length > 0);
        for (const one of changes) {
          assert.ok(one.text.startsWith(`${next} x`));
          next += 1;
          change = one;
        }
        counts.push(changes.length);
      }
      assert.equal(next, 20);
      assert.ok(Math.max(...counts) < 10, `looks read ${counts.join(", ")} changes`);
      assert.deepEqual((await reading.look({ live: 0, fence: null, change })).changes, []);
      await reading.close();
    });
  });

  test("an errand is answered; without a writer it is given up, and what it asked for cannot be stored any more", async () => {
    await withWriter(async (store, url) => {
      const sender = new ErrandSender(url, 1500);
      const asks: string[] = [];
      const { promise: isGivenUp, resolve: giveUp } = Promise.withResolvers<void>();
      const { promise: tried, resolve: end } = Promise.withResolvers<unknown>();
      const desk = new ErrandDesk(url, store, async (question) => {
        asks.push(question);
        if (question === "slow") {
          await isGivenUp;
          await store.swaps.commit(storing("slow")).then(() => end(null), end);
        } else await store.swaps.commit(storing(question));
        return `did ${question}`;
      });
      const answers = await Promise.all(["a", "b", "c"].map((question) => sender.ask(question)));
      assert.deepEqual(
        answers,
        ["a", "b", "c"].map((question) => ({ kind: "answered", answer: `did ${question}` })),
      );
      assert.deepEqual(asks.toSorted(), ["a", "b", "c"]);
      assert.deepEqual(await sender.ask("slow"), { kind: "given up" });
      giveUp();
      assert.ok((await tried) instanceof NothingWritten);
      assert.deepEqual((await store.swaps.keys("ask")).toSorted(), ["a", "b", "c"]);
      await desk.close();
      assert.deepEqual(await sender.ask("nobody"), { kind: "given up" });
      await sender.close();
    });
  });

  test("however many errands are sent at once, and however often the server was away, they have one connection", async () => {
    await withWriter(async (_, url) => {
      const sender = new ErrandSender(url, 50);
      const all = () => Promise.all(Array.from({ length: 20 }, () => sender.ask("who answers?")));
      const connections = "SELECT FROM pg_stat_activity WHERE application_name = 'strand errands'";
      assert.ok((await all()).every(({ kind }) => kind === "given up"));
      assert.equal(await cluster.run(url, connections), 1);
      await cluster.run(url, connections.replace("SELECT", "SELECT pg_terminate_backend(pid)"));
      // The first of these may still find the connection that was lost.
      await all();
      await all();
      assert.equal(await cluster.run(url, connections), 1);
      await sender.close();
    });
  });

  test("what tells of the moment leaves no connection behind where a standby is away, or somebody holds its rows", async () => {
    await withWriter(async (store, url) => {
      // As an operator sets it, who waits for a standby; and none is there.
      const waiting = url.replace("-c%20search_path", "-c%20synchronous_commit%3Don%20-c%20search_path");
      await cluster.run(url, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
      await cluster.run(url, "SELECT pg_reload_conf()");
      const board = new LiveBoard(waiting, store.fence);
      const sender = new ErrandSender(waiting, 100);
      const connections =
        "SELECT FROM pg_stat_activity WHERE application_name IN ('strand board', 'strand errands')";
      try {
        await board.publish([{ topic: "report", key: "", body: "1" }]);
        assert.deepEqual(await sender.ask("who answers?"), { kind: "given up" });
        const session = await Session.open(url, "strand test");
        await session.exec("BEGIN; UPDATE live SET body = '2'");
        for (let tries = 0; tries < 2; tries += 1)
          await assert.rejects(board.publish([{ topic: "report", key: "", body: "3" }]));
        await until(
          "the server sees that nobody waits",
          async () => (await cluster.run(url, connections)) === 1,
          5000,
        );
        await session.close();
      } finally {
        await cluster.run(url, "ALTER SYSTEM RESET synchronous_standby_names");
        await cluster.run(url, "SELECT pg_reload_conf()");
        await Promise.all([board.close(), sender.close()]);
      }
    });
  });

  test("an errand whose writer is killed is carried out by the next one, and stored once", async () => {
    await withWriter(async (store, url) => {
      const sender = new ErrandSender(url);
      const { promise: isStored, resolve: stored } = Promise.withResolvers<void>();
      const dead = new ErrandDesk(url, store, async () => {
        await store.swaps.commit(storing("ask"));
        stored();
        // It never comes to its answer.
        return new Promise<string>(() => {});
      });
      const asked = sender.ask("ask");
      await isStored;
      await cluster.run(url, "UPDATE writer SET fence = fence + 1");
      const next = new ErrandDesk(
        url,
        { fence: store.fence + 1, confirmed: async () => undefined },
        async () => "there already",
      );
      assert.deepEqual(await asked, { kind: "answered", answer: "there already" });
      assert.deepEqual(await store.swaps.keys("ask"), ["ask"]);
      await Promise.all([dead.close(), next.close(), sender.close()]);
    });
  });
});
