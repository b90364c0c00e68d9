// Readers have the writer's changes at once, and what it tells of the nodes each second. A PEARL node that lies leaves the
// chain that its witness shares for a branch with a lock of its own: what was told of the witness before is not of that.

import assert from "node:assert/strict";
import { test } from "node:test";
import { PearlPort, viewOfCore } from "../../testkit/doubles/pearl-port.ts";
import { K, PearlChain, PearlStage } from "./pearl-stage.ts";

test("S-09: what was told of a witness counts for the chain of which it was told alone", async () => {
  const [liar, honest] = [new PearlChain(), new PearlChain()];
  const stage = await PearlStage.overAll([
    new PearlPort(viewOfCore(liar.core)),
    new PearlPort(viewOfCore(honest.core)),
  ]);
  const left = liar.height + 1;
  for (const chain of [liar, honest]) chain.mineEmpty(K + 2);
  await stage.look();
  await stage.follow();
  stage.keepStanding();
  liar.core.invalidate(liar.core.chain.index.at(left)?.hash ?? "");
  liar.mine([liar.payment(5, stage.script).raw], 1);
  liar.mineEmpty(K + 1, 1);
  await stage.follow();
  const { confirmations, next_actions: actions } = stage.row();
  assert.deepEqual(confirmations.pearl, { have: K + 2, need: K });
  assert.ok(!actions.some(({ action }) => action === "claim_pearl"));
});
