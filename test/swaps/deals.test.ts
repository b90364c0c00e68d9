// Deals and bids go on over HTTP as the rules say (S-42, S-50 to S-53, S-60): bids from lock to accept or cancel, late
// and private claims, hints, dropped takes, reorganisations of both chains, restarts, and a rebuild from nothing.

import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import {
  claimPearl,
  escrowCall,
  fund,
  lockUsdc,
  party,
  refundPearl,
  times,
} from "../../testkit/worlds/swap-stage/parties.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import {
  actionsOf,
  bidTerms,
  dealOf,
  lockBid,
  htlcOf,
  nowOf,
  openDeal,
  payLock,
  payOutputs,
  postAsk,
  postTake,
  rowsOf,
  SWAPS,
  untilDeal,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";

const ONE = 100_000_000n;
let stage: SwapStage;

before(async () => {
  stage = await SwapStage.open({ flags: { "--take-max": "3" } });
  await payOutputs(stage, party(stage, 2), 30, 2n * ONE);
  for (const index of [1, 4]) await fund(stage, party(stage, index), 500_000_000n);
  await stage.caughtUp();
});

after(() => stage?.close());

const get = (path: string): Promise<Answer> => stage.http.get(SWAPS + path);
const post = (path: string, body?: unknown): Promise<Answer> => stage.http.post(SWAPS + path, body);
const parties = () => ({ buyer: party(stage, 1), seller: party(stage, 2) });

test("S-52: an open bid is created, open, accepted by a front-runner, settled; a named one only by its seller", async () => {
  const { buyer, seller } = parties();
  const stranger = party(stage, 5);
  const status = async (hash: string): Promise<unknown> => (await get(`/${hash}`)).body["status"];
  const terms = await bidTerms(stage, buyer, 1);
  const hash = await lockBid(stage, buyer, terms);
  await stage.caughtUp();
  assert.equal(await status(hash), "BID_CREATED");
  await stage.mineEvm(3);
  const open = (await get(`/${hash}`)).body;
  assert.deepEqual(
    [open["kind"], open["status"], open["seller_evm"], open["pearl_lock_address"]],
    ["bid", "BID_OPEN", null, null],
  );
  assert.deepEqual(actionsOf(open), ["seller accept_bid", "buyer refund_usdc", "buyer cancel_bid"]);
  assert.equal((await get(`/deals/${hash}`)).status, 404);
  await escrowCall(stage, stranger, "accept", [hash, stranger.pub]);
  await assert.rejects(escrowCall(stage, seller, "accept", [hash, seller.pub]));
  await stage.mineEvm(3);
  const deal = await dealOf(stage, hash);
  assert.deepEqual(
    [deal["seller_evm"], deal["seller_pearl_pubkey"], deal["status"]],
    [stranger.evm, stranger.pub, "USDC_LOCKED"],
  );
  assert.equal(rowsOf(await get("/bids?status=BID_ACCEPTED"))[0]?.["order_hash"], hash);
  const named = await lockBid(stage, buyer, await bidTerms(stage, buyer, 2, { seller: seller.evm }));
  await assert.rejects(escrowCall(stage, stranger, "accept", [named, stranger.pub]));
  await stage.caughtUp();
  assert.equal((await get(`/${named}`)).body["seller_evm"], seller.evm);
  assert.deepEqual(
    rowsOf(await get(`/bids?seller_evm=${seller.evm}`)).map((row) => row["order_hash"]),
    [named],
  );
  await escrowCall(stage, buyer, "cancel", [named]);
  await stage.caughtUp();
  assert.equal(await status(named), "BID_CANCELLED");
});

test("S-42: beyond TAKE_MAX the oldest take goes; the same POST restores it, also after its order is indexed", async () => {
  const { buyer, seller } = parties();
  const offer = await postAsk(stage, seller, { nonce: 10n });
  const at = await times(stage);
  const takes = [];
  for (const seed of [10, 11, 12, 13]) takes.push(await postTake(stage, offer.askId, buyer, seed, at));
  const [first] = takes;
  assert.ok(first !== undefined);
  assert.equal((await get(`/deals/${first.dealHash}`)).status, 404);
  assert.equal((await post(`/asks/${offer.askId}/take`, first.body)).status, 201);
  assert.equal((await get(`/deals/${takes[1]?.dealHash ?? ""}`)).status, 404);
  for (const seed of [14, 15, 16]) await postTake(stage, offer.askId, buyer, seed, at);
  assert.equal((await get(`/deals/${first.dealHash}`)).status, 404);
  await lockUsdc(stage, buyer, first.answer);
  await stage.caughtUp();
  assert.equal((await dealOf(stage, first.dealHash))["buyer_pearl_address"], null);
  const restored = await post(`/asks/${offer.askId}/take`, first.body);
  assert.deepEqual([restored.status, restored.body["buyer_pearl_address"]], [200, buyer.address]);
});

