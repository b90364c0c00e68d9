// A reorganisation takes a lock out of its block, and the node puts it back into its mempool: no deal goes back for the
// moment in which nobody has looked there (S-51).

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  accepted,
  evm,
  locked,
  ORDER,
  outputsOfOrder,
  scene,
  scriptOf,
  statuses,
} from "../../testkit/builders/swap-ledger/ledger-scene.ts";
import { bytesOf } from "../../testkit/bytes.ts";
import { pay, WatchStage } from "./watch-stage.ts";

test("S-51: a lock whose block is undone waits on, and its deal goes back when the node has dropped it", async () => {
  await using stage = await WatchStage.start(130);
  const { ledger, store } = await scene();
  const life = stage.live(undefined, {}, ledger);
  await life.settle();
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)], { finalHeight: 10 }));
  await life.settle();
  await life.mempool.look();
  const coin = stage.coin();
  const script = bytesOf(scriptOf(ledger, ORDER));
  const lock = pay(coin, [{ script, value: coin.value / 2n }]);
  stage.mine(lock);
  await life.settle();
  await life.mempool.look();
  const output = () => outputsOfOrder(ledger)[0];
  assert.equal(output()?.mined?.height, stage.height);
  const told = store.events.length;
  stage.reorganise(1, 2);
  await life.follow();
  assert.deepEqual([output()?.mined, output()?.inMempool], [null, true]);
  await life.mempool.look();
  await life.mempool.look();
  assert.deepEqual([output()?.mined, output()?.inMempool], [null, true], "it is there");
  const since = () => statuses(store).slice(told);
  assert.ok(!since().includes("deal USDC_LOCKED"), since().join());
  const rival = pay(coin, [], 1_000_000n);
  stage.mine(rival);
  await life.follow();
  await life.mempool.look();
  assert.deepEqual([output()?.mined, output()?.inMempool], [null, false]);
  assert.ok(since().includes("deal USDC_LOCKED"));
});
