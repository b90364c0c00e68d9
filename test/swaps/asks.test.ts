// Asks live as the rules say (S-31 to S-34, H-42): with shared balances, expiry, revocation, fee changes, contract
// accounts, and all forms of signatures.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Hex } from "viem";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import {
  askActionMessage,
  askMessage,
  bidOriginMessage,
  signSwapMessage,
  swapMessageDigest,
} from "../../src/wallet/index.ts";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import {
  domainOf,
  escrowCall,
  fund,
  lockUsdc,
  mined,
  party,
  seededSecret,
  signAsk,
  times,
} from "../../testkit/worlds/swap-stage/parties.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import {
  actionBody,
  bidTerms,
  lockBid,
  nowOf,
  originBody,
  payLock,
  htlcOf,
  payOutputs,
  postAsk,
  postTake,
  rowsOf,
  SWAPS,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { deployTestContract, walletAbi } from "../contracts/contract-stage.ts";
import { privateKeyOf, takeBody } from "../../testkit/builders/party.ts";

const ONE = 100_000_000n;
let stage: SwapStage;

before(async () => {
  stage = await SwapStage.open({ flags: { "--ask-recheck-s": "1" } });
  await payOutputs(stage, party(stage, 2), 3, ONE);
  await payOutputs(stage, party(stage, 3), 20, ONE);
  for (const index of [1, 4]) await fund(stage, party(stage, index), 500_000_000n);
  await stage.caughtUp();
});

after(() => stage?.close());

const post = (path: string, body?: unknown): Promise<Answer> => stage.http.post(SWAPS + path, body);

async function ask(askId: string): Promise<JsonRow> {
  return (await stage.http.get(`${SWAPS}/asks/${askId}`)).body;
}

async function untilAsk(askId: string, status: string): Promise<JsonRow> {
  let row: JsonRow = {};
  await stage.until(`ask ${status}`, async () => {
    row = await ask(askId);
    return row["status"] === status;
  });
  return row;
}

test("S-32: a refused expiry is named in the message, as every other field is", async () => {
  const { body } = await signAsk(stage, party(stage, 2), { expiry: 1_000_000_000, nonce: 1n });
  const refused = await post("/asks", body);
  assert.deepEqual([refused.status, refused.body["error"]], [400, "INVALID_REQUEST"]);
  assert.match(
    String(refused.body["message"]),
    /^`expiry`: must be after [0-9]+ and at most [0-9]+ \(30 days ahead\)\.$/,
  );
});

test("S-34: a balance that pays for two asks; the oldest stay funded; a refill reopens", async () => {
  const seller = party(stage, 2);
  const first = await postAsk(stage, seller, { nonce: 1n, pearlSat: 2n * ONE });
  const createdAt = async ({ askId }: { readonly askId: string }) => Number((await ask(askId))["created_at"]);
  // A later second, whichever of the clocks is ahead.
  await stage.moveTo((await createdAt(first)) + 1);
  const second = await postAsk(stage, seller, { nonce: 2n, pearlSat: ONE });
  assert.ok((await createdAt(first)) < (await createdAt(second)), "in one second the hash is the age");
  const third = await signAsk(stage, seller, { nonce: 3n, pearlSat: 10_000n });
  const refused = await post("/asks", third.body);
  assert.deepEqual([refused.status, refused.body["error"]], [400, "ASK_INSUFFICIENT_SELLER_BALANCE"]);
  // Two of three outputs go: what is left pays for neither sum, and the second is not served before the first.
  const elsewhere = htlcOf(seededSecret(900).hashlock, party(stage, 1), seller, 1_900_000_000);
  payLock(stage, seller, elsewhere, 50_000_000n);
  await stage.minePearl(1);
  const row = await untilAsk(second.askId, "ASK_PAUSED");
  assert.deepEqual([row["funded"], (await ask(first.askId))["status"]], [false, "ASK_OPEN"]);
  const shown = rowsOf(await stage.http.get(`${SWAPS}/asks?seller_evm=${seller.evm}`));
  assert.deepEqual(
    shown.map((one) => one["ask_id"]),
    [first.askId],
  );
  const all = rowsOf(await stage.http.get(`${SWAPS}/asks?seller_evm=${seller.evm}&include_unfunded=true`));
  assert.equal(all.length, 2);
  const body = takeBody(party(stage, 1), seededSecret(1).hashlock, await times(stage));
  const take = await post(`/asks/${second.askId}/take`, body);
  assert.deepEqual(
    [take.status, take.body["error"], take.body["details"]],
    [409, "ASK_PAUSED", { status: "ASK_PAUSED" }],
  );
  await payOutputs(stage, seller, 1, ONE);
  await untilAsk(second.askId, "ASK_OPEN");
});

