// A node sends bytes that are not the block that was asked for, again and again. Each try costs the block's bytes and no
// row: what is in memory is as right as before, and is not read from the store again.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertCanonical } from "../../testkit/worlds/simulation/compare.ts";
import { FollowerStage } from "../../testkit/worlds/simulation/follower-stage.ts";

describe("a refused block", () => {
  for (const [name, growth, bad] of [
    ["at the tip", 1, 1],
    ["in the middle of a sync", 40, 25],
  ] as const) {
    test(`${name} reads no row again, however often it is sent`, async () => {
      const { stage, life } = await FollowerStage.synced(growth, 30);
      const { anchors } = life.reads;
      stage.world.grow(growth);
      const hash = stage.world.best[30 + bad]?.hash;
      assert.ok(hash);
      const repair = stage.world.corrupt(hash);
      life.node.announce();
      await stage.until(() => life.progress.status().indexingStatus === "stalled");
      const before = { ...life.reads };
      assert.equal((await stage.store.tip())?.height, 30 + bad - 1, "what came before it is kept");
      const { asked } = life.node;
      await stage.until(() => stage.metrics.failures.get("block_refused") === 30);
      assert.ok(life.node.asked > asked, "it is asked for again");
      assert.deepEqual(life.reads, before, "and nothing else is read");
      repair();
      await stage.reachTip();
      assert.equal(life.reads.anchors, anchors);
      await assertCanonical(stage.store, stage.world, stage.rules);
      life.kill();
    });
  }
});
