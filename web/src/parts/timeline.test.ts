// The steps of a swap, for the ways that one can go.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { DealRow, SwapTransactionRow } from "../wire.ts";
import { stepsOf, stepWords } from "./timeline.ts";

/** A deal whose USDC are locked, accepted and final, and nothing else. */
function deal(changes: Partial<DealRow>): Parameters<typeof stepsOf>[0] {
  return {
    status: "USDC_LOCKED",
    evm_leg: { state: "accepted", final: true },
    pearl_leg: { state: "none", confirmations: 0 },
    pearl_amount_sat: "100000000",
    pearl_lock_txid: null,
    pearl_lock_vout: null,
    pearl_lock_outputs: [],
    seller_pearl_pubkey: `0x${"5e".repeat(32)}`,
    secret_hex: null,
    terms_error: null,
    expired: false,
    deadlines: {
      take_expires_at: null,
      accept_bid_by: null,
      lock_pearl_by: 100,
      claim_pearl_by: 200,
      pearl_refund_time: 300,
      evm_refund_time: 400,
    },
    confirmations: { evm: { have: 9, need: null, final: true }, pearl: { have: 0, need: 4 } },
    ...changes,
  };
}

function states(changes: Partial<DealRow>): string {
  return stepsOf(deal(changes), [])
    .map(({ id, state }) => `${id} ${state}`)
    .join(", ");
}

const LOCK = "ab".repeat(32);
const FULL: DealRow["pearl_lock_outputs"][number] = {
  txid: LOCK,
  vout: 1,
  amount_sat: "100000000",
  height: 7,
  spend_txid: null,
  spend_path: null,
  spend_height: null,
};

const lock = (have: number): Partial<DealRow> => ({
  status: have < 4 ? "LOCK_SUBMITTED" : "PEARL_LOCKED",
  pearl_lock_txid: LOCK,
  pearl_lock_vout: 1,
  pearl_lock_outputs: [FULL],
  pearl_leg: { state: "confirmed", confirmations: have },
  confirmations: { evm: { have: 9, need: null, final: true }, pearl: { have, need: 4 } },
});

test("a take that nobody has funded in time", () => {
  assert.equal(
    states({ evm_leg: { state: "none", final: false }, expired: true }),
    "usdc_lock ended, accept ahead, pearl_lock ahead, claim ahead, settle ahead",
  );
});

test("a swap that goes well, step by step", () => {
  assert.equal(
    states({ evm_leg: { state: "none", final: false } }),
    "usdc_lock now, accept ahead, pearl_lock ahead, claim ahead, settle ahead",
  );
  assert.equal(
    states({ evm_leg: { state: "accepted", final: false } }),
    "usdc_lock done, accept now, pearl_lock ahead, claim ahead, settle ahead",
  );
  assert.equal(states({}), "usdc_lock done, accept done, pearl_lock now, claim ahead, settle ahead");
  assert.equal(states(lock(3)), "usdc_lock done, accept done, pearl_lock now, claim ahead, settle ahead");
  assert.equal(states(lock(4)), "usdc_lock done, accept done, pearl_lock done, claim now, settle ahead");
  assert.equal(
    states({ ...lock(4), pearl_leg: { state: "claim_seen", confirmations: 5 } }),
    "usdc_lock done, accept done, pearl_lock done, claim now, settle now",
    "the claim waits for a block",
  );
  const claimed: Partial<DealRow> = { ...lock(4), pearl_leg: { state: "claimed", confirmations: 9 } };
  assert.equal(
    states({ ...claimed, evm_leg: { state: "claimed", final: false } }),
    "usdc_lock done, accept done, pearl_lock done, claim done, settle now",
    "the block that paid can be replaced",
  );
  assert.equal(
    states({ ...claimed, evm_leg: { state: "claimed", final: true } }),
    "usdc_lock done, accept done, pearl_lock done, claim done, settle done",
  );
});

test("S-15: an output below the amount is no lock, however deep it is, and no call for the secret", () => {
  const small: Partial<DealRow> = {
    ...lock(13),
    status: "LOCK_SUBMITTED",
    pearl_lock_outputs: [{ ...FULL, amount_sat: "10000" }],
  };
  const expected = "usdc_lock done, accept done, pearl_lock now, claim ahead, settle ahead";
  assert.equal(states(small), expected);
  const [, , waiting] = stepsOf(deal(small), []);
  assert.deepEqual([waiting?.depth, waiting?.deadline], [null, { at: 100, word: "until" }]);
  const refunded = { state: "refunded", confirmations: 13 } as const;
  assert.equal(states({ ...small, pearl_leg: refunded }), expected, "given back");
});

function deep(changes: Partial<DealRow>): string {
  return states({ ...lock(13), ...changes });
}

test("S-51: the secret is called for by no lock that the status does not count, and by no wrong terms", () => {
  const waits = "usdc_lock done, accept done, pearl_lock now, claim ahead, settle ahead";
  assert.equal(deep({ status: "LOCK_SUBMITTED" }), waits, "a coinbase output");
  assert.equal(
    deep({ status: "DEAL_OPEN", evm_leg: { state: "accepted", final: false } }),
    "usdc_lock done, accept now, pearl_lock done, claim ahead, settle ahead",
    "the order may still be replaced",
  );
  assert.equal(
    deep({ terms_error: "TIMELOCK_MARGIN_TOO_SMALL" }),
    "usdc_lock done, accept done, pearl_lock done, claim ahead, settle ahead",
    "wrong terms",
  );
});

