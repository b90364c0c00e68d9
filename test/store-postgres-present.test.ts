// What the writer tells of the present through PostgreSQL is what a reader goes by until something else is told.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LiveBoard } from "../src/adapters/store-postgres/live-rows.ts";
import { openPostgresReader, type ReaderMark } from "../src/adapters/store-postgres/postgres-reader.ts";
import { openPostgresStore } from "../src/adapters/store-postgres/postgres-store.ts";
import { TOPICS } from "../src/app/publish-report.ts";
import { noteBalances, ToldPresent } from "../src/app/told-present.ts";
import { handClock } from "../testkit/doubles/clock.ts";
import { notingLedger } from "../testkit/doubles/noting-ledger.ts";
import { needsPostgres, startPostgres } from "../testkit/doubles/postgres.ts";

const OPERATION = {
  txid: "ab".repeat(32),
  vout: 0,
  op: "mint",
  tick: "SAND",
  from: "rprl1p",
  to: null,
  listingId: null,
  payloadJson: "{}",
};

describe("the present over PostgreSQL", needsPostgres(), () => {
  test("H-38: what a reader was told of the mempool and of balances stands while nothing new is told", async () => {
    await using cluster = await startPostgres();
    const url = await cluster.newUrl();
    const store = await openPostgresStore({ url });
    const reading = openPostgresReader({ url, primaryUrl: url, onNotice: () => undefined });
    const board = new LiveBoard(url, store.fence);
    const present = new ToldPresent(
      handClock(() => 0),
      null,
    );
    const balances = new Map<string, number>();
    const ledger = notingLedger(balances);
    let mark: ReaderMark = { live: 0, fence: null, change: null };
    const look = async (): Promise<boolean> => {
      const { live, fence } = await reading.look(mark);
      mark = { live: live.version, fence, change: null };
      present.tell(live.rows, live.isWhole);
      noteBalances(ledger, live.rows, live.isWhole);
      return live.isWhole;
    };
    const shown = () => [present.snapshot().rows.map(({ tick }) => tick), [...balances]];
    try {
      assert.equal(await look(), true);
      await board.publish([
        { topic: TOPICS.mempool, key: OPERATION.txid, body: JSON.stringify([OPERATION]) },
        { topic: TOPICS.balance, key: "rprl1p", body: "7" },
      ]);
      await look();
      const told = [["SAND"], [["rprl1p", 7]]];
      assert.deepEqual(shown(), told);
      const { version } = present.snapshot();
      const isAnew = await look();
      assert.deepEqual(shown(), told);
      assert.deepEqual([isAnew, present.snapshot().version], [false, version]);
      // A database that was put back from before anything was told is another one.
      await cluster.run(url, "DELETE FROM live");
      assert.equal(await look(), true);
      assert.deepEqual(shown(), [[], []]);
    } finally {
      await Promise.all([board.close(), reading.close(), store.close()]);
    }
  });
});
