// Behind one URL stand several nodes, of which some have not heard of a lock that others list: it is in the mempool, its
// deal does not go back and forth, and the seller is not told to lock once more (S-51, S-54).

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
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
import { liar } from "./liar.ts";
import { pay, WatchStage } from "./watch-stage.ts";

/** For so long a lock has to be missing. */
const MISSING_MS = 1000;

test("S-51: a lock that one look does not list and the next one does stays in the mempool, and one that stays away leaves it", async () => {
  await using stage = await WatchStage.start(130);
  const { ledger, store } = await scene();
  let hasHeard = true;
  const life = stage.live(
    (node) => liar(node, { mempoolTxids: async () => (hasHeard ? node.mempoolTxids() : []) }),
    {},
    ledger,
    { missingMs: MISSING_MS },
  );
  await life.settle();
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)], { finalHeight: 10 }));
  await life.settle();
  const coin = stage.coin();
  stage.send(pay(coin, [{ script: bytesOf(scriptOf(ledger, ORDER)), value: coin.value / 2n }]));
  await life.settle();
  const [output] = outputsOfOrder(ledger);
  assert.equal(output?.inMempool, true);
  const told = store.events.length;
  const since = () => statuses(store).slice(told);
  for (let look = 0; look < 6; look += 1) {
    hasHeard = !hasHeard;
    await life.mempool.look();
  }
  assert.deepEqual(since(), []);
  hasHeard = false;
  const begun = performance.now();
  while (since().length === 0) await life.mempool.look();
  assert.ok(performance.now() - begun >= MISSING_MS);
  assert.deepEqual(since(), ["bid BID_ACCEPTED", "deal USDC_LOCKED"]);
});

for (const [what, isStart] of [
  ["a start", true],
  ["blocks that are undone", false],
] as const)
  test(`S-51: a lock that the first look after ${what} does not list stays as long, and one that is listed again stays`, async () => {
    await using stage = await WatchStage.start(130);
    const { ledger, store } = await scene();
    let hasHeard = true;
    const start = () =>
      stage.live(
        (node) => liar(node, { mempoolTxids: async () => (hasHeard ? node.mempoolTxids() : []) }),
        {},
        ledger,
        { missingMs: MISSING_MS },
      );
    let life = start();
    await life.settle();
    await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)], { finalHeight: 10 }));
    await life.settle();
    const coin = stage.coin();
    const lock = pay(coin, [{ script: bytesOf(scriptOf(ledger, ORDER)), value: coin.value / 2n }]);
    if (isStart) stage.send(lock);
    else stage.mine(lock);
    await life.settle();
    const told = store.events.length;
    const since = () => statuses(store).slice(told);
    if (isStart) life = start();
    else stage.reorganise(1, 2);
    await life.follow();
    hasHeard = false;
    for (let look = 0; look < 3; look += 1) await life.mempool.look();
    assert.ok(!since().includes("deal USDC_LOCKED"), since().join());
    assert.equal(life.watch.standing().isMempoolRead, true, "nobody else waits for it");
    hasHeard = true;
    await life.mempool.look();
    hasHeard = false;
    const begun = performance.now();
    while (!since().includes("deal USDC_LOCKED")) await life.mempool.look();
    assert.ok(performance.now() - begun >= MISSING_MS);
  });

test("S-51: a lock that its block had taken out of the mempool is missing from when that block is undone, not from when it was mined", async () => {
  await using stage = await WatchStage.start(130);
  const { ledger, store } = await scene();
  const life = stage.live(
    (node) => liar(node, { mempoolTxids: async () => (isListed ? node.mempoolTxids() : []) }),
    {},
    ledger,
    { missingMs: MISSING_MS },
  );
  let isListed = true;
  await life.settle();
  await ledger.applyEvm(evm(10, [locked("a", 10), accepted("a", 10)], { finalHeight: 10 }));
  await life.settle();
  const coin = stage.coin();
  const lock = pay(coin, [{ script: bytesOf(scriptOf(ledger, ORDER)), value: coin.value / 2n }]);
  stage.send(lock);
  await life.settle();
  isListed = false;
  stage.mine(lock);
  await life.settle();
  const told = store.events.length;
  await sleep(0.7 * MISSING_MS);
  stage.reorganise(1, 2);
  await life.follow();
  const begun = performance.now();
  while (!statuses(store).slice(told).includes("deal USDC_LOCKED")) await life.mempool.look();
  assert.ok(performance.now() - begun >= MISSING_MS);
});
