// The followed PEARL node shows a lock that the network does not have, and has itself left for the next node, as by blocks
// that the index cannot use. It is a witness then, of its own branch, which stays applied until the next node was asked.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PearlPort, viewOfCore } from "../../testkit/doubles/pearl-port.ts";
import { K, PearlChain, PearlStage } from "./pearl-stage.ts";

test("S-09: a node that is followed no longer is no witness of the branch that came from it", async () => {
  const [honest, liar] = [new PearlChain(), new PearlChain()];
  const stage = await PearlStage.overAll([
    new PearlPort(viewOfCore(liar.core)),
    new PearlPort(viewOfCore(honest.core)),
  ]);
  await stage.follow();
  liar.mine([liar.payment(5, stage.script).raw]);
  liar.mineEmpty(K);
  honest.mineEmpty(K + 1, 1);
  await stage.look();
  await stage.follow();
  assert.equal((await stage.told()).verdict, "PEARL_NODE_UNAVAILABLE");
  const { nodes } = stage;
  assert.ok(nodes !== null);
  nodes.useless();
  for (let looks = 0; nodes.place === 0 && looks < 100; looks += 1) {
    stage.pass(20);
    await stage.follow();
    await stage.look();
  }
  assert.equal(nodes.place, 1);
  const { actions, verdict } = await stage.told();
  assert.notEqual(verdict, true);
  assert.ok(!actions.includes("claim_pearl"), actions.join());
});
