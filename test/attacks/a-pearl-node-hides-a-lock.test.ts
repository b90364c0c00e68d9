// The followed PEARL node takes back a block with the seller's lock, and shows a branch that no other node has, on which the
// lock's coin went elsewhere long ago. A seller who is told that he may give the USDC back loses his PEARL: the lock stands on
// the network, and the buyer has the secret (S-54, A-146).

import assert from "node:assert/strict";
import { test } from "node:test";
import { coinbaseInput, key, sign } from "../../testkit/doubles/pearl-node/test-wallet.ts";
import { PearlPort, viewOfCore } from "../../testkit/doubles/pearl-port.ts";
import { K, PearlChain, PearlStage } from "./pearl-stage.ts";

/** Blocks of the branch on which the coin went elsewhere: that is 13 deep there. */
const BRANCH = 14;

/** A transaction (hex) that spends the coinbase of a height to its owner. */
function takenBack(chain: PearlChain, height: number): string {
  const coin = coinbaseInput(chain.core, height, key(1));
  const outputs = [{ script: key(1).script, value: coin.value - 5000n }];
  return sign({ inputs: [{ sequence: 0xfffffffd, ...coin }], outputs });
}

async function hidden(witness: PearlChain | null) {
  const liar = new PearlChain();
  const port = new PearlPort(viewOfCore(liar.core));
  const stage =
    witness === null
      ? await PearlStage.over(port)
      : await PearlStage.overAll([port, new PearlPort(viewOfCore(witness.core))]);
  await stage.follow();
  stage.watch.mempoolRead();
  const lock = liar.payment(5, stage.script);
  liar.mine([lock.raw]);
  liar.mineEmpty(K);
  witness?.takeFrom(liar);
  await stage.look();
  await stage.follow();
  assert.equal((await stage.told()).status, "PEARL_LOCKED");
  const first = liar.core.chain.index.at(liar.height - K);
  assert.ok(first !== undefined);
  liar.core.invalidate(first.hash);
  liar.mine([takenBack(liar, 5)], 1);
  liar.mineEmpty(BRANCH - 1, 1);
  await stage.look();
  await stage.follow();
  return { stage, liar };
}

test("S-54: a lock that only the followed node calls impossible does not let its seller give the USDC back", async () => {
  const witness = new PearlChain();
  const { stage, liar } = await hidden(witness);
  const { actions } = await stage.told();
  assert.ok(!actions.includes("refund_cooperative"), actions.join());
  // Once a second node has the branch it is the chain's, and the lock is gone indeed.
  witness.takeFrom(liar);
  await stage.look();
  assert.ok((await stage.told()).actions.includes("refund_cooperative"));
});

test("S-54: where no other node is configured, the followed one's word is all there is", async () => {
  const { stage } = await hidden(null);
  const { actions } = await stage.told();
  assert.ok(actions.includes("refund_cooperative"), actions.join());
});
