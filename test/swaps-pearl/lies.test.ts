// A lying node is refused, named and never believed: damaged bodies, other blocks, headers that are none, hashes that
// do not fit together. And when the watch runs by itself, a new block is told without a poll.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { BlockHash } from "../../src/primitives/brands.ts";
import { liar } from "./liar.ts";
import { watchedOrder, pay, WatchStage } from "./watch-stage.ts";
import { until } from "../../testkit/until.ts";

const AMOUNT = 1_000_000n;

describe("a lying node", () => {
  let stage: WatchStage;
  before(async () => {
    stage = await WatchStage.start(125);
    stage.ledger.know(watchedOrder(80).watched, stage.now);
    await stage.live().settle();
  });
  after(async () => {
    await stage.close();
  });

  test("a body with one flipped byte is refused by name, wherever the byte is, and asked for again", async () => {
    const { ledger } = stage;
    const one = watchedOrder(81);
    ledger.know(one.watched, stage.now);
    const life = stage.live();
    await life.settle();
    const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    const hash = stage.mine(lock);
    const size = (stage.node.rawBlock(hash)?.length ?? 0) / 2;
    const earlier = ledger.tips().pearl;
    // The certificate (45 bytes on simnet) is no part of what the hash covers.
    for (let offset = 46; offset < size; offset += 7) {
      stage.node.faults.damageBlocks({ hash, offset, times: 1 });
      await assert.rejects(life.follow(), new RegExp(`getblock ${hash} 0.*refused`));
      assert.deepEqual(ledger.tips().pearl, earlier, `byte ${offset}`);
    }
    stage.node.faults.damageBlocks(null);
    await life.follow();
    assert.ok(ledger.lines().some((line) => line.endsWith(`output ${lock.txid}:0 ${AMOUNT}`)));
  });

  test("a body damaged while older blocks are read is refused, and the script stays uncovered", async () => {
    const { ledger } = stage;
    const one = watchedOrder(82);
    const lock = pay(stage.coin(), [{ script: one.lock.script, value: AMOUNT }]);
    const life = stage.live();
    const hash = stage.mine(lock);
    await stage.live().follow();
    await life.follow();
    stage.node.faults.damageBlocks({ hash, offset: -1, times: 1 });
    ledger.know(one.watched, stage.now - 60);
    await assert.rejects(life.follow(), /refused/);
    assert.ok(!ledger.isCovered);
    await life.follow();
    assert.ok(ledger.isCovered);
    assert.ok(ledger.lines().some((line) => line.endsWith(`output ${lock.txid}:0 ${AMOUNT}`)));
  });

  test("another block's body and another block's header are refused", async () => {
    const { ledger } = stage;
    let isLying = true;
    const other = stage.node.chain.index.at(5)?.hash as BlockHash;
    const life = stage.live((node) =>
      liar(node, {
        rawBlock: (hash) => node.rawBlock(isLying ? other : hash),
        rawHeaders: (hashes) => node.rawHeaders(isLying ? hashes.map(() => other) : hashes),
      }),
    );
    stage.mineEmpty(1);
    const earlier = ledger.tips().pearl;
    await assert.rejects(life.follow(), /HASH_MISMATCH/);
    stage.mineEmpty(3);
    await assert.rejects(life.follow(), /HASH_MISMATCH/);
    assert.deepEqual(ledger.tips().pearl, earlier);
    isLying = false;
    await life.follow();
    assert.equal(ledger.tips().pearl.height, stage.height);
  });

  test("a node that names no hashes, or other ones by height than by tip, undoes nothing", async () => {
    const { ledger } = stage;
    let lie: "none" | "null" | "other" = "none";
    const life = stage.live((node) =>
      liar(node, {
        blockHash: async (height) => {
          if (lie === "null") return null;
          return lie === "other" ? node.blockHash(height - 1) : node.blockHash(height);
        },
      }),
    );
    await life.follow();
    const told = ledger.changes.filter(({ rewindTo }) => rewindTo !== null).length;
    const earlier = ledger.tips().pearl;
    stage.mineEmpty(4);
    for (const now of ["null", "other"] as const) {
      lie = now;
      await assert.rejects(life.follow());
      assert.deepEqual(ledger.tips().pearl, earlier);
    }
    lie = "none";
    await life.follow();
    assert.equal(ledger.tips().pearl.height, stage.height);
    assert.equal(ledger.changes.filter(({ rewindTo }) => rewindTo !== null).length, told);
  });

  test("a ledger that refuses a change is asked what it has, and the change is made again", async () => {
    const { ledger } = stage;
    const life = stage.live();
    await life.follow();
    const apply = ledger.applyPearl.bind(ledger);
    for (const isMade of [false, true]) {
      stage.mineEmpty(2);
      ledger.applyPearl = async (change) => {
        ledger.applyPearl = apply;
        if (isMade) await apply(change);
        throw new Error("the disk is full");
      };
      await assert.rejects(life.follow(), /disk is full/);
      await life.follow();
      assert.equal(ledger.tips().pearl.height, stage.height);
      assert.equal(ledger.checkpoints("pearl")[0]?.hash, stage.node.chain.tip.hash);
    }
  });

  test("by itself: a new block is in the ledger without any poll, and a silent node is got over", async () => {
    const { ledger } = stage;
    // Nothing but the node's word can wake the watch: every pause is longer than the patience of this test.
    const life = stage.live(undefined, { idleMs: 600_000, pollMs: 600_000 });
    const stop = new AbortController();
    const running = life.watch.run(stop.signal);
    const isRead = (): boolean => ledger.tips().pearl.height === stage.height;
    try {
      await stage.subscribed();
      for (let i = 0; i < 5; i += 1) {
        stage.mineEmpty(1);
        await until("a new block in the ledger", isRead);
      }
      stage.node.faults.answerBusy(4);
      stage.mineEmpty(1);
      await until("a new block after a silence", isRead);
      await until("the connections", () => life.watch.standing().connections !== null);
      assert.equal(life.watch.standing().connections, 8);
    } finally {
      stop.abort();
      await running;
    }
  });

  test("A-127: an older block that the node does not give is told of, whatever new blocks come meanwhile", async () => {
    const { ledger } = stage;
    const hash = stage.mine();
    stage.mineEmpty(1);
    const told: (readonly string[])[] = [];
    let isPruned = true;
    const life = stage.live(
      (node) =>
        liar(node, {
          rawBlock: async (asked) => {
            if (!isPruned || asked !== hash) return node.rawBlock(asked);
            told.push(life.watch.conditions().map(({ code }) => code));
            throw new Error("pruned");
          },
        }),
      { stuckMs: 0, retryMinMs: 1, retryMaxMs: 5 },
    );
    await stage.live().follow();
    ledger.know(watchedOrder(83).watched, stage.now - 60);
    const stop = new AbortController();
    const running = life.watch.run(stop.signal);
    try {
      for (let i = 0; i < 3; i += 1) {
        stage.mineEmpty(1);
        await until("a new block", () => ledger.tips().pearl.height === stage.height);
        const count = told.length;
        await until("further questions for the old one", () => told.length > count + 2);
      }
      assert.deepEqual(new Set(told.slice(1).map(String)), new Set(["SWAPS_STALLED"]));
      isPruned = false;
      await until("its end", () => ledger.isCovered && life.watch.conditions().length === 0);
    } finally {
      stop.abort();
      await running;
    }
  });
});