test("S-42: a take whose lock arrives after its death is a deal; its addresses are kept", async () => {
  const { buyer, seller } = parties();
  const offer = await postAsk(stage, seller, { nonce: 20n });
  const taken = await postTake(stage, offer.askId, buyer, 20);
  await stage.moveTo((await nowOf(stage)) + 1300);
  const dead = await dealOf(stage, taken.dealHash);
  assert.deepEqual([dead["expired"], actionsOf(dead)], [true, []]);
  assert.notEqual(dead["lock_call"], null);
  await lockUsdc(stage, buyer, taken.answer);
  await stage.mineEvm(3);
  const row = await dealOf(stage, taken.dealHash);
  assert.deepEqual(
    [row["status"], row["expired"], row["buyer_pearl_address"]],
    ["USDC_LOCKED", false, buyer.address],
  );
});

test("S-60: hints: an older mined lock is found by the watch itself; a foreign one is a hint that verify-lock judges", async () => {
  const { buyer, seller } = parties();
  const at = await times(stage);
  const early = htlcOf((await postTakeOnly(30, at)).hashlock, buyer, seller, at.pearlRefundTime);
  const coin = payLock(stage, seller, early, ONE);
  await stage.minePearl(3);
  const deal = await openDeal(stage, { buyer, seller }, 30, { at });
  await untilDeal(stage, deal.dealHash, "LOCK_SUBMITTED");
  assert.equal((await dealOf(stage, deal.dealHash))["pearl_lock_txid"], coin.txid);

  const other = await openDeal(stage, { buyer, seller }, 31);
  const wrong = await payOutputs(stage, party(stage, 5), 1, ONE);
  const before31 = await dealOf(stage, other.dealHash);
  const accepted = await post(`/deals/${other.dealHash}/accept-lock`, {
    pearl_lock_txid: wrong,
    pearl_lock_vout: 0,
  });
  assert.equal(accepted.status, 200, accepted.text);
  assert.deepEqual(accepted.body["pearl_lock_outputs"], [], "a hint is in no row");
  assert.equal(before31["pearl_lock_txid"], null);
  const verdict = await post(`/deals/${other.dealHash}/verify-lock`);
  assert.equal(verdict.body["reason"], "TAPROOT_COMMITMENT_MISMATCH", verdict.text);
});

async function postTakeOnly(seed: number, at: { pearlRefundTime: number; evmRefundTime: number }) {
  const { buyer, seller } = parties();
  const offer = await postAsk(stage, seller, { nonce: BigInt(1000 + seed) });
  return postTake(stage, offer.askId, buyer, seed, at);
}

test("S-51: a PEARL reorganisation takes the lock back to the mempool, and the status with it", async () => {
  const { buyer, seller } = parties();
  const deal = await openDeal(stage, { buyer, seller }, 40);
  payLock(stage, seller, deal.lock, ONE);
  await stage.minePearl(6);
  await untilDeal(stage, deal.dealHash, "PEARL_LOCKED");
  const evmBefore = (await get("/stats")).headers.get("x-evm-indexed-height");
  const { tip } = stage.pearl.chain;
  let fork = tip;
  for (let i = 0; i < 5; i += 1) fork = fork.parent ?? fork;
  stage.pearl.invalidateBlock(fork.hash);
  stage.pearl.generate(1, { transactions: "none" });
  await stage.until("the index is back", async () => {
    const height = Number((await get("/stats")).headers.get("x-indexed-height"));
    return height === stage.pearl.chain.tip.height;
  });
  const back = await untilDeal(stage, deal.dealHash, "LOCK_SUBMITTED");
  assert.equal(Object(back["pearl_leg"]).state, "mempool");
  assert.equal((await get("/stats")).headers.get("x-evm-indexed-height"), evmBefore);
  await stage.minePearl(6);
  await untilDeal(stage, deal.dealHash, "PEARL_LOCKED");
});

test("S-55: an EVM reorganisation orphans an order: with a take it is DEAL_OPEN, a bid is 404, until mined again", async () => {
  const { buyer, seller } = parties();
  const offer = await postAsk(stage, seller, { nonce: 50n });
  const taken = await postTake(stage, offer.askId, buyer, 50);
  await lockUsdc(stage, buyer, taken.answer);
  await stage.caughtUp();
  assert.equal((await get(`/asks/${offer.askId}`)).body["status"], "ASK_TAKEN");
  const height = Number((await get("/stats")).headers.get("x-evm-indexed-height"));
  await stage.anvil.reorg(1);
  await stage.until("orphaned", async () => (await dealOf(stage, taken.dealHash))["evm_bid_txid"] === null);
  const row = await dealOf(stage, taken.dealHash);
  assert.deepEqual([row["status"], Object(row["evm_leg"]).state], ["DEAL_OPEN", "none"]);
  assert.ok(Number((await get("/stats")).headers.get("x-evm-indexed-height")) <= height);
  assert.equal((await get(`/asks/${offer.askId}`)).body["status"], "ASK_OPEN");
  await lockUsdc(stage, buyer, taken.answer);
  await stage.mineEvm(3);
  await untilDeal(stage, taken.dealHash, "USDC_LOCKED");
  const bid = await lockBid(stage, buyer, await bidTerms(stage, buyer, 51));
  await stage.caughtUp();
  assert.equal((await get(`/${bid}`)).status, 200);
  await stage.anvil.reorg(1);
  await stage.until("bid gone", async () => (await get(`/${bid}`)).status === 404);
});