test("S-40: two takers at once both get takes; the first lock wins, the other is told ASK_TAKEN", async () => {
  const [one, other, seller] = [party(stage, 1), party(stage, 4), party(stage, 3)];
  const offer = await postAsk(stage, seller, { nonce: 1n });
  const at = await times(stage);
  const bodies = [
    takeBody(one, seededSecret(10).hashlock, at),
    takeBody(other, seededSecret(11).hashlock, at),
  ];
  const same = Array.from({ length: 6 }, () => bodies).flat();
  const answers = await Promise.all(same.map((body) => post(`/asks/${offer.askId}/take`, body)));
  const counts = (status: number): number => answers.filter((answer) => answer.status === status).length;
  assert.deepEqual([counts(201), counts(200)], [2, 10]);
  const unfunded = await stage.http.get(`${SWAPS}/asks/${offer.askId}/deal`);
  assert.deepEqual([unfunded.body["error"], unfunded.body["details"]], ["DEAL_NOT_FOUND", { unfunded: 2 }]);
  const [mine, theirs] = [answers[0], answers[1]];
  assert.ok(mine !== undefined && theirs !== undefined);
  await lockUsdc(stage, other, theirs);
  await stage.mineEvm(3);
  await assert.rejects(lockUsdc(stage, one, mine));
  const late = await post(`/asks/${offer.askId}/take`, { ...bodies[0], nonce: "1" });
  assert.deepEqual(
    [late.status, late.body["error"], late.body["details"]],
    [409, "ASK_PAUSED", { status: "ASK_TAKEN" }],
  );
  assert.equal(
    (await post(`/asks/${offer.askId}/take`, bodies[0])).status,
    200,
    "a live take is known whatever else",
  );
  const bound = await stage.http.get(`${SWAPS}/asks/${offer.askId}/deal`);
  assert.equal(bound.body["deal_hash"], theirs.body["deal_hash"]);
  assert.equal((await ask(offer.askId))["status"], "ASK_TAKEN");
});

test("the same POST of an ask at once: exactly one 201", async () => {
  const offer = await signAsk(stage, party(stage, 3), { nonce: 2n });
  const answers = await Promise.all(Array.from({ length: 8 }, () => post("/asks", offer.body)));
  const counts = [201, 200].map((wanted) => answers.filter(({ status }) => status === wanted).length);
  assert.deepEqual(counts, [1, 7]);
});

test("S-31: v 0 and 1, and EIP-2098, are kept and handed out as 65 bytes with v 27 or 28", async () => {
  const seller = party(stage, 3);
  const made = await signAsk(stage, seller, { nonce: 3n });
  const digits = made.signature.slice(2);
  const v = Number.parseInt(digits.slice(128), 16);
  const short = `0x${digits.slice(0, 64)}${(
    (Number.parseInt(digits.slice(64, 66), 16) | ((v - 27) << 7)) >>>
    0
  )
    .toString(16)
    .padStart(2, "0")}${digits.slice(66, 128)}`;
  const low = `0x${digits.slice(0, 128)}0${v - 27}`;
  for (const signature of [short, low, made.signature.toUpperCase().replace("X", "x")]) {
    const answer = await post("/asks", { ...made.body, seller_evm_signature: signature });
    assert.ok(answer.status < 300, answer.text);
    assert.equal(answer.body["seller_evm_signature"], made.signature);
  }
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const high = (order - BigInt(`0x${digits.slice(64, 128)}`)).toString(16).padStart(64, "0");
  for (const signature of [
    `0x${digits.slice(0, 64)}${high}${v === 27 ? "1c" : "1b"}`,
    `0x${digits.slice(0, 128)}1d`,
    digits,
    `${made.signature}00`,
  ]) {
    const answer = await post("/asks", { ...made.body, seller_evm_signature: signature });
    assert.equal(answer.body["error"], "ASK_SELLER_SIGNATURE_INVALID", signature);
  }
});

