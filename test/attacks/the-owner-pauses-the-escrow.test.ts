// The owner pauses the escrow between what an honest party read and what it sends (S-21). What the contract then refuses
// is not offered, /health says why, and every way out of an order stays.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Hex } from "viem";
import { fund, escrowCall, type Party, party } from "../../testkit/worlds/swap-stage/parties.ts";
import {
  actionsOf,
  bidTerms,
  dealOf,
  lockBid,
  payOutputs,
  postAsk,
  postTake,
  SWAPS,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";

let stage: SwapStage;
let owner: Party;
let buyer: Party;
let seller: Party;

before(async () => {
  stage = await SwapStage.open();
  [owner, buyer, seller] = [party(stage, 0), party(stage, 1), party(stage, 2)];
  await fund(stage, buyer, 1_000_000_000n);
  await payOutputs(stage, seller, 2, 300_000_000n);
});
after(() => stage?.close());

/** What the bid, the take and /health say. */
async function told(bid: Hex, take: string) {
  const row = await stage.http.get(`${SWAPS}/${bid}`);
  const health = await stage.http.get("/health");
  const { reasons } = health.body;
  return {
    bid: actionsOf(row.body),
    take: actionsOf(await dealOf(stage, take)),
    isWarned: Array.isArray(reasons) && reasons.includes("ESCROW_PAUSED"),
  };
}

test("a paused escrow offers no lock_usdc and no accept_bid, and offers them again when that is over or undone", async () => {
  const offer = await postAsk(stage, seller);
  const { dealHash } = await postTake(stage, offer.askId, buyer, 1);
  const bid = await lockBid(stage, buyer, await bidTerms(stage, buyer, 2));
  await stage.mineEvm(3);
  const waysOut = ["buyer refund_usdc", "buyer cancel_bid"];
  const open = { bid: ["seller accept_bid", ...waysOut], take: ["buyer lock_usdc"], isWarned: false };
  assert.deepEqual(await told(bid, dealHash), open);

  await escrowCall(stage, owner, "pause", []);
  await stage.caughtUp();
  const paused = { bid: waysOut, take: [], isWarned: true };
  assert.deepEqual(await told(bid, dealHash), paused);

  await stage.anvil.reorg(1);
  await stage.mineEvm(1);
  assert.deepEqual(await told(bid, dealHash), open, "the pause was undone");

  await escrowCall(stage, owner, "pause", []);
  await stage.mineEvm(3);
  assert.deepEqual(await told(bid, dealHash), paused);
  await escrowCall(stage, owner, "unpause", []);
  await stage.caughtUp();
  assert.deepEqual(await told(bid, dealHash), open);
});
