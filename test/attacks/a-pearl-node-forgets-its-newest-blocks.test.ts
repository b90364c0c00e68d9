// A PEARL node that was killed offers the beginning of our chain (S-05). Nothing may be undone, nothing said on blocks
// that it no longer has, and everything has to come back with them, or with another branch.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ScriptHex } from "../../src/primitives/brands.ts";
import { StoreUnavailable } from "../../src/index/ports.ts";
import { settle } from "../../testkit/doubles/clock.ts";
import { PearlPort, viewOfCore } from "../../testkit/doubles/pearl-port.ts";
import { AMOUNT, K, PearlChain, PearlStage } from "./pearl-stage.ts";

const doNothing = async (): Promise<void> => undefined;

/**
 * A lock with `deep` confirmations, verified where that is enough. `beforeBlocks` sets what is done before a block is given,
 * `beforeHashes` what before the hash at a height is.
 */
async function staged(deep: number) {
  const chain = new PearlChain();
  let requests = 0;
  let [beforeBlock, beforeHash] = [doNothing, doNothing];
  let failing = "nothing";
  const counted = new PearlPort(viewOfCore(chain.core), async (request, answer) => {
    requests += 1;
    if (request.startsWith("block ")) await beforeBlock();
    if (request.startsWith("hash ")) await beforeHash();
    if (request.startsWith(failing)) throw new Error("not now");
    return answer(null);
  });
  const stage = await PearlStage.over(counted);
  await stage.follow();
  const lock = chain.payment(5, stage.script, AMOUNT);
  chain.mine([lock.raw]);
  chain.mineEmpty(deep - 1);
  await stage.follow();
  const beforeBlocks = (what: () => Promise<void>): void => {
    beforeBlock = what;
  };
  const beforeHashes = (what: () => Promise<void>): void => {
    beforeHash = what;
  };
  /** Requests that begin so fail from now on. */
  const fail = (kind: string): void => {
    failing = kind;
  };
  return { chain, stage, requests: () => requests, beforeBlocks, beforeHashes, fail };
}

/**
 * Follows while the next block waits at a gate. The node leaves the lock's blocks and that one when it is asked for the third
 * time whether it has ours.
 */
async function leftMeanwhile({
  chain,
  stage,
  beforeBlocks,
  beforeHashes,
}: Awaited<ReturnType<typeof staged>>) {
  const gate = Promise.withResolvers<void>();
  beforeBlocks(() => gate.promise);
  let asked = 0;
  beforeHashes(async () => {
    asked += 1;
    if (asked !== 3) return;
    chain.forget(K + 1);
    chain.mineEmpty(K + 2, 1);
  });
  const following = stage.follow(1).catch(() => 0);
  await settle();
  assert.ok(asked >= 3, `asked ${asked} times`);
  assert.equal((await stage.told()).verdict, "INDEXER_NOT_SYNCED");
  return { gate, following };
}

