// pearld forgets its newest blocks when it is killed and offers the beginning of our chain (S-05, H-20). Nothing is
// undone meanwhile, health says so with the node's height as it is, and everything goes on when the node has our tip
// again or another branch, however long that branch is.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertCanonical } from "../../testkit/worlds/simulation/compare.ts";
import { type ProcessLife, SIMULATED_UNDO } from "../../testkit/worlds/simulation/process-life.ts";
import { FollowerStage } from "../../testkit/worlds/simulation/follower-stage.ts";
import { until } from "../../testkit/until.ts";
import { ServiceStage } from "../process/service-stage.ts";

const HEIGHT = 20;

function codes(life: ProcessLife): readonly string[] {
  return life.progress.conditions().map(({ code }) => code);
}

async function fallen(seed: number, depth: number): Promise<{ stage: FollowerStage; life: ProcessLife }> {
  const { stage, life } = await FollowerStage.synced(seed, HEIGHT);
  assert.deepEqual(codes(life), []);
  stage.world.loseHead(depth);
  life.node.announce();
  await stage.pass(10);
  return { stage, life };
}

async function assertFallen(stage: FollowerStage, life: ProcessLife, nodeHeight: number): Promise<void> {
  const { indexingStatus, nodeHeight: told, indexedHeight, lag } = life.progress.status();
  assert.deepEqual(
    { indexingStatus, told, indexedHeight, lag },
    { indexingStatus: "stalled", told: nodeHeight, indexedHeight: HEIGHT, lag: 0 },
  );
  assert.deepEqual(codes(life), ["PEARL_NODE_BEHIND"]);
  assert.equal(stage.metrics.rewinds, 0);
  assert.equal((await stage.store.tip())?.height, HEIGHT);
}

async function assertWell(stage: FollowerStage, life: ProcessLife): Promise<void> {
  await stage.reachTip();
  await stage.until(() => life.progress.status().indexingStatus === "synced");
  assert.deepEqual(codes(life), []);
  await assertCanonical(stage.store, stage.world, stage.rules);
  life.kill();
}

describe("a node that fell back (S-05, H-20)", () => {
  for (const depth of [1, 2, 5, 12]) {
    test(`by ${depth} blocks: stalled, nothing undone; it gets its blocks back`, async () => {
      const { stage, life } = await fallen(depth, depth);
      await assertFallen(stage, life, HEIGHT - depth);
      // It grows again on the same branch, one block at a time, and is behind until the last one.
      for (let height = HEIGHT - depth + 1; height < HEIGHT; height += 1) {
        stage.world.grow(1);
        life.node.announce();
        await stage.pass(6);
        await assertFallen(stage, life, height);
      }
      stage.world.grow(1);
      life.node.announce();
      await stage.until(() => life.progress.status().indexingStatus === "synced");
      assert.equal(stage.metrics.rewinds, 0);
      stage.world.grow(3);
      await assertWell(stage, life);
    });

    for (const [name, length] of [
      ["a shorter", Math.max(1, depth - 1)],
      ["an equally long", depth],
      ["a longer", depth + 3],
    ] as const) {
      test(`by ${depth} blocks, then on ${name} branch: the lost ones are undone, and all goes on`, async () => {
        const { stage, life } = await fallen(30 + depth, depth);
        await assertFallen(stage, life, HEIGHT - depth);
        stage.world.reorganise(0, length);
        life.node.announce();
        await assertWell(stage, life);
        assert.equal(stage.metrics.rewinds, 1);
        assert.equal(stage.metrics.deepest, depth);
      });
    }

    test(`by ${depth} blocks while we are restarted`, async () => {
      const { stage, life } = await fallen(60 + depth, depth);
      await life.stop();
      const next = stage.start();
      await stage.pass(10);
      await assertFallen(stage, next, HEIGHT - depth);
      stage.world.grow(depth + 1);
      await assertWell(stage, next);
      assert.equal(stage.metrics.rewinds, 0);
    });
  }

  test("below the block before the start height, where nothing can be compared", async () => {
    const { stage, life } = await FollowerStage.synced(90, HEIGHT, { startHeight: 8 });
    const whole = stage.world.bookmark();
    stage.world.loseHead(HEIGHT - 3);
    life.node.announce();
    await stage.pass(10);
    await assertFallen(stage, life, 3);
    stage.world.switchTo(whole);
    await stage.until(() => life.progress.status().indexingStatus === "synced");
    assert.equal(stage.metrics.rewinds, 0);
    life.kill();
  });

  test("another branch that is shorter and too deep to follow is a stall, but no blocks were lost", async () => {
    const { stage, life } = await FollowerStage.synced(93, 30);
    stage.world.reorganise(SIMULATED_UNDO + 5, 3);
    life.node.announce();
    await stage.until(() => life.progress.trouble !== null);
    assert.match(life.progress.trouble ?? "", /UNDO_BLOCKS/);
    assert.deepEqual(codes(life), ["PEARL_STALLED"]);
    assert.equal(life.progress.status().nodeHeight, 16);
    life.kill();
  });

  test("before the index has begun, it is a node that syncs: no stall, however long it takes", async () => {
    const stage = new FollowerStage(91, { startHeight: 30 });
    stage.world.grow(5);
    const life = stage.start();
    const startedMs = stage.clock.monotonicMs();
    while (stage.clock.monotonicMs() - startedMs < 600_000) {
      await stage.pass(1);
      assert.notEqual(life.progress.status().indexingStatus, "stalled");
    }
    life.kill();
  });
});

describe("a real process", () => {
  const stage = new ServiceStage(92, 25);

  test("/health: 12 blocks lost, and come back", async () => {
    const { world } = stage;
    const service = await stage.start(stage.sqlite());
    await service.atTip();
    const whole = world.bookmark();
    world.loseHead(12);
    await until(
      "health says stalled",
      async () => (await service.health())?.["indexing_status"] === "stalled",
    );
    const { status, reasons, height, indexed_height, lag } = (await service.health()) ?? {};
    assert.deepEqual(
      { status, reasons, height, indexed_height, lag },
      { status: "degraded", reasons: ["PEARL_NODE_BEHIND"], height: 13, indexed_height: 25, lag: 0 },
    );
    assert.equal((await service.get("/health/ready")).status, 503);
    assert.equal((await service.get("/health/live")).status, 200);
    world.switchTo(whole);
    await until("all is well again", async () => (await service.health())?.["status"] === "ok");
    await service.end();
  });
});
