// A seller posts where his lock is, in a block older than his order, and is answered. The process that has said so dies by
// SIGKILL before it has read that block: the next one reads it, and nobody has to post again. With either storage engine,
// and where the POST came to a process that does not write.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { until } from "../../testkit/until.ts";
import { Http } from "../../testkit/worlds/swap-stage/http.ts";
import { fund, party, payPearl, seededSecret, times } from "../../testkit/worlds/swap-stage/parties.ts";
import { htlcOf, openDeal, payLock, SWAPS } from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { endAll, health, type StartedProcess } from "./service-process.ts";
import { startRole } from "./swap-clients.ts";

/** Blocks older than this before an order's first fact are not read for it without a hint (S-53). */
const READ_BEFORE_S = 7200;
const SEED = 7;

interface Running {
  readonly strand: StartedProcess;
  readonly port: number;
}

async function kill({ strand }: Running): Promise<void> {
  process.kill(strand.workerPid(), "SIGKILL");
  await strand.ended;
}

describe("S-53: the block of an accepted lock is read, although the process died before it did", () => {
  let stage: SwapStage;
  let lock = { txid: "", vout: 0 };
  let deal = "";

  before(async () => {
    stage = await SwapStage.open();
    const [buyer, seller] = [party(stage, 1), party(stage, 2)];
    for (let coins = 0; coins < 2; coins += 1) await payPearl(stage, seller, 200_000_000n);
    await fund(stage, buyer, 5_000_000n);
    const at = await times(stage, 10 * 3600);
    const script = htlcOf(seededSecret(SEED).hashlock, buyer, seller, at.pearlRefundTime);
    lock = payLock(stage, seller, script, 100_000_000n);
    await stage.minePearl(1);
    await stage.moveTo(stage.pearlTime + READ_BEFORE_S + 600);
    deal = (await openDeal(stage, { buyer, seller }, SEED, { at })).dealHash;
    await stage.stopService();
  });

  after(async () => {
    await endAll();
    await stage.close();
  });

  /** Undefined where nobody answers yet. */
  async function shownLock({ port }: Running): Promise<unknown> {
    const answer = await new Http(`http://127.0.0.1:${port}`).get(`${SWAPS}/deals/${deal}`).catch(() => null);
    return answer?.body["pearl_lock_txid"];
  }

  async function started(role: string, url: string): Promise<Running> {
    const running = await startRole(stage, role, { "--database-url": url });
    await until(`${role} is well and knows the deal`, async () => {
      const isWell = (await health(running.port))?.["status"] === "ok";
      return isWell && (role === "index" || (await shownLock(running)) === null);
    });
    return running;
  }

  /** `writing`: the role that writes; `reader`: whether another process takes the POST. */
  async function killedAfterTheAnswer(writing: "start" | "index", url: string): Promise<void> {
    // All is read, so that the process after it has downloaded no block when the POST comes.
    const first = await started(writing, url);
    const reader = writing === "index" ? await started("serve", url) : null;
    first.strand.child.kill("SIGTERM");
    await first.strand.ended;
    const second = await started(writing, url);
    // Nobody can read a block now.
    stage.pearl.faults.damageBlocks({ offset: -1 });
    const http = new Http(`http://127.0.0.1:${(reader ?? second).port}`);
    const hint = { pearl_lock_txid: lock.txid, pearl_lock_vout: lock.vout };
    await until("the POST is accepted", async () => {
      const { status, text } = await http.post(`${SWAPS}/deals/${deal}/accept-lock`, hint);
      assert.ok(status === 200 || status === 503, text);
      return status === 200;
    });
    await kill(second);
    stage.pearl.faults.damageBlocks(null);
    const third = await startRole(stage, writing, { "--database-url": url });
    await until("the lock is seen", async () => (await shownLock(reader ?? third)) === lock.txid, 20_000);
    await kill(third);
    if (reader !== null) await kill(reader);
  }

  test("in a SQLite file", () =>
    killedAfterTheAnswer("start", `sqlite:${join(stage.folder, "old-lock.db")}`));

  describe("in PostgreSQL", needsPostgres(), () => {
    let cluster: PostgresCluster;
    before(async () => {
      cluster = await startPostgres();
    });
    after(() => cluster.stop());

    test("in one process", async () => killedAfterTheAnswer("start", await cluster.newUrl()));

    test("where a reader took the POST", async () => killedAfterTheAnswer("index", await cluster.newUrl()));
  });
});
