// A node names a tip and shows no hash of it, or of the blocks below it. It is asked on, but ever more slowly: the number
// of questions in ten minutes is bounded, and the stall is told.

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { Clock } from "../../src/follow/ports.ts";
import { assertCanonical } from "../../testkit/worlds/simulation/compare.ts";
import { FollowerStage } from "../../testkit/worlds/simulation/follower-stage.ts";
import { settle, VirtualClock } from "../../testkit/doubles/clock.ts";
import { client, closeAll, fake, ANY_HASH } from "../pearl-node/client-fixture.ts";

after(closeAll);

const TEN_MINUTES_MS = 600_000;
/** One round in ten seconds, the longest wait, and what the waits that grow up to it allow; four questions each. */
const MOST_QUESTIONS = 400;

describe("missing hashes", () => {
  for (const lag of [2, 5, 12, 200]) {
    test(`of ${lag} blocks: a bounded number of questions, a stall, and on it goes when they are shown`, async () => {
      const { stage, life } = await FollowerStage.synced(lag, 10);
      // Not one of them is shown, while the tip and the block at our height are.
      const { world } = stage;
      life.node.hidesAbove = world.tip.height;
      life.node.mostAsked = life.node.asked + 2 * MOST_QUESTIONS;
      world.grow(lag);
      life.node.announce();
      await stage.until(() => life.progress.status().indexingStatus === "stalled");
      assert.match(life.progress.trouble ?? "", /no hash of the blocks from 11 on/);
      const before = life.node.asked;
      const startedMs = stage.clock.monotonicMs();
      while (stage.clock.monotonicMs() - startedMs < TEN_MINUTES_MS) {
        await stage.pass(1);
        assert.ok(life.node.asked - before < MOST_QUESTIONS, `${life.node.asked - before} questions`);
      }
      assert.ok(life.node.asked - before > 50, "it is asked on");
      life.node.hidesAbove = Number.POSITIVE_INFINITY;
      life.node.mostAsked = Number.POSITIVE_INFINITY;
      await stage.reachTip();
      await assertCanonical(stage.store, stage.world, stage.rules);
      life.kill();
    });
  }
});

test("a tip without a hash: the poller asks ever more slowly, and at its own pace again afterwards", async () => {
  const virtual = new VirtualClock();
  let asks = 0;
  // Waits for the requests that are on their way, which take real time.
  const clock: Clock = virtual;
  const out = { error: { code: -1, message: "Block number out of range" }, result: null };
  let isHidden = true;
  const node = await fake((request) => {
    asks += 1;
    const answers = request.calls.map(({ id, method }) =>
      method === "getblockhash"
        ? { id, ...(isHidden ? out : { result: ANY_HASH, error: null }) }
        : { id, result: 7, error: null },
    );
    request.send(200, JSON.stringify(request.isBatch ? answers : answers[0]));
  });
  const told: unknown[] = [];
  const watched = client(node.url, { clock, pollMs: 200 });
  watched.onTipChange((tip) => told.push(tip));
  const startedMs = virtual.monotonicMs();
  while (virtual.monotonicMs() - startedMs < TEN_MINUTES_MS) {
    const seen = asks;
    for (let turn = 0; turn < 20; turn += 1) await settle();
    if (asks === seen) virtual.advance();
  }
  // Ten questions each 5 s and in the waits that grow up to it; without growing waits there would be 30,000.
  assert.ok(asks < 2000, `${asks} questions`);
  assert.ok(asks > 100, `${asks} questions: it is asked on`);
  isHidden = false;
  for (let turn = 0; turn < 100_000 && told.length === 0; turn += 1) {
    await settle();
    if (turn % 20 === 0) virtual.advance();
  }
  assert.deepEqual(told[0], { height: 7, hash: ANY_HASH });
});
