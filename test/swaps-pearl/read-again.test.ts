// Blocks are read again where somebody has asked for it (S-53), whatever becomes of the pass for scripts.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { until } from "../../testkit/until.ts";
import { liar } from "./liar.ts";
import { pay, watchedOrder, WatchStage } from "./watch-stage.ts";

const AMOUNT = 1_000_000n;

describe("blocks that are to be read again", () => {
  let stage: WatchStage;
  before(async () => {
    stage = await WatchStage.start(130);
  });
  after(async () => {
    await stage.close();
  });

  test("S-53: blocks are read again although those of a script cannot be had", async () => {
    const { ledger } = stage;
    const [old, fresh] = [watchedOrder(78), watchedOrder(79)];
    const missing = stage.node.chain.index.at(5)?.hash;
    const said = { isPruned: true };
    const life = stage.live(
      (node) =>
        liar(node, {
          rawBlock: (hash) =>
            said.isPruned && hash === missing ? Promise.reject(new Error("pruned")) : node.rawBlock(hash),
        }),
      { backscanBlocks: 4 },
    );
    await life.follow();
    const lock = pay(stage.coin(), [{ script: fresh.lock.script, value: AMOUNT }]);
    stage.mine(lock);
    const { height } = stage;
    stage.mineEmpty(9);
    await life.follow();
    ledger.know(fresh.watched, stage.now + 7200);
    await life.follow();
    assert.ok(!ledger.lines().some((line) => line.includes(lock.txid)));
    ledger.know(old.watched, 0);
    ledger.reread(height);
    for (let tries = 0; tries < 6; tries += 1) await assert.rejects(life.follow(), /pruned/);
    assert.ok(ledger.lines().some((line) => line.includes(`output ${lock.txid}:0`)));
    assert.equal(ledger.rereads.size, 0);
    assert.ok(!ledger.isCovered);
    said.isPruned = false;
    await life.follow();
    assert.ok(ledger.isCovered);
  });

  test("S-53: that blocks above the tip are to be read again is settled at once", async () => {
    const { ledger } = stage;
    const life = stage.live();
    await life.follow();
    ledger.reread(stage.height + 1);
    await life.follow();
    assert.equal(ledger.rereads.size, 0);
  });

  test("S-53: any number of notes is one pass, from the lowest block on", async () => {
    const { ledger } = stage;
    const life = stage.live();
    await life.follow();
    for (let note = 1; note <= 150_000; note += 1) ledger.rereads.set(String(note), stage.height + 1);
    await life.follow();
    assert.equal(ledger.rereads.size, 0);
  });

  test("S-53: new blocks are read at once while older ones cannot be had", async () => {
    const { ledger } = stage;
    const missing = stage.node.chain.index.at(5)?.hash;
    const life = stage.live(
      (node) =>
        liar(node, {
          rawBlock: (hash) => (hash === missing ? Promise.reject(new Error("pruned")) : node.rawBlock(hash)),
        }),
      { retryMinMs: 60_000, retryMaxMs: 60_000 },
    );
    ledger.know(watchedOrder(80).watched, 0);
    const stop = new AbortController();
    const running = life.watch.run(stop.signal);
    try {
      await until("the old block is missed", () => life.warnings.some((line) => line.includes("pruned")));
      stage.mineEmpty(1);
      await until("the new one is read", () => ledger.tips().pearl.height === stage.height, 20_000);
    } finally {
      stop.abort();
      await running;
    }
  });
});