describe("S-05: a node that fell back", () => {
  for (const depth of [1, 5, 25]) {
    test(`${depth} blocks, and then the same branch again`, async () => {
      const { chain, stage, requests } = await staged(30);
      const before = await stage.told();
      assert.equal(before.verdict, true);
      assert.deepEqual(before.actions.slice(0, 1), ["claim_pearl"]);
      const tip = stage.scene.ledger.tips().pearl;
      const bringBack = chain.forget(depth);
      // A script that becomes known now cannot be looked for in blocks that the node does not have.
      await stage.scene.ledger.write({ rereadFrom: chain.height - 3 });
      const asked = requests();
      for (let look = 0; look < 10; look += 1)
        assert.equal(await stage.follow(1), 1, "no round without a pause");
      assert.ok(requests() - asked < 200, `${requests() - asked} requests in ten looks`);
      assert.deepEqual(stage.scene.ledger.tips().pearl, tip, "nothing is undone");
      const during = await stage.told();
      assert.equal(during.verdict, "PEARL_NODE_UNAVAILABLE");
      assert.equal(await stage.refundTold(), "PEARL_NODE_UNAVAILABLE");
      assert.deepEqual(during.details["node_height"], chain.height);
      assert.deepEqual(during.details["indexed_height"], tip.height);
      assert.ok(!during.actions.includes("claim_pearl"));
      assert.ok(!during.actions.includes("lock_pearl"));
      assert.equal(stage.lines.filter((line) => line.includes("fell back")).length, 1, "told once");
      bringBack();
      await stage.follow();
      assert.deepEqual(await stage.told(), { ...before, details: (await stage.told()).details });
      assert.equal(stage.scene.ledger.tips().pearl.height, tip.height);
    });

    test(`${depth} blocks, and then another branch`, async () => {
      const { chain, stage } = await staged(25);
      assert.equal((await stage.told()).verdict, true);
      chain.forget(depth);
      await stage.follow();
      assert.equal((await stage.told()).verdict, "PEARL_NODE_UNAVAILABLE");
      // The first block of another branch: still lower than ours, and told at once.
      chain.mineEmpty(1, 1);
      await stage.follow();
      const { pearl } = stage.scene.ledger.tips();
      assert.equal(pearl.height, chain.height);
      const told = await stage.told();
      if (depth < 25) {
        assert.equal(told.verdict, 25 - depth + 1 >= K ? true : "LOCK_CONFIRMATIONS_INSUFFICIENT");
        assert.equal(told.details["confirmations_have"], 25 - depth + 1);
      } else {
        // The lock itself is mined nowhere, and taken to be in the mempool until somebody has looked there.
        assert.equal(told.verdict, "LOCK_UNCONFIRMED");
        assert.ok(!told.actions.includes("claim_pearl"));
        assert.ok(!told.actions.includes("lock_pearl"));
        await stage.lookAtNothing();
        assert.equal((await stage.told()).verdict, "LOCK_NOT_SUBMITTED");
      }
    });
  }

  test("or another branch at once: nothing is said on the blocks of before while that is read", async () => {
    const { chain, stage, beforeBlocks } = await staged(K);
    assert.equal((await stage.told()).verdict, true);
    const during: unknown[] = [];
    beforeBlocks(async () => {
      during.push((await stage.told()).verdict);
    });
    chain.forget(K);
    chain.mineEmpty(K + 1, 1);
    await stage.follow();
    // Its tip names as its parent another block than ours: known when it is read.
    assert.ok(during.length > 2, `${during.length} blocks`);
    assert.deepEqual([...new Set(during.slice(1))], ["INDEXER_NOT_SYNCED"]);
    beforeBlocks(doNothing);
    await stage.lookAtNothing();
    assert.equal((await stage.told()).verdict, "LOCK_NOT_SUBMITTED");
  });

  test("or another branch whose newest block is long in coming: nothing is said on the blocks of before", async () => {
    const { chain, stage, beforeBlocks } = await staged(K);
    const gate = Promise.withResolvers<void>();
    beforeBlocks(() => gate.promise);
    chain.forget(K);
    chain.mineEmpty(K + 1, 1);
    const following = stage.follow();
    await settle();
    assert.equal((await stage.told()).verdict, "INDEXER_NOT_SYNCED");
    gate.resolve();
    await following;
    await stage.lookAtNothing();
    assert.equal((await stage.told()).verdict, "LOCK_NOT_SUBMITTED");
  });

  for (const [what, isGiven] of [
    ["and that is given then", true],
    ["and that is never given", false],
  ] as const)
    test(`or another branch while the next block of ours is long in coming, ${what}: nothing is said on the blocks of before`, async () => {
      const given = await staged(K);
      const { chain, stage, beforeBlocks } = given;
      chain.mineEmpty(1);
      const { gate, following } = await leftMeanwhile(given);
      if (isGiven) gate.resolve();
      else gate.reject(new Error("not now"));
      await following;
      assert.equal((await stage.told()).verdict, "INDEXER_NOT_SYNCED");
      beforeBlocks(doNothing);
      await stage.follow();
      await stage.lookAtNothing();
      assert.equal((await stage.told()).verdict, "LOCK_NOT_SUBMITTED");
    });

  test("or another branch while the next block of ours is long in coming at the second try: nothing is said on the blocks of before", async () => {
    const given = await staged(K);
    const { chain, stage, beforeBlocks } = given;
    beforeBlocks(() => Promise.reject(new Error("not now")));
    chain.mineEmpty(1);
    await assert.rejects(stage.follow());
    const { gate, following } = await leftMeanwhile(given);
    gate.resolve();
    await following;
    assert.equal((await stage.told()).verdict, "INDEXER_NOT_SYNCED");
  });

  test("or another branch while the next block of ours is long in coming: its event offers nothing that the row then does not", async () => {
    const { chain, stage, beforeBlocks, beforeHashes } = await staged(K - 1);
    const gate = Promise.withResolvers<void>();
    beforeBlocks(() => gate.promise);
    chain.mineEmpty(1);
    beforeHashes(async () => {
      beforeHashes(doNothing);
      chain.forget(K);
      chain.mineEmpty(K + 1, 1);
    });
    const following = stage.follow(1).catch(() => 0);
    await settle();
    gate.resolve();
    await following;
    assert.equal((await stage.told()).verdict, "INDEXER_NOT_SYNCED");
    const last = stage.scene.store.events.filter(({ type }) => type === "deal").at(-1);
    const { row } = JSON.parse(last?.data ?? "{}");
    assert.deepEqual(row, stage.row());
  });

  test("or its own chain, whose next block is long in coming: a lock stays verified", async () => {
    const { chain, stage, beforeBlocks } = await staged(K);
    const gate = Promise.withResolvers<void>();
    beforeBlocks(() => gate.promise);
    chain.mineEmpty(1);
    const following = stage.follow();
    await settle();
    assert.equal((await stage.told()).verdict, true);
    gate.resolve();
    await following;
    assert.equal((await stage.told()).verdict, true);
  });

  test("or another branch that cannot be read at once: nothing is said on the blocks of before at the next try", async () => {
    const { chain, stage, beforeBlocks } = await staged(K);
    const during: unknown[] = [];
    beforeBlocks(async () => {
      during.push((await stage.told()).verdict);
      if (during.length >= 3) throw new Error("not now");
    });
    chain.forget(K);
    chain.mineEmpty(K + 1, 1);
    await assert.rejects(stage.follow());
    assert.equal(during.at(-1), "INDEXER_NOT_SYNCED");
    during.length = 0;
    await assert.rejects(stage.follow());
    assert.deepEqual([...new Set(during)], ["INDEXER_NOT_SYNCED"]);
  });

  test("or another branch whose newest block cannot be read: nothing is said on the blocks of before at the next try", async () => {
    const { chain, stage, beforeBlocks } = await staged(K);
    beforeBlocks(() => Promise.reject(new Error("not now")));
    chain.forget(K);
    chain.mineEmpty(K + 1, 1);
    await assert.rejects(stage.follow());
    await assert.rejects(stage.follow());
    assert.equal((await stage.told()).verdict, "INDEXER_NOT_SYNCED");
    beforeBlocks(doNothing);
    await stage.follow();
    await stage.lookAtNothing();
    assert.equal((await stage.told()).verdict, "LOCK_NOT_SUBMITTED");
  });

  for (const more of [0, 1, 2])
    test(`or another branch, ${more} blocks higher, of which it is not known where it begins: nothing is said on the blocks of before`, async () => {
      const { chain, stage, fail } = await staged(K);
      fail("hashes ");
      chain.forget(K);
      chain.mineEmpty(K + more, 1);
      await assert.rejects(stage.follow());
      assert.equal((await stage.told()).verdict, "INDEXER_NOT_SYNCED");
    });

  for (const [what, more, verdict] of [
    ["a higher branch", 2, "INDEXER_NOT_SYNCED"],
    ["a lower branch", -1, "PEARL_NODE_UNAVAILABLE"],
  ] as const)
    test(`or ${what} without the header of its tip: nothing is said on the blocks of before`, async () => {
      const { chain, stage, fail } = await staged(K);
      fail("headers ");
      chain.forget(K);
      chain.mineEmpty(K + more, 1);
      await assert.rejects(stage.follow());
      assert.equal((await stage.told()).verdict, verdict);
    });

  for (const isStored of [true, false])
    test(`or another branch while the ledger ${isStored ? "stores" : "cannot store"} it: nothing is said on the blocks of before`, async () => {
      const { chain, stage } = await staged(K);
      const { store } = stage.scene;
      const during: unknown[] = [];
      const commit = store.commit.bind(store);
      store.commit = async (transaction) => {
        during.push((await stage.told()).verdict);
        if (!isStored) throw new StoreUnavailable("not now");
        return commit(transaction);
      };
      chain.forget(K);
      chain.mineEmpty(K + 1, 1);
      if (isStored) await stage.follow();
      else await assert.rejects(stage.follow());
      assert.deepEqual(during.slice(0, 1), ["INDEXER_NOT_SYNCED"]);
      await stage.lookAtNothing().catch(() => undefined);
      assert.equal((await stage.told()).verdict, isStored ? "LOCK_NOT_SUBMITTED" : "INDEXER_NOT_SYNCED");
    });

  test("or a branch that ends below our tip: the event of what it has undone offers what the row then offers", async () => {
    const { chain, stage } = await staged(3);
    await stage.lookAtNothing();
    stage.watch.mempoolRead();
    const elsewhere = chain.payment(5, `5120${"07".repeat(32)}` as ScriptHex, AMOUNT);
    chain.forget(3);
    chain.mine([elsewhere.raw], 1);
    await stage.follow();
    assert.ok((await stage.told()).actions.includes("lock_pearl"));
    const last = stage.scene.store.events.filter(({ type }) => type === "deal").at(-1);
    const { row } = JSON.parse(last?.data ?? "{}");
    assert.deepEqual(row, stage.row());
  });

  test("one block less than K is left: the lock is not verified on the blocks of before", async () => {
    const { chain, stage } = await staged(K);
    assert.equal((await stage.told()).verdict, true);
    chain.forget(1);
    await stage.follow();
    const told = await stage.told();
    assert.equal(told.verdict, "PEARL_NODE_UNAVAILABLE");
    assert.equal(told.status, "PEARL_LOCKED", "S-51: no lag enters the status");
    assert.ok(!told.actions.includes("claim_pearl"));
  });
});