test("S-31: an ERC-1271 seller; its signature becomes invalid: refused at take, paused at the re-check, back again", async () => {
  const [owner, buyer] = [party(stage, 3), party(stage, 1)];
  const address = await deployTestContract(stage.anvil, "SmartWallet", walletAbi, [owner.evm]);
  const wallet = address.toLowerCase() as Hex;
  const made = await signAsk(stage, { ...owner, evm: wallet }, { nonce: 1n, pearlSat: 1_000_000n });
  const message = askMessage(domainOf(stage), made.ask);
  const signature = signSwapMessage(message, privateKeyOf(owner.account));
  const foreign = await post("/asks", {
    ...made.body,
    seller_evm_signature: signSwapMessage(message, privateKeyOf(buyer.account)),
  });
  assert.equal(foreign.body["error"], "ASK_SELLER_SIGNATURE_INVALID", foreign.text);
  // Who signs otherwise than the service reads sees it here.
  assert.deepEqual(foreign.body["details"], { ask_id: swapMessageDigest(message) });
  const posted = await post("/asks", { ...made.body, seller_evm_signature: signature });
  assert.equal(posted.status, 201, posted.text);
  const askId = swapMessageDigest(message);
  const taken = await postTake(stage, askId, buyer, 20);
  assert.equal(Object(taken.answer.body["lock_call"]).seller_signature, signature);
  const refuse = async (value: boolean): Promise<void> => {
    const sender = stage.anvil.walletClient(0);
    await mined(
      stage,
      await sender.writeContract({ address, abi: walletAbi, functionName: "setRefuses", args: [value] }),
    );
  };
  await refuse(true);
  const body = takeBody(buyer, seededSecret(21).hashlock, await times(stage));
  const refused = await post(`/asks/${askId}/take`, body);
  assert.deepEqual(
    [refused.body["error"], refused.body["details"]],
    ["ASK_PAUSED", { status: "ASK_PAUSED" }],
  );
  await refuse(false);
  await untilAsk(askId, "ASK_OPEN");
  await refuse(true);
  await untilAsk(askId, "ASK_PAUSED");
});

test("H-42, S-64: a refused action or origin says which digest was to be signed", async () => {
  const [buyer, seller] = [party(stage, 4), party(stage, 3)];
  const { askId } = await postAsk(stage, seller, { nonce: 25n });
  const deadline = (await nowOf(stage)) + 60;
  const action = await post(`/asks/${askId}/pause`, actionBody(stage, buyer, askId, "pause", deadline));
  assert.equal(action.body["error"], "ASK_ACTION_SIGNATURE_INVALID", action.text);
  const paused = swapMessageDigest(askActionMessage(domainOf(stage), askId, "pause", deadline));
  assert.deepEqual(action.body["details"], { digest: paused });
  const order = await lockBid(stage, buyer, await bidTerms(stage, buyer, 26));
  await stage.caughtUp();
  const made = originBody(stage, buyer, order, "web");
  const origin = await post(`/bids/${order}/origin`, { ...made, ref: "r" });
  assert.equal(origin.body["error"], "ORIGIN_SIGNATURE_INVALID", origin.text);
  const named = swapMessageDigest(bidOriginMessage(domainOf(stage), order, "web", "r"));
  assert.deepEqual(origin.body["details"], { digest: named });
});

