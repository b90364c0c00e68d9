// A node takes questions and answers none. Health says stalled within 15 s (H-20) of virtual time whatever is being
// asked, and a real process within 15 s of its own; both go on by themselves when the node answers again.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { assertCanonical } from "../../testkit/worlds/simulation/compare.ts";
import { FollowerStage } from "../../testkit/worlds/simulation/follower-stage.ts";
import { client, closeAll, failure, fake, patience } from "../pearl-node/client-fixture.ts";
import { until } from "../../testkit/until.ts";
import { ServiceStage } from "../process/service-stage.ts";

after(closeAll);

const WITHIN_MS = 15_000;

/** Virtual milliseconds until health says stalled; time moves in the steps in which a hanging node is waited for. */
async function untilStalled(stage: FollowerStage, isStalled: () => boolean): Promise<number> {
  const startedMs = stage.clock.monotonicMs();
  await stage.until(() => isStalled() || stage.clock.monotonicMs() - startedMs > 10 * WITHIN_MS);
  return stage.clock.monotonicMs() - startedMs;
}

describe("a node that hangs is stalled within 15 s (H-20)", () => {
  for (const [name, growth] of [
    ["while it has nothing new", 0],
    ["at the next block", 1],
    ["in the middle of syncing", 60],
  ] as const) {
    test(name, async () => {
      const { stage, life } = await FollowerStage.synced(growth + 1, 10);
      stage.world.grow(growth);
      life.node.isHanging = true;
      if (growth > 0) life.node.announce();
      const isStalled = (): boolean => life.progress.status().indexingStatus === "stalled";
      const took = await untilStalled(stage, isStalled);
      assert.ok(took <= WITHIN_MS, `${took} ms`);
      assert.deepEqual(
        life.progress.conditions().map(({ code }) => code),
        ["PEARL_STALLED"],
      );
      life.node.isHanging = false;
      await stage.reachTip();
      await stage.until(() => life.progress.status().indexingStatus === "synced");
      await assertCanonical(stage.store, stage.world, stage.rules);
      life.kill();
    });
  }

  test("from the first question on", async () => {
    const stage = new FollowerStage(70);
    stage.world.grow(10);
    const life = stage.start();
    life.node.isHanging = true;
    const took = await untilStalled(stage, () => life.progress.status().indexingStatus === "stalled");
    assert.ok(took <= WITHIN_MS, `${took} ms`);
    life.kill();
  });

  test("a node that takes its time over a block is not", async () => {
    const { stage, life } = await FollowerStage.synced(71, 10);
    for (let i = 0; i < 40; i += 1) {
      await stage.pass(1);
      assert.equal(life.progress.status().indexingStatus, "synced");
    }
    life.kill();
  });
});

test("no ladder of tries hides it: a question that times out is not asked again by the client", async () => {
  const node = await fake(() => undefined);
  // Long enough for a request to arrive, however busy the machine is.
  const silent = client(node.url, { patience: { ...patience, attempts: 7, timeoutMs: 1000 } });
  await failure(silent.tip(), "TIMEOUT");
  assert.equal(node.requests.length, 1);
});

test("a node that drips its answer is not waited for without end", async () => {
  const node = await fake(({ response }) => {
    response.writeHead(200, { "content-type": "application/json" });
    const timer = setInterval(() => response.write(" "), 5);
    response.on("close", () => clearInterval(timer));
  });
  const dripped = client(node.url, { patience: { ...patience, timeoutMs: 1000 } });
  await failure(dripped.tip(), "TIMEOUT", /no whole answer within 10000 ms/);
});

describe("a real process", () => {
  const stage = new ServiceStage(72, 12);

  test("/health", async () => {
    // It asks as often as by default.
    const service = await stage.start(stage.sqlite(), { more: { PEARL_POLL_MS: "250" } });
    const status = async (): Promise<unknown> => (await service.health())?.["indexing_status"];
    await service.atTip();
    await until("it says so", async () => (await status()) === "synced");
    stage.node.isHanging = true;
    await until("health says stalled", async () => (await status()) === "stalled", WITHIN_MS);
    const body = await service.health();
    assert.deepEqual(body?.["reasons"], ["PEARL_STALLED"]);
    assert.equal(body?.["height"], 12);
    stage.node.isHanging = false;
    await until("all is well again", async () => (await status()) === "synced");
    await service.end();
  });
});
