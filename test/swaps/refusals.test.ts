// Every error code of H-45 is reached over HTTP, in the order in which the rules ask: S-32 for asks, S-40 for takes,
// H-42 for signed actions, S-64 for origins. Each sequence begins with everything wrong and mends one thing after the
// other.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Hex } from "viem";
import { ERRORS } from "../../src/http/errors.ts";
import { signPearlProof } from "../../src/wallet/index.ts";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import {
  escrowCall,
  fund,
  party,
  seededSecret,
  signAsk,
  type SignedAsk,
  times,
} from "../../testkit/worlds/swap-stage/parties.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import {
  actionBody,
  bidTerms,
  lockAsk,
  lockBid,
  nowOf,
  openDeal,
  originBody,
  payOutputs,
  postAsk,
  postTake,
  rowsOf,
  SWAPS,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { RpcProxy } from "../../testkit/worlds/swap-stage/rpc-proxy.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { refusalOf } from "./refusal-of.ts";
import { takeBody, NOBODY } from "../../testkit/builders/party.ts";

const UNKNOWN: Hex = `0x${"9".repeat(64)}`;
const DAY = 86_400;

let stage: SwapStage;
const reached = new Set<string>();

before(async () => {
  stage = await SwapStage.open();
  for (const index of [2, 3]) await payOutputs(stage, party(stage, index), 4, 2_000_000_000n);
  for (const index of [1, 4]) await fund(stage, party(stage, index), 1_000_000_000n);
  await stage.caughtUp();
});

after(() => stage?.close());

function refusedWith(answer: Answer, code: keyof typeof ERRORS): JsonRow {
  reached.add(code);
  return refusalOf(answer, code);
}

const post = (path: string, body?: unknown): Promise<Answer> => stage.http.post(SWAPS + path, body);

