// The primary of PostgreSQL is lost with what its standby had not yet, and the standby is promoted at the same address.
// What a writer and readers remember of the lost server is not believed of the other one.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ErrandDesk, ErrandSender } from "../src/adapters/store-postgres/errands.ts";
import { LiveBoard } from "../src/adapters/store-postgres/live-rows.ts";
import { openPostgresReader } from "../src/adapters/store-postgres/postgres-reader.ts";
import { electPostgresWriter, openPostgresStore } from "../src/adapters/store-postgres/postgres-store.ts";
import type { EvmAddress } from "../src/primitives/brands.ts";
import type { SwapTransaction } from "../src/swaps/ledger/ports.ts";
import { needsPostgres, startPostgres } from "../testkit/doubles/postgres.ts";
import { BASE } from "../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../testkit/store-contract/chain-model.ts";
import { fact, swapTransaction } from "../testkit/store-contract/swap-drafts.ts";
import { until } from "../testkit/until.ts";

const IDENTITY = { network: "simnet", chainId: 31_337, escrow: `0x${"ab".repeat(20)}` as EvmAddress };

function telling(key: string): SwapTransaction {
  return swapTransaction({ put: [fact("ask", key, null, null)], told: { text: key } });
}

test(
  "a standby that lacks the newest is promoted: nobody goes by what is lost",
  needsPostgres(),
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "strand-address-"));
    const address = join(folder, "now");
    await using primary = await startPostgres({ durable: true });
    const own = await primary.newUrl();
    await using standby = await primary.startStandby();
    try {
      symlinkSync(primary.folder, address);
      const at = (place: string): string =>
        own.replace(encodeURIComponent(primary.folder), encodeURIComponent(place));
      const url = at(address);
      const blocks = new ChainModel(31).many(3);
      const writer = await openPostgresStore({ url });
      await writer.commitBase(BASE);
      await writer.swaps.initialise(IDENTITY);
      await writer.swaps.commit(telling("kept"));
      await writer.commit(blocks.slice(0, 1), 100);
      const replica = openPostgresReader({
        url: at(standby.folder),
        primaryUrl: url,
        onNotice: () => undefined,
      });
      await until("the standby has followed", async () =>
        replica.queries.state().then(
          ({ height }) => height === BASE.height + 1,
          () => false,
        ),
      );

      // How old the replica is, is told with what it tells.
      const all = { live: 0, fence: null, change: null };
      await until("the replica is a second old", async () => (await replica.look(all)).behindMs > 1000);

      // What comes now never reaches the standby.
      await standby.takeAway();
      await writer.swaps.commit(telling("lost"));
      await writer.commit(blocks.slice(1, 2), 100);
      const board = new LiveBoard(url, writer.fence);
      await board.publish([{ topic: "report", key: "", body: "lost" }]);
      const reader = openPostgresReader({ url, primaryUrl: url, onNotice: () => undefined });
      const { change } = await reader.storedSwaps();
      const seen = await reader.look({ live: 0, fence: null, change });
      assert.deepEqual(seen.changes, []);
      assert.equal(seen.behindMs, 0, "the primary lacks nothing");
      const lostEvents = (await reader.queries.eventBounds()).highest;
      const desk = new ErrandDesk(url, writer, async () => "from memory");
      const sender = new ErrandSender(url, 1000);
      assert.equal((await sender.ask("before")).kind, "answered");

      await primary.takeAway();
      await standby.bringBack();
      await standby.promote();
      rmSync(address);
      symlinkSync(standby.folder, address);
      assert.match((await writer.failed).message, /standby of PostgreSQL was promoted/);
      await assert.rejects(writer.commit(blocks.slice(2), 100), /promoted/);
      // Nobody is told what the writer remembers of the lost server.
      assert.notEqual((await sender.ask("after")).kind, "answered");
      await Promise.all([desk.close(), sender.close(), board.close(), writer.close()]);

      const { signal } = new AbortController();
      const next = await electPostgresWriter({ url }, { signal, onStandby: () => undefined });
      assert.ok(next !== null);
      assert.equal((await next.tip())?.height, BASE.height + 1);
      assert.deepEqual(await next.swaps.keys("ask"), ["kept"]);
      const behind = { live: seen.live.version, fence: seen.fence, change };
      assert.equal((await reader.look(behind)).changes, null, "the change is lost");
      await next.swaps.commit(telling("other"));
      await next.swaps.commit(telling("another"));
      const looked = await reader.look(behind);
      assert.equal(looked.changes, null, "another change has its number");
      assert.equal(looked.live.isWhole, true);
      await next.commit(blocks.slice(1), 100);
      assert.equal(
        await next.queries.eventGroupOf(lostEvents),
        null,
        "no other event has the id of a lost one",
      );
      assert.equal((await replica.queries.state()).height, BASE.height + 3);
      assert.deepEqual(await next.audit(), []);
      await Promise.all([reader.close(), replica.close(), next.close()]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test(
  "S-62: what a standby tells before it has replayed anything since its start is of any age",
  needsPostgres(),
  async () => {
    await using primary = await startPostgres({ durable: true });
    const own = await primary.newUrl();
    await using standby = await primary.startStandby();
    const store = await openPostgresStore({ url: own });
    const board = new LiveBoard(own, store.fence);
    const url = own.replace(encodeURIComponent(primary.folder), encodeURIComponent(standby.folder));
    const reader = openPostgresReader({ url, primaryUrl: own, onNotice: () => undefined });
    const all = { live: 0, fence: null, change: null };
    const tell = async (body: string): Promise<void> => {
      await board.publish([{ topic: "report", key: "", body }]);
      await until(`the standby tells the ${body} report`, async () => {
        const looked = await reader.look(all).catch(() => null);
        return looked?.live.rows.some((row) => row.body === body) === true;
      });
    };
    await tell("first");
    const first = await reader.look(all);
    await tell("second");
    await Promise.all([board.close(), store.close()]);
    // A start replays what comes after the last checkpoint, and nothing is committed after this one.
    await primary.run(own, "CHECKPOINT");
    const hasAll = "SELECT 1 FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()";
    await until("the standby has all", async () => (await primary.run(own, hasAll)) === 1);
    await primary.takeAway();
    await standby.run(url, "CHECKPOINT");
    await standby.takeAway();
    await standby.bringBack();
    const since = { live: first.live.version, fence: first.fence, change: null };
    const looked = await reader.look(since);
    assert.deepEqual(
      [looked.live.isWhole, looked.live.rows.map(({ body }) => body)],
      [false, ["second"]],
      "it is news to who has read the first one",
    );
    assert.equal(looked.behindMs, Number.POSITIVE_INFINITY);
    await reader.close();
  },
);