test("a lock sent late comes back by its refund; a claim in the mempool alone, after T_e, settles", async () => {
  const { buyer, seller } = parties();
  const at = await times(stage);
  const late = await openDeal(stage, { buyer, seller }, 60, { at });
  const quiet = await openDeal(stage, { buyer, seller }, 61, { at });
  const claimable = payLock(stage, seller, quiet.lock, ONE);
  await stage.minePearl(6);
  await stage.moveTo(at.pearlRefundTime - 600);
  // Rows hold no present time: the action stands, and says that it is over.
  assert.equal(endOf(await dealOf(stage, late.dealHash), "lock_pearl"), at.pearlRefundTime - 137 * 60);
  const coin = payLock(stage, seller, late.lock, ONE);
  await stage.minePearl(6);
  const row = await dealOf(stage, late.dealHash);
  assert.equal(endOf(row, "claim_pearl"), at.pearlRefundTime - 75 * 60, "too late to reveal");
  const verdict = await post(`/deals/${late.dealHash}/verify-lock`);
  assert.equal(verdict.body["reason"], "REFUND_TIME_TOO_CLOSE", verdict.text);
  await stage.moveTo(at.pearlRefundTime + 10);
  refundPearl(stage, seller, late.lock, coin);
  await stage.minePearl(1);
  await untilDeal(stage, late.dealHash, "PEARL_REFUNDED");
  await stage.moveTo(at.evmRefundTime + 10);
  claimPearl(stage, buyer, quiet.lock, claimable, quiet.secret);
  const seen = await untilDeal(stage, quiet.dealHash, "USDC_CLAIMABLE");
  assert.equal(Object(seen["pearl_leg"]).state, "claim_seen");
  assert.ok(actionsOf(seen).includes("anyone claim_usdc"));
  assert.ok(!actionsOf(seen).includes("buyer refund_usdc"), "the buyer has the PEARL");
  await escrowCall(stage, seller, "claim", [quiet.dealHash, quiet.secret]);
  await stage.minePearl(1);
  await stage.mineEvm(3);
  await untilDeal(stage, quiet.dealHash, "SETTLED");
});

function endOf(row: JsonRow, name: string): unknown {
  const actions: unknown = row["next_actions"];
  const found: unknown = Array.isArray(actions) ? actions.find((one) => Object(one).action === name) : null;
  return Object(found).not_after;
}

async function everything(): Promise<readonly JsonRow[]> {
  const rows: JsonRow[] = [];
  for (const list of ["deals", "bids?include_ask_matches=true", "asks?include_unfunded=true"]) {
    rows.push(...rowsOf(await get(`/${list}${list.includes("?") ? "&" : "?"}limit=100`)));
  }
  return rows;
}

/** All rows without these fields: as soon as they are as wanted, else as they are in the end. */
async function rowsOnceAs(wanted: readonly JsonRow[], names: readonly string[]): Promise<readonly JsonRow[]> {
  const present = async (): Promise<readonly JsonRow[]> => without(await everything(), names);
  const text = JSON.stringify(wanted);
  await stage
    .until("the rows that are wanted", async () => JSON.stringify(await present()) === text)
    .catch(() => undefined);
  return present();
}

/** What S-50 excepts from a rebuild, and what a re-check of asks changes at any time. */
const EXCEPTED = ["buyer_pearl_address", "seller_pearl_address", "origin", "ref", "take_expires_at"];
const RELEASE = ["pearl_release_verified", "pearl_release_verify_error"];

function without(rows: readonly JsonRow[], names: readonly string[]): readonly JsonRow[] {
  const text = JSON.stringify(rows, (name, value: unknown) => (names.includes(name) ? undefined : value));
  return JSON.parse(text);
}

test("S-50: after a restart every row is as before; from an empty database every chain row comes back", async () => {
  const rows = await everything();
  assert.ok(rows.length > 20);
  await stage.stopService();
  await stage.startService();
  const timed = ["balance_checked_at", "updated_at"];
  // What is held back until the mempool was read comes back without an event.
  assert.deepEqual(await rowsOnceAs(without(rows, timed), timed), without(rows, timed));
  await stage.stopService();
  for (const end of ["", "-wal", "-shm"]) await rm(join(stage.folder, `index.db${end}`), { force: true });
  await stage.startService();
  const chain = rows.filter((row) => Object.hasOwn(row, "deal_hash") && Object.hasOwn(row, "hashlock"));
  const wanted = without(chain, [...EXCEPTED, ...RELEASE]);
  const names = [...EXCEPTED, ...RELEASE];
  assert.deepEqual(await rowsOnceAs(wanted, names), wanted);
});
