// A node hangs over an old block that is read for a script that has become known late (S-53): new blocks are read meanwhile,
// the old one is asked for once, and that it is missing is told.

import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../testkit/until.ts";
import { liar } from "./liar.ts";
import { pay, watchedOrder, WatchStage } from "./watch-stage.ts";

const AMOUNT = 1_000_000n;
/** Far less than an answer may take, far more than a round does. */
const SOON_MS = 10_000;

test("S-53: new blocks do not wait for an old one over which the node hangs", async () => {
  await using stage = await WatchStage.start(130);
  const { ledger } = stage;
  const [early, late] = [watchedOrder(81), watchedOrder(82)];
  const lock = pay(stage.coin(), [{ script: late.lock.script, value: AMOUNT }]);
  stage.mine(lock);
  const hanging = stage.node.chain.index.at(stage.height)?.hash;
  stage.mineEmpty(8);
  const answering = Promise.withResolvers<void>();
  let asked = 0;
  const life = stage.live(
    (node) =>
      liar(node, {
        rawBlock: async (hash) => {
          if (hash === hanging) {
            asked += 1;
            await answering.promise;
          }
          return node.rawBlock(hash);
        },
      }),
    { backscanMs: 20, stuckMs: 1000 },
  );
  ledger.know(early.watched, stage.now + 7200);
  await life.follow();
  ledger.know(late.watched, 0);
  const stop = new AbortController();
  const running = life.watch.run(stop.signal);
  try {
    await until("the old block is asked for", () => asked > 0, SOON_MS);
    for (let blocks = 0; blocks < 3; blocks += 1) {
      const seen = pay(stage.coin(), [{ script: early.lock.script, value: AMOUNT }]);
      stage.mine(seen);
      await until("a new block is read", () => ledger.tips().pearl.height === stage.height, SOON_MS);
      assert.ok(ledger.lines().some((line) => line.includes(`output ${seen.txid}:0`)));
    }
    await until(
      "what is missing is told",
      () => life.watch.conditions().some(({ code }) => code === "SWAPS_STALLED"),
      SOON_MS,
    );
    assert.ok(!ledger.isCovered);
    assert.equal(asked, 1);
    answering.resolve();
    await until("the old blocks are read", () => ledger.isCovered, SOON_MS);
    assert.ok(ledger.lines().some((line) => line.includes(`output ${lock.txid}:0`)));
    await until("nothing is told any more", () => life.watch.conditions().length === 0, SOON_MS);
    assert.equal(asked, 1);
  } finally {
    answering.resolve();
    stop.abort();
    await running;
  }
});

test("S-53: a node that takes long for each old block does not count as one that stands still", async () => {
  await using stage = await WatchStage.start(130);
  const life = stage.live(
    (node) =>
      liar(node, {
        rawBlock: async (hash) => {
          await new Promise((resolve) => setTimeout(resolve, 300));
          return node.rawBlock(hash);
        },
      }),
    { backscanMs: 20, stuckMs: 1500 },
  );
  await life.follow();
  stage.mineEmpty(20);
  await life.follow();
  stage.ledger.know(watchedOrder(83).watched, stage.now - 60);
  const stop = new AbortController();
  const running = life.watch.run(stop.signal);
  try {
    await until("the old blocks are read", () => {
      assert.deepEqual(life.watch.conditions(), []);
      return stage.ledger.isCovered;
    });
  } finally {
    stop.abort();
    await running;
  }
});