describe("POST asks, in the order of S-32", () => {
  test("shape, minimum, key, signature, proof, expiry, nonce, taken", async () => {
    const seller = party(stage, 2);
    const now = await nowOf(stage);
    const old = await signAsk(stage, seller, { expiry: now - 1, nonce: 3n });
    const wrong = {
      ...old.body,
      usdc_amount: "999999",
      seller_pearl_pubkey: party(stage, 3).pub,
      seller_evm_signature: "0x00",
      seller_pearl_signature: "no",
    };
    const shape = refusedWith(
      await post("/asks", { ...wrong, pearl_amount_sat: 5, fee_bps: "200" }),
      "INVALID_REQUEST",
    );
    assert.deepEqual(Object.keys(shape).toSorted(), ["fee_bps", "pearl_amount_sat"]);
    const fee = { ...wrong, fee_bps: 199, fee_recipient: party(stage, 5).evm };
    assert.deepEqual(Object.keys(refusedWith(await post("/asks", fee), "INVALID_REQUEST")).toSorted(), [
      "fee_bps",
      "fee_recipient",
    ]);
    const below = refusedWith(await post("/asks", wrong), "ASK_BELOW_MIN_USDC");
    assert.equal(below["min_usdc_amount"], "1000000");
    const enough = { ...wrong, usdc_amount: "1000000" };
    refusedWith(await post("/asks", enough), "ASK_SELLER_PEARL_PUBKEY_MISMATCH");
    refusedWith(
      await post("/asks", { ...enough, seller_pearl_pubkey: seller.pub }),
      "ASK_SELLER_SIGNATURE_INVALID",
    );
    refusedWith(
      await post("/asks", { ...old.body, seller_pearl_signature: "no" }),
      "ASK_PEARL_PROOF_INVALID",
    );
    const otherProof = signPearlProof(party(stage, 3).key, old.askId);
    refusedWith(
      await post("/asks", { ...old.body, seller_pearl_signature: otherProof }),
      "ASK_PEARL_PROOF_INVALID",
    );
    assert.deepEqual(Object.keys(refusedWith(await post("/asks", old.body), "INVALID_REQUEST")), ["expiry"]);
    const far = await signAsk(stage, seller, { expiry: now + 30 * DAY + 600, nonce: 3n });
    assert.deepEqual(Object.keys(refusedWith(await post("/asks", far.body), "INVALID_REQUEST")), ["expiry"]);

    const kept = await postAsk(stage, seller, { nonce: 4n });
    await escrowCall(stage, seller, "revokeAsks", [5n]);
    await stage.caughtUp();
    const revoked = await signAsk(stage, seller, { nonce: 3n });
    assert.equal(refusedWith(await post("/asks", revoked.body), "ASK_NONCE_REVOKED")["min_nonce"], "5");
    const again = await post("/asks", kept.body);
    assert.deepEqual([again.status, again.body["status"]], [200, "ASK_CANCELLED"]);

    const offer = await signAsk(stage, seller, { nonce: 5n });
    const buyer = party(stage, 1);
    const hash = await lockAsk(stage, buyer, offer, await bidTerms(stage, buyer, 50));
    await stage.caughtUp();
    refusedWith(await post("/asks", offer.body), "ASK_TAKEN");
    // S-42: its deal shows all the same, and the ask does not.
    refusedWith(await stage.http.get(`${SWAPS}/asks/${offer.askId}`), "ASK_NOT_FOUND");
    const deal = await stage.http.get(`${SWAPS}/asks/${offer.askId}/deal`);
    assert.equal(deal.body["deal_hash"], hash, deal.text);
  });

  test("a proof that is right shows; a compressed key and an address in capitals are the same ask", async () => {
    const seller = party(stage, 2);
    const offer = await signAsk(stage, seller, { nonce: 6n, pearlSat: 20_000n });
    const proof = signPearlProof(seller.key, offer.askId);
    const answer = await post("/asks", {
      ...offer.body,
      seller_pearl_pubkey: `02${seller.pub.slice(2).toUpperCase()}`,
      seller_pearl_address: seller.address.toUpperCase(),
      seller_pearl_signature: proof.slice(2),
    });
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body["pearl_key_proven"], true);
    assert.equal(answer.body["ask_id"], offer.askId);
  });

  test("the fiftieth open ask is the last, and the balance is for all of them", async () => {
    const seller = party(stage, 3);
    const offers: SignedAsk[] = [];
    for (let nonce = 1; nonce <= 50; nonce += 1) {
      offers.push(await postAsk(stage, seller, { nonce: BigInt(nonce), pearlSat: 100_000_000n }));
    }
    const more = await signAsk(stage, seller, { nonce: 51n, pearlSat: 8_000_000_000n });
    refusedWith(await post("/asks", more.body), "ASK_LIMIT_REACHED");
    const [first] = offers;
    assert.ok(first !== undefined);
    const cancel = actionBody(stage, seller, first.askId, "cancel", (await nowOf(stage)) + 600);
    const cancelled = await post(`/asks/${first.askId}/cancel`, cancel);
    assert.equal(cancelled.body["binding_on_chain"], false, cancelled.text);
    assert.equal(cancelled.body["status"], "ASK_CANCELLED");
    const details = refusedWith(await post("/asks", more.body), "ASK_INSUFFICIENT_SELLER_BALANCE");
    const sums = { needed_sat: "12900000000", balance_sat: "8000000000" };
    assert.deepEqual(details, { ...sums, proven_possible: false });
  });
});