test("S-54: nobody is called to lock PEARL where the terms are wrong or the secret is known", () => {
  assert.equal(
    states({ terms_error: "TIMELOCK_MARGIN_TOO_SMALL" }),
    "usdc_lock done, accept done, pearl_lock ended, claim ahead, settle ahead",
  );
  assert.equal(
    states({ status: "USDC_CLAIMABLE", secret_hex: `0x${"ef".repeat(32)}`, terms_error: "HASHLOCK_REUSED" }),
    "usdc_lock done, accept done, pearl_lock ended, claim ended, settle now",
  );
});

test("S-54: a buyer whose PEARL lie in the lock is not said to have claimed them, though the secret is known", () => {
  assert.equal(
    states({ ...lock(9), status: "SETTLED", secret_hex: `0x${"ef".repeat(32)}` }),
    "usdc_lock done, accept done, pearl_lock done, claim now, settle now",
  );
});

test("a swap whose PEARL went back waits for the USDC refund, and says from when", () => {
  const refunded = deal({
    ...lock(9),
    pearl_leg: { state: "refunded", confirmations: 9 },
  });
  const steps = stepsOf(refunded, []);
  assert.deepEqual(steps.map(({ id, state }) => [id, state]).slice(3), [
    ["pearl_refund", "done"],
    ["usdc_refund", "ahead"],
  ]);
  assert.deepEqual(steps.at(-1)?.deadline, { at: 400, word: "from" });
});

test("a bid that was cancelled ends before PEARL was locked", () => {
  assert.equal(
    states({ evm_leg: { state: "cancelled", final: true } }),
    "usdc_lock done, accept ended, pearl_lock ended, claim ended, usdc_refund done",
  );
});

test("S-20: a bid that nobody has accepted before its USDC went back is not said to have been accepted", () => {
  const evm_leg = { state: "refunded", final: true } as const;
  assert.equal(
    states({ evm_leg, seller_pearl_pubkey: null }),
    "usdc_lock done, accept ended, pearl_lock ended, claim ended, usdc_refund done",
  );
  assert.equal(
    states({ evm_leg }),
    "usdc_lock done, accept done, pearl_lock ended, claim ended, usdc_refund done",
  );
});

test("the lock counts its confirmations until it is deep enough, and the deadline of a step ends with it", () => {
  const [, , counting] = stepsOf(deal(lock(2)), []);
  assert.deepEqual(counting?.depth, { have: 2, need: 4 });
  assert.equal(counting?.deadline, null);
  assert.deepEqual(stepsOf(deal({}), [])[2]?.deadline, { at: 100, word: "until" });
});

test("S-54: a step whose last moment has passed is not said to be going on or ahead; a claim of USDC has none", () => {
  const told = (changes: Partial<DealRow>, now: number): string =>
    stepsOf(deal(changes), [])
      .map((one) => stepWords(one, now))
      .join(", ");
  assert.equal(told({}, 100), "done, done, going on, ahead, ahead");
  assert.equal(told({}, 101), "done, done, too late, ahead, ahead");
  assert.equal(told({}, 500), "done, done, too late, too late, ahead");
  assert.equal(told(lock(2), 101), "done, done, going on, ahead, ahead", "the lock came in time");
  const shown: Partial<DealRow> = { ...lock(9), secret_hex: `0x${"ef".repeat(32)}` };
  assert.equal(told(shown, 500), "done, done, done, going on, going on");
  assert.deepEqual(stepsOf(deal(shown), []).at(-1)?.deadline, { at: 400, word: "safe until" });
});

/** A transaction that made a step. */
function done(action: SwapTransactionRow["action"]): SwapTransactionRow {
  return {
    deal_hash: `0x${"ab".repeat(32)}`,
    chain: "evm",
    txid: `0x${"cd".repeat(32)}`,
    action,
    amount: null,
    outputs: null,
    height: 1,
    block_hash: null,
    time: 1,
    confirmations: 1,
    final: false,
  };
}

test("each step has the transactions that made it, and no other's", () => {
  const all = (["lock_usdc", "accept_bid", "lock_pearl", "claim_pearl", "claim_usdc"] as const).map(done);
  const settled = deal({
    ...lock(9),
    pearl_leg: { state: "claimed", confirmations: 9 },
    evm_leg: { state: "claimed", final: true },
  });
  assert.deepEqual(
    stepsOf(settled, all).map(({ transactions }) => transactions),
    all.map((one) => [one]),
  );
  const cancelled = deal({ evm_leg: { state: "cancelled", final: true } });
  const [first, , , , last] = stepsOf(cancelled, [done("lock_usdc"), done("cancel_bid")]);
  assert.deepEqual([first?.transactions, last?.transactions], [[done("lock_usdc")], [done("cancel_bid")]]);
});
