// Single situations of the follower: what is a reorganisation, what is too deep, what is refused, and what health
// says meanwhile.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertCanonical } from "../../testkit/worlds/simulation/compare.ts";
import { SIMULATED_UNDO } from "../../testkit/worlds/simulation/process-life.ts";
import { FollowerStage } from "../../testkit/worlds/simulation/follower-stage.ts";

describe("follower", () => {
  test("P-90: a different block at a height that we have is a reorganisation, also on a shorter branch", async () => {
    const { stage, life } = await FollowerStage.synced(2, 12);
    stage.world.reorganise(8, 3);
    life.node.announce();
    await stage.reachTip();
    assert.equal((await stage.store.tip())?.height, 7);
    await assertCanonical(stage.store, stage.world, stage.rules);
    life.kill();
  });

  test("a reorganisation to the undo limit is followed; one block deeper stalls and changes nothing", async () => {
    const { stage, life } = await FollowerStage.synced(3, 30);
    stage.world.reorganise(SIMULATED_UNDO, SIMULATED_UNDO + 1);
    life.node.announce();
    await stage.reachTip();
    assert.equal(stage.metrics.deepest, SIMULATED_UNDO);
    const ours = stage.world.bookmark();
    const before = await stage.store.dump();
    stage.world.reorganise(SIMULATED_UNDO + 1, SIMULATED_UNDO + 3);
    life.node.announce();
    await stage.until(() => life.progress.status().indexingStatus === "stalled");
    await stage.pass(10);
    assert.match(life.progress.trouble ?? "", /UNDO_BLOCKS is 12.*strand reindex/);
    assert.deepEqual(await stage.store.dump(), before);
    assert.equal(
      stage.lines.filter((line) => line.startsWith("error")).length,
      1,
      "said once, not at every try",
    );
    // The node comes back to our chain: the follower goes on by itself.
    stage.world.switchTo(ours);
    stage.world.grow(1);
    life.node.announce();
    await stage.reachTip();
    await stage.until(() => life.progress.status().indexingStatus === "synced");
    await assertCanonical(stage.store, stage.world, stage.rules);
    life.kill();
  });

  test("a reorganisation while the process was down is found at the next start", async () => {
    const { stage, life: first } = await FollowerStage.synced(4, 20);
    await first.stop();
    stage.world.reorganise(9, 11);
    const second = stage.start();
    await stage.reachTip();
    assert.equal(stage.metrics.deepest, 9);
    await assertCanonical(stage.store, stage.world, stage.rules);
    second.kill();
  });

  test("H-09: the index begins with the block before the start height, and waits until there is one", async () => {
    const stage = new FollowerStage(5, { startHeight: 8 });
    stage.world.grow(3);
    const life = stage.start();
    await stage.pass(5);
    assert.equal(await stage.store.tip(), null);
    assert.equal(life.progress.status().indexedHeight, -1);
    stage.world.grow(9);
    life.node.announce();
    await stage.reachTip();
    assert.equal(await stage.store.blockHash(6), null);
    assert.equal(await stage.store.blockHash(7), stage.world.best[7]?.hash);
    life.kill();
  });

  test("a node that names no hashes at all is not taken for one on another branch", async () => {
    const { stage, life } = await FollowerStage.synced(10, 12, { startHeight: 8 });
    const ours = stage.world.bookmark();
    const before = await stage.store.dump();
    stage.world.reorganise(2, 2);
    life.node.namesNoHashes = true;
    life.node.announce();
    await stage.until(() => life.progress.status().indexingStatus === "stalled");
    await stage.pass(6);
    assert.deepEqual(await stage.store.dump(), before);
    stage.world.switchTo(ours);
    life.node.namesNoHashes = false;
    await stage.until(() => life.progress.status().indexingStatus === "synced");
    assert.equal(stage.metrics.rewinds, 0);
    life.kill();
  });

  test("P-90: a node that falls back while its branch is compared undoes no more than that branch replaces", async () => {
    const { stage, life } = await FollowerStage.synced(11, 12);
    // One block more than ours, which names another parent; asked for its hashes the node has those up to 6 alone.
    stage.world.reorganise(2, 3);
    life.node.hidesAbove = 6;
    life.node.announce();
    await stage.until(() => life.progress.trouble !== null || stage.metrics.rewinds > 0);
    await stage.pass(3);
    assert.equal(stage.metrics.rewinds, 0, "blocks are undone that the branch has, too");
    assert.equal((await stage.store.tip())?.height, 12);
    life.node.hidesAbove = Number.POSITIVE_INFINITY;
    await stage.reachTip();
    assert.equal(stage.metrics.deepest, 2);
    await assertCanonical(stage.store, stage.world, stage.rules);
    life.kill();
  });

  test("a block that fails verification is refused, named with its request, and tried again", async () => {
    const { stage, life } = await FollowerStage.synced(7, 2);
    stage.world.grow(1);
    const { hash } = stage.world.tip;
    const repair = stage.world.corrupt(hash);
    life.node.announce();
    await stage.until(() => life.progress.status().indexingStatus === "stalled");
    assert.match(life.progress.trouble ?? "", new RegExp(`getblock ${hash} 0.*(MERKLE|WITNESS|TRANSACTION)`));
    assert.equal((await stage.store.tip())?.height, 2);
    repair();
    await stage.reachTip();
    await assertCanonical(stage.store, stage.world, stage.rules);
    life.kill();
  });

  test("an announced block is indexed without any time passing", async () => {
    const { stage, life } = await FollowerStage.synced(8, 5);
    const before = stage.clock.monotonicMs();
    stage.world.grow(1);
    life.node.announce();
    for (let turn = 0; turn < 20 && !(await stage.isAtTip()); turn += 1) await new Promise(setImmediate);
    assert.ok(await stage.isAtTip());
    assert.equal(stage.clock.monotonicMs(), before);
    life.kill();
  });

  test("a block that was announced and is gone when it is asked for holds nothing up for long", async () => {
    const { stage, life } = await FollowerStage.synced(9, 5);
    stage.world.grow(1);
    life.node.announce();
    stage.world.reorganise(2, 3);
    await stage.reachTip();
    await assertCanonical(stage.store, stage.world, stage.rules);
    await stage.until(() => life.progress.status().indexingStatus === "synced");
    life.kill();
  });
});