describe("POST take, in the order of S-40", () => {
  let offer: SignedAsk;
  let good: JsonRow;

  before(async () => {
    offer = await postAsk(stage, party(stage, 2), { nonce: 20n });
    good = takeBody(party(stage, 1), seededSecret(20).hashlock, await times(stage));
  });

  const take = (change: object): Promise<Answer> => post(`/asks/${offer.askId}/take`, { ...good, ...change });

  test("from shape to times", async () => {
    const seller = party(stage, 2);
    const now = await nowOf(stage);
    const wrong = {
      buyer_pearl_pubkey: seller.pub,
      seller_pearl_pubkey: party(stage, 3).pub,
      evm_order_hash: UNKNOWN,
      pearl_refund_time: now + 4 * 3600 - 300,
      evm_refund_time: now + 73 * 3600,
    };
    refusedWith(await take({ ...wrong, hashlock: "0x00", buyer_evm: NOBODY }), "INVALID_REQUEST");
    refusedWith(await take({ ...wrong, hashlock: "0".repeat(64) }), "INVALID_REQUEST");
    refusedWith(await post(`/asks/${UNKNOWN}/take`, { ...good, ...wrong }), "ASK_NOT_FOUND");
    const shape = refusedWith(await take({ ...wrong, buyer_evm: seller.evm, fee_bps: 1 }), "INVALID_REQUEST");
    assert.deepEqual(Object.keys(shape).toSorted(), ["buyer_evm", "fee_bps"]);
    refusedWith(await take(wrong), "ASK_BUYER_PEARL_PUBKEY_MISMATCH");
    // The seller's own key and address fit each other, and are not the buyer's.
    const equal = { ...wrong, buyer_pearl_address: seller.address };
    refusedWith(await take(equal), "ASK_BUYER_PEARL_PUBKEY_MISMATCH");
    const { buyer_pearl_pubkey: _key, ...mine } = wrong;
    refusedWith(await take(mine), "ASK_SELLER_PEARL_PUBKEY_MISMATCH");
    const address = {
      ...mine,
      seller_pearl_pubkey: seller.pub,
      seller_pearl_address: party(stage, 3).address,
    };
    refusedWith(await take(address), "ASK_SELLER_PEARL_PUBKEY_MISMATCH");
    const { seller_pearl_pubkey: _other, ...named } = mine;
    refusedWith(await take(named), "CANONICAL_DEAL_NOT_FOUND");
    const { evm_order_hash: _hash, ...late } = named;
    assert.equal(refusedWith(await take(late), "TIMELOCK_INVALID")["bound"], "pearl_min");
    const pearl = { ...late, pearl_refund_time: now + 6 * 3600 };
    const max = refusedWith(await take(pearl), "TIMELOCK_INVALID");
    assert.equal(max["bound"], "evm_max");
    assert.ok(Number.isInteger(max["needed"]));
    const tight = { pearl_refund_time: now + 6 * 3600, evm_refund_time: now + 12 * 3600 - 1 };
    assert.deepEqual(refusedWith(await take(tight), "TIMELOCK_INVALID"), {
      bound: "margin",
      needed: now + 12 * 3600,
    });
    const exact = await take({
      ...tight,
      evm_refund_time: now + 12 * 3600,
      hashlock: seededSecret(21).hashlock,
    });
    assert.equal(exact.status, 201, exact.text);
    const hash = String(exact.body["deal_hash"]);
    const canonical = {
      ...tight,
      evm_refund_time: now + 12 * 3600,
      hashlock: seededSecret(21).hashlock,
      evm_order_hash: hash,
    };
    // The hash is right, and its order is not indexed.
    refusedWith(await take(canonical), "CANONICAL_DEAL_NOT_FOUND");
  });

  test("known before paused, paused before reused, reused before times", async () => {
    const [buyer, seller] = [party(stage, 1), party(stage, 2)];
    const used = await openDeal(stage, { buyer, seller }, 22);
    const reused = { hashlock: used.hashlock, pearl_refund_time: (await nowOf(stage)) + 100 };
    refusedWith(await take(reused), "HASHLOCK_REUSED");
    // Another buyer may have the same hashlock: the contract counts per buyer.
    const other = takeBody(party(stage, 4), used.hashlock, await times(stage));
    assert.equal((await post(`/asks/${offer.askId}/take`, other)).status, 201);
    const known = await postTake(stage, offer.askId, buyer, 23);
    const deadline = (await nowOf(stage)) + 600;
    const paused = await post(
      `/asks/${offer.askId}/pause`,
      actionBody(stage, seller, offer.askId, "pause", deadline),
    );
    assert.equal(paused.body["status"], "ASK_PAUSED", paused.text);
    assert.equal(refusedWith(await take(reused), "ASK_PAUSED")["status"], "ASK_PAUSED");
    assert.equal((await post(`/asks/${offer.askId}/take`, known.body)).status, 200);
    const taken = refusedWith(await post(`/asks/${used.offer.askId}/take`, good), "ASK_PAUSED");
    assert.equal(taken["status"], "ASK_TAKEN");
    const indexed = await post(`/asks/${used.offer.askId}/take`, {
      ...used.body,
      evm_order_hash: used.dealHash,
    });
    assert.deepEqual([indexed.status, indexed.body["lock_call"]], [200, null]);
  });
});

