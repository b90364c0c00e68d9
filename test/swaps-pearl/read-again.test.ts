// Blocks are read again where somebody has asked for it (S-53), whatever becomes of the pass for scripts.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
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
});
