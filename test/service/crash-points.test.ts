// The process dies at the n-th call of a port, for every n of a short story with a reorganisation, with the write
// under way made or not made. The next life must reach the index of the best branch.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertCanonical } from "../../testkit/worlds/simulation/compare.ts";
import { PortCalls } from "../../testkit/worlds/simulation/port-calls.ts";
import { FollowerStage } from "../../testkit/worlds/simulation/follower-stage.ts";

/** Blocks, then a reorganisation, then one more block; ends early where the process has died. */
async function tell(stage: FollowerStage, calls: PortCalls, isMadeAtCrash: boolean): Promise<void> {
  const life = stage.start(calls, isMadeAtCrash);
  const reachTip = (): Promise<void> => stage.until(async () => calls.isCrashed || (await stage.isAtTip()));
  await reachTip();
  stage.world.reorganise(3, 4);
  life.node.announce();
  await reachTip();
  stage.world.grow(1);
  life.node.announce();
  await reachTip();
  life.kill();
  stage.clock.forget();
}

function newStage(): FollowerStage {
  const stage = new FollowerStage(11);
  stage.world.grow(9);
  return stage;
}

test("a crash at any port call leaves an index that the next life completes", async () => {
  const whole = new PortCalls();
  await tell(newStage(), whole, false);
  assert.ok(whole.count > 30, `the story makes only ${whole.count} calls`);
  for (let crashAt = 1; crashAt <= whole.count; crashAt += 1) {
    for (const isMadeAtCrash of [false, true]) {
      const stage = newStage();
      await tell(stage, new PortCalls(crashAt), isMadeAtCrash);
      const next = stage.start();
      await stage.reachTip();
      await assertCanonical(stage.store, stage.world, stage.rules);
      next.kill();
    }
  }
});