test("H-42: shape, ask, signature, replay, deadline, conflict", async () => {
  const seller = party(stage, 2);
  const { askId } = await postAsk(stage, seller, { nonce: 30n });
  const now = await nowOf(stage);
  const act = (action: "pause" | "resume" | "cancel", body: object, id: Hex = askId): Promise<Answer> =>
    post(`/asks/${id}/${action}`, body);
  const sign = (action: "pause" | "resume" | "cancel", deadline: number, by = seller): JsonRow =>
    actionBody(stage, by, askId, action, deadline);
  refusedWith(await act("pause", { deadline: -1, signature: 5 }, UNKNOWN), "INVALID_REQUEST");
  refusedWith(await act("pause", { deadline: 500_000_000, signature: 5 }, UNKNOWN), "ASK_NOT_FOUND");
  for (const signature of [
    5,
    null,
    undefined,
    "",
    "0x",
    "0x12",
    "nonsense",
    sign("resume", 500_000_000)["signature"],
  ]) {
    refusedWith(await act("pause", { deadline: 500_000_000, signature }), "ASK_ACTION_SIGNATURE_INVALID");
  }
  refusedWith(await act("pause", sign("pause", now + 60, party(stage, 3))), "ASK_ACTION_SIGNATURE_INVALID");
  for (const deadline of [500_000_000, now - 5, now + 3600 + 120]) {
    const details = refusedWith(await act("pause", sign("pause", deadline)), "INVALID_REQUEST");
    assert.deepEqual(Object.keys(details), ["deadline"]);
  }
  const pause = sign("pause", now + 600);
  assert.equal((await act("pause", pause)).body["status"], "ASK_PAUSED");
  assert.equal((await act("pause", pause)).status, 200);
  refusedWith(await act("resume", sign("resume", now + 600)), "INVALID_REQUEST");
  refusedWith(await act("resume", sign("resume", now + 599)), "INVALID_REQUEST");
  assert.equal((await act("resume", sign("resume", now + 601))).body["status"], "ASK_OPEN");
  // The old pause is no longer the last accepted action.
  refusedWith(await act("pause", pause), "INVALID_REQUEST");
  const cancel = sign("cancel", now + 700);
  assert.equal((await act("cancel", cancel)).body["status"], "ASK_CANCELLED");
  assert.equal((await act("cancel", cancel)).body["binding_on_chain"], false);
  refusedWith(await act("resume", sign("resume", now + 701)), "ASK_CANCELLED");
  const taken = await openDeal(stage, { buyer: party(stage, 1), seller }, 31);
  const late = actionBody(stage, seller, taken.offer.askId, "pause", now + 800);
  refusedWith(await act("pause", late, taken.offer.askId), "ASK_TAKEN");
});

test("S-64, S-60: origin and accept-lock in their order", async () => {
  const buyer = party(stage, 1);
  const hash = await lockBid(stage, buyer, await bidTerms(stage, buyer, 40));
  await stage.caughtUp();
  const set = (body: object, order: Hex = hash): Promise<Answer> => post(`/bids/${order}/origin`, body);
  for (const origin of ["", "A", "a b", "x".repeat(65), 5, null]) {
    refusedWith(await set({ origin }, UNKNOWN), "INVALID_REQUEST");
  }
  refusedWith(await set({ origin: "web", ref: "x".repeat(129) }, UNKNOWN), "INVALID_REQUEST");
  refusedWith(await set({ origin: "web" }, UNKNOWN), "ORDER_NOT_FOUND");
  refusedWith(await set({ origin: "web" }), "ORIGIN_SIGNATURE_INVALID");
  refusedWith(await set(originBody(stage, party(stage, 2), hash, "web")), "ORIGIN_SIGNATURE_INVALID");
  refusedWith(await set({ ...originBody(stage, buyer, hash, "web"), ref: "r" }), "ORIGIN_SIGNATURE_INVALID");
  const first = await set(originBody(stage, buyer, hash, "web.app-1_x", "campaign 7"));
  assert.deepEqual(
    [first.status, first.body["origin"], first.body["ref"]],
    [200, "web.app-1_x", "campaign 7"],
  );
  const last = await set(originBody(stage, buyer, hash, "bot"));
  assert.deepEqual([last.status, last.body["origin"], last.body["ref"]], [200, "bot", null]);

  const hint = { pearl_lock_txid: "ab".repeat(32), pearl_lock_vout: 0 };
  const accept = (body: object, order: Hex = hash): Promise<Answer> =>
    post(`/deals/${order}/accept-lock`, body);
  refusedWith(await accept({ ...hint, pearl_lock_vout: "0" }, UNKNOWN), "INVALID_REQUEST");
  refusedWith(await accept({ pearl_lock_vout: 0 }, UNKNOWN), "INVALID_REQUEST");
  refusedWith(await accept(hint, UNKNOWN), "DEAL_NOT_FOUND");
  const misfit = { ...hint, buyer_pearl_address: party(stage, 2).address };
  refusedWith(await accept(misfit), "ASK_BUYER_PEARL_PUBKEY_MISMATCH");
  // No key of a seller yet: no address fits.
  const early = { ...hint, seller_pearl_address: party(stage, 2).address };
  refusedWith(await accept(early), "ASK_SELLER_PEARL_PUBKEY_MISMATCH");
  const bid = await accept({ ...hint, buyer_pearl_address: buyer.address });
  assert.deepEqual([bid.status, bid.body["buyer_pearl_address"]], [200, buyer.address], bid.text);
  assert.equal(bid.body["status"], "BID_CREATED");
  assert.equal(bid.body["pearl_lock_txid"], null);
});