test("S-33: revoked on chain: cancelled; undone by a reorganisation: open again", async () => {
  const seller = party(stage, 3);
  const offer = await postAsk(stage, seller, { nonce: 30n });
  await escrowCall(stage, seller, "revokeAsks", [31n]);
  await untilAsk(offer.askId, "ASK_CANCELLED");
  await stage.anvil.reorg(1);
  await untilAsk(offer.askId, "ASK_OPEN");
});

test("S-30, S-33: a new fee pauses asks of the old one, and is the default of new ones", async () => {
  const seller = party(stage, 3);
  const old = await postAsk(stage, seller, { nonce: 40n });
  const recipient = party(stage, 6).evm;
  const setFee = async (bps: number, to: Hex): Promise<void> => {
    const sender = stage.anvil.walletClient(0);
    const call = {
      address: stage.escrow.address,
      abi: escrowAbi,
      functionName: "setFee",
      args: [bps, to],
    } as const;
    await mined(stage, await sender.writeContract(call));
    await stage.caughtUp();
  };
  await setFee(100, recipient);
  assert.equal((await ask(old.askId))["status"], "ASK_PAUSED");
  const told = await stage.http.get(`${SWAPS}/typed-data`);
  assert.deepEqual(
    [Object(told.body["escrow"]).fee_bps, Object(told.body["escrow"]).fee_recipient],
    [100, recipient],
  );
  const made = await signAsk(stage, seller, { nonce: 41n });
  const message = askMessage(domainOf(stage), { ...made.ask, feeBps: 100, feeRecipient: recipient });
  const body = { ...made.body, seller_evm_signature: signSwapMessage(message, privateKeyOf(seller.account)) };
  const fresh = await post("/asks", body);
  assert.equal(fresh.status, 201, fresh.text);
  assert.deepEqual([fresh.body["fee_bps"], fresh.body["fee_recipient"]], [100, recipient]);
  await setFee(200, stage.escrow.feeRecipient);
  assert.equal((await ask(old.askId))["status"], "ASK_OPEN");
  assert.equal((await ask(swapMessageDigest(message)))["status"], "ASK_PAUSED");
});

test("S-05, S-33: expired at now >= expiry; a signed pause outlives a restart; dead things stay dead over one", async () => {
  const seller = party(stage, 3);
  const now = await nowOf(stage);
  const short = await postAsk(stage, seller, { nonce: 50n, expiry: now + 900 });
  const paused = await postAsk(stage, seller, { nonce: 51n });
  await post(`/asks/${paused.askId}/pause`, actionBody(stage, seller, paused.askId, "pause", now + 600));
  const taken = await postTake(stage, short.askId, party(stage, 1), 50);
  await stage.moveTo(now + 901);
  assert.equal((await ask(short.askId))["status"], "ASK_CANCELLED");
  const late = await post(
    `/asks/${short.askId}/take`,
    takeBody(party(stage, 1), seededSecret(51).hashlock, await times(stage)),
  );
  assert.deepEqual([late.body["error"], late.body["details"]], ["ASK_PAUSED", { status: "ASK_CANCELLED" }]);
  await stage.moveTo(now + 1400);
  const dead = await stage.http.get(`${SWAPS}/deals/${taken.dealHash}`);
  assert.deepEqual([dead.body["expired"], dead.body["buyer_pearl_address"]], [true, party(stage, 1).address]);
  await stage.stopService();
  await stage.startService({ "--evm-rpc-urls": "http://127.0.0.1:1" }, false);
  assert.equal(
    (await ask(short.askId))["status"],
    "ASK_CANCELLED",
    "without an EVM node it must not come back to life",
  );
  assert.equal((await stage.http.get(`${SWAPS}/deals/${taken.dealHash}`)).body["expired"], true);
  await stage.stopService();
  await stage.startService();
  assert.equal((await ask(paused.askId))["status"], "ASK_PAUSED");
});
