// A token that refuses a payee (a blacklist) turns a payout into a credit in the contract (S-23). Whoever is owed has to
// be told: a row that says SETTLED or USDC_REFUNDED and no more is the story of a payment that never came.

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Hex } from "viem";
import {
  claimPearl,
  escrowCall,
  fund,
  mined,
  type Party,
  party,
} from "../../testkit/worlds/swap-stage/parties.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import {
  acceptedBid,
  actionsOf,
  bidTerms,
  dealOf,
  lockBid,
  openDeal,
  payLock,
  payOutputs,
  SWAPS,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { deployTestContract, hostileAbi } from "../contracts/contract-stage.ts";

/** Raw USDC of every order, and what its seller gets after the fee of 200 bps. */
const USDC = 5_000_000n;
const NET = 4_900_000n;

let stage: SwapStage;
let buyer: Party;
let seller: Party;
let seed = 0;

before(async () => {
  stage = await SwapStage.open({
    token: (anvil) => deployTestContract(anvil, "HostileUsdc", hostileAbi, []),
  });
  [buyer, seller] = [party(stage, 1), party(stage, 2)];
  await fund(stage, buyer, 1_000_000_000n);
  await payOutputs(stage, seller, 4, 300_000_000n);
});
after(() => stage?.close());
afterEach(async () => {
  for (const person of [buyer, seller]) await refuse(person, false);
});

/** Lets the token refuse every transfer to this person, or no longer. */
async function refuse(person: Party, value: boolean): Promise<void> {
  const hash = await stage.anvil.walletClient(0).writeContract({
    address: stage.escrow.usdc,
    abi: hostileAbi,
    functionName: "setRefused",
    args: [person.evm, value],
  });
  await mined(stage, hash);
}

/** All that is owed to a person goes to somebody whom the token does not refuse. */
async function withdraw(person: Party): Promise<void> {
  await escrowCall(stage, person, "withdrawCredit", [party(stage, 5).evm]);
  await stage.caughtUp();
}

function withdrawals(row: JsonRow): readonly unknown[] {
  const actions: readonly JsonRow[] = Array.isArray(row["next_actions"]) ? row["next_actions"] : [];
  return actions.filter(({ action }) => action === "withdraw_credit");
}

function owed(person: Party, role: "buyer" | "seller") {
  return [
    {
      actor: person.evm,
      role,
      action: "withdraw_credit",
      optional: false,
      not_before: null,
      not_after: null,
      outpoint: null,
      amount_sat: null,
    },
  ];
}

/** A bid in the state Locked, indexed. */
async function bid(): Promise<Hex> {
  seed += 1;
  const hash = await lockBid(stage, buyer, await bidTerms(stage, buyer, seed));
  await stage.caughtUp();
  return hash;
}

async function bidOf(hash: Hex): Promise<JsonRow> {
  const { body } = await stage.http.get(`${SWAPS}/${hash}`);
  return body;
}

describe("S-54: a payout that the token refuses is told as a credit", () => {
  test("to the seller of a settled deal, until he has withdrawn, and again where his withdrawal is undone", async () => {
    seed += 1;
    const deal = await openDeal(stage, { buyer, seller }, seed);
    const coin = payLock(stage, seller, deal.lock, 100_000_000n);
    await stage.minePearl(6);
    claimPearl(stage, buyer, deal.lock, coin, deal.secret);
    await stage.minePearl(1);
    await refuse(seller, true);
    await escrowCall(stage, party(stage, 3), "claim", [deal.dealHash, deal.secret]);
    await stage.caughtUp();
    const unpaid = await dealOf(stage, deal.dealHash);
    assert.equal(unpaid["status"], "SETTLED");
    assert.deepEqual(unpaid["evm_credit"], { account: seller.evm, amount: NET.toString() });
    assert.deepEqual(withdrawals(unpaid), owed(seller, "seller"));

    await withdraw(seller);
    const paid = await dealOf(stage, deal.dealHash);
    assert.equal(paid["evm_credit"], null);
    assert.deepEqual(withdrawals(paid), []);

    await stage.anvil.reorg(1);
    await stage.mineEvm(1);
    assert.deepEqual(withdrawals(await dealOf(stage, deal.dealHash)), owed(seller, "seller"));
    await withdraw(seller);
  });

  test("to the buyer of a refund, and verify-evm-refund says so", async () => {
    seed += 1;
    const hash = await acceptedBid(stage, { buyer, seller }, await bidTerms(stage, buyer, seed));
    await refuse(buyer, true);
    await escrowCall(stage, seller, "refundCooperative", [hash]);
    await stage.mineEvm(3);
    const row = await dealOf(stage, hash);
    assert.equal(row["status"], "USDC_REFUNDED");
    assert.deepEqual(row["evm_credit"], { account: buyer.evm, amount: USDC.toString() });
    assert.deepEqual(actionsOf(row), ["buyer withdraw_credit"]);
    const judged = async () => {
      const { body } = await stage.http.post(`${SWAPS}/deals/${hash}/verify-evm-refund`);
      return [body["verified"], Object(body["details"]).credited];
    };
    assert.deepEqual(await judged(), [true, true]);
    await withdraw(buyer);
    assert.deepEqual(await judged(), [true, false]);
    assert.deepEqual(actionsOf(await dealOf(stage, hash)), []);
  });

  test("to the buyer of cancelled bids: one withdrawal ends every credit of the account, and a later one stands", async () => {
    const [first, second] = [await bid(), await bid()];
    await refuse(buyer, true);
    for (const hash of [first, second]) await escrowCall(stage, buyer, "cancel", [hash]);
    await stage.caughtUp();
    for (const hash of [first, second]) {
      const row = await bidOf(hash);
      assert.deepEqual([row["kind"], row["status"]], ["bid", "BID_CANCELLED"]);
      assert.deepEqual(row["evm_credit"], { account: buyer.evm, amount: USDC.toString() });
      assert.deepEqual(withdrawals(row), owed(buyer, "buyer"));
    }
    await withdraw(buyer);
    for (const hash of [first, second]) assert.equal((await bidOf(hash))["evm_credit"], null);
    await refuse(buyer, false);
    const third = await bid();
    await refuse(buyer, true);
    await escrowCall(stage, buyer, "cancel", [third]);
    await stage.caughtUp();
    assert.deepEqual(withdrawals(await bidOf(third)), owed(buyer, "buyer"));
    assert.equal((await bidOf(first))["evm_credit"], null);
  });

  test("is no credit where the token pays", async () => {
    const hash = await bid();
    await escrowCall(stage, buyer, "cancel", [hash]);
    await stage.caughtUp();
    const row = await bidOf(hash);
    assert.equal(row["evm_credit"], null);
    assert.deepEqual(withdrawals(row), []);
  });
});