test("what does not exist, and paths and bodies that are none", async () => {
  refusedWith(await stage.http.get(`${SWAPS}/deals/${UNKNOWN}`), "DEAL_NOT_FOUND");
  refusedWith(await stage.http.get(`${SWAPS}/${UNKNOWN}`), "ORDER_NOT_FOUND");
  refusedWith(await stage.http.get(`${SWAPS}/nothing/here`), "ROUTE_NOT_FOUND");
  refusedWith(await stage.http.get(`${SWAPS}/verify-lock/${UNKNOWN}`), "METHOD_NOT_ALLOWED");
  refusedWith(await stage.http.get(`${SWAPS}/asks?next=zzz`), "CURSOR_INVALID");
  const both = refusedWith(await stage.http.get(`${SWAPS}/asks?next=a&prev=b`), "INVALID_REQUEST");
  assert.deepEqual(Object.keys(both), ["next", "prev"]);
  refusedWith(await post("/asks", { long: "x".repeat(70_000) }), "BODY_TOO_LARGE");
  const text = { body: "{}", headers: { "content-type": "text/plain" } };
  refusedWith(await stage.http.send("POST", `${SWAPS}/asks`, text), "UNSUPPORTED_MEDIA_TYPE");
  const offer = await postAsk(stage, party(stage, 2), { nonce: 60n, pearlSat: 10_000n });
  const { secret } = await postTake(stage, offer.askId, party(stage, 1), 60);
  refusedWith(await stage.http.get(`${SWAPS}/deals/${secret}`), "SECRET_REFUSED");
});

describe("sources that do not answer", () => {
  let proxy: RpcProxy;

  before(async () => {
    proxy = await RpcProxy.open(stage.anvil.url);
    await stage.stopService();
  });

  after(() => proxy.close());

  test("no balance; an EVM node that falls behind, then silent", async () => {
    await stage.startService({
      "--evm-rpc-urls": proxy.url,
      "--pearl-balance-source": "http://127.0.0.1:1",
    });
    const seller = party(stage, 2);
    const offer = await signAsk(stage, seller, { nonce: 70n, pearlSat: 10_000n });
    refusedWith(await post("/asks", offer.body), "BALANCE_UNAVAILABLE");
    const known = await signAsk(stage, seller, { nonce: 6n, pearlSat: 20_000n });
    const [openAsk] = rowsOf(await stage.http.get(`${SWAPS}/asks?status=ASK_OPEN&limit=1`)).map(
      (row) => row["ask_id"],
    );
    const body = takeBody(party(stage, 1), seededSecret(70).hashlock, await times(stage));
    proxy.twist = ({ method }) => (method === "eth_getLogs" ? "fail" : "pass");
    await stage.anvil.increaseTo((await stage.anvil.time()) + 100n);
    await stage.until("the lag is seen", async () => {
      const answer = await post("/asks", offer.body);
      return answer.body["error"] === "INDEXER_NOT_SYNCED";
    });
    const lag = refusedWith(await post("/asks", offer.body), "INDEXER_NOT_SYNCED");
    assert.ok(Number(lag["evm_lag_s"]) > 60, JSON.stringify(lag));
    refusedWith(await post(`/asks/${String(openAsk)}/take`, body), "INDEXER_NOT_SYNCED");
    proxy.isDown = true;
    refusedWith(await post("/asks", known.body), "EVM_RPC_UNAVAILABLE");
    proxy.isDown = false;
    proxy.twist = () => "pass";
    await stage.caughtUp();
  });
});

test("every code of swaps was reached; verdicts reach PEARL_NODE_UNAVAILABLE", () => {
  const elsewhere = new Set(
    "LISTING_NOT_OPEN TARGET_TOO_LONG EXPECTATION_FAILED REQUEST_TIMEOUT RATE_LIMITED HEADERS_TOO_LARGE INTERNAL_ERROR SERVICE_UNAVAILABLE SWAPS_DISABLED".split(
      " ",
    ),
  );
  const missing = Object.keys(ERRORS).filter((code) => !reached.has(code) && !elsewhere.has(code));
  assert.deepEqual(missing, ["PEARL_NODE_UNAVAILABLE"]);
});
