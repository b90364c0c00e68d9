// A swap runs from a posted ask to SETTLED over HTTP alone, with real signatures and real Taproot spends, the service
// only watching.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  claimPearl,
  escrowCall,
  fund,
  lockOfDeal,
  lockPearl,
  lockUsdc,
  party,
  payPearl,
  seededSecret,
  signAsk,
  times,
} from "../../testkit/worlds/swap-stage/parties.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { takeBody } from "../../testkit/builders/party.ts";

let stage: SwapStage;

before(async () => {
  stage = await SwapStage.open();
});

after(() => stage?.close());

test("a swap from an ask to SETTLED", async () => {
  const { http } = stage;
  const [buyer, seller] = [party(stage, 1), party(stage, 2)];
  await payPearl(stage, seller, 300_000_000n);
  await fund(stage, buyer, 50_000_000n);
  await stage.caughtUp();

  const offer = await signAsk(stage, seller);
  const posted = await http.post("/api/v1/swaps/asks", offer.body);
  assert.equal(posted.status, 201, posted.text);
  assert.equal(posted.body["ask_id"], offer.askId);
  assert.equal(posted.body["status"], "ASK_OPEN");
  assert.equal((await http.post("/api/v1/swaps/asks", offer.body)).status, 200);

  const { secret, hashlock } = seededSecret(1);
  const body = takeBody(buyer, hashlock, await times(stage));
  const taken = await http.post(`/api/v1/swaps/asks/${offer.askId}/take`, body);
  assert.equal(taken.status, 201, taken.text);
  const dealHash = String(taken.body["deal_hash"]);
  const deal = async () => (await stage.http.get(`/api/v1/swaps/deals/${dealHash}`)).body;
  assert.equal((await deal())["status"], "DEAL_OPEN");

  await lockUsdc(stage, buyer, taken);
  await stage.mineEvm(3);
  const locked = await deal();
  assert.equal(locked["status"], "USDC_LOCKED", JSON.stringify(locked));
  assert.equal(locked["lock_call"], null);
  assert.deepEqual(actionsOf(locked), [
    "seller lock_pearl",
    "seller refund_cooperative",
    "buyer refund_usdc",
  ]);

  const lock = lockOfDeal(locked);
  const coin = lockPearl(stage, seller, lock, 100_000_000n);
  await stage.until("LOCK_SUBMITTED", async () => (await deal())["status"] === "LOCK_SUBMITTED");
  await stage.minePearl(1);
  const early = await http.post(`/api/v1/swaps/deals/${dealHash}/verify-lock`);
  assert.equal(early.body["reason"], "LOCK_CONFIRMATIONS_INSUFFICIENT", early.text);
  await stage.minePearl(5);
  const verified = await http.post(`/api/v1/swaps/deals/${dealHash}/verify-lock`);
  assert.equal(verified.body["verified"], true, verified.text);
  assert.equal((await deal())["status"], "PEARL_LOCKED");
  assert.equal((await deal())["secret_hex"], null);

  const told = await http.get(`/api/v1/swaps/deals/${secret}`);
  assert.equal(told.body["error"], "SECRET_REFUSED");

  const claimTxid = claimPearl(stage, buyer, lock, coin, secret);
  await stage.until("USDC_CLAIMABLE", async () => (await deal())["status"] === "USDC_CLAIMABLE");
  assert.equal((await deal())["secret_hex"], secret);
  await escrowCall(stage, party(stage, 3), "claim", [dealHash, secret]);
  await stage.minePearl(6);
  await stage.mineEvm(3);
  const settled = await deal();
  assert.equal(settled["status"], "SETTLED");
  assert.equal(settled["pearl_claim_txid"], claimTxid);
  assert.equal(settled["pearl_release_verified"], true);
  const stats = await http.get("/api/v1/swaps/stats");
  assert.equal(stats.body["settled_count"], 1);

  await stage.stopService();
  await stage.startService();
  assert.deepEqual(withoutRequestTime(await deal()), withoutRequestTime(settled));
});

function actionsOf(row: Readonly<Record<string, unknown>>): readonly string[] {
  const actions = row["next_actions"];
  return Array.isArray(actions) ? actions.map((one) => `${Object(one).role} ${Object(one).action}`) : [];
}

function withoutRequestTime(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...row, confirmations: null };
}