/** A deal without its lock, all of whose chain and mempool was read, over a node whose blocks cannot be read at times. */
async function unlocked() {
  const chain = new PearlChain();
  const node = { isReadable: true };
  const stage = await PearlStage.over(
    new PearlPort(viewOfCore(chain.core), async (request, answer) => {
      if (request.startsWith("block ") && !node.isReadable) throw new Error("not now");
      return answer(null);
    }),
  );
  await stage.follow();
  await stage.lookAtNothing();
  stage.watch.mempoolRead();
  return { chain, node, stage };
}

describe("S-54: a node whose newest block cannot be read", () => {
  test("may have a lock there that has left its mempool: nobody is told to lock once more when the mempool no longer waits for it", async () => {
    const { chain, stage, node } = await unlocked();
    assert.ok((await stage.told()).actions.includes("lock_pearl"));
    chain.mine([chain.payment(5, stage.script, AMOUNT).raw]);
    node.isReadable = false;
    await assert.rejects(stage.follow());
    stage.pass(31);
    await assert.rejects(stage.follow());
    const told = await stage.told();
    assert.equal(told.verdict, "INDEXER_NOT_SYNCED");
    assert.ok(!told.actions.includes("lock_pearl"), told.actions.join());
    node.isReadable = true;
    await stage.follow();
    assert.equal((await stage.told()).verdict, "LOCK_CONFIRMATIONS_INSUFFICIENT");
  });

  test("and may have another newest one soon, that cannot be read either: the time runs on until one is applied", async () => {
    const { chain, stage, node } = await unlocked();
    const lock = chain.payment(5, stage.script, AMOUNT);
    chain.mine([lock.raw]);
    node.isReadable = false;
    await assert.rejects(stage.follow());
    stage.pass(20);
    chain.forget(1);
    chain.mine([lock.raw], 1);
    await assert.rejects(stage.follow());
    assert.notEqual((await stage.told()).verdict, "INDEXER_NOT_SYNCED");
    stage.pass(11);
    await assert.rejects(stage.follow());
    const told = await stage.told();
    assert.equal(told.verdict, "INDEXER_NOT_SYNCED");
    assert.ok(!told.actions.includes("lock_pearl"), told.actions.join());
    node.isReadable = true;
    await stage.follow();
    assert.equal((await stage.told()).verdict, "LOCK_CONFIRMATIONS_INSUFFICIENT");
  });
});
