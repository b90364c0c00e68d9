// The steps of a swap, for the ways that one can go.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { DealRow, SwapTransactionRow } from "../wire.ts";
import { stepsOf } from "./timeline.ts";

/** A deal whose USDC are locked, accepted and final, and nothing else. */
function deal(changes: Partial<DealRow>): Parameters<typeof stepsOf>[0] {
  return {
    evm_leg: { state: "accepted", final: true },
    pearl_leg: { state: "none", confirmations: 0 },
    secret_hex: null,
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

const lock = (have: number): Partial<DealRow> => ({
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
    "usdc_lock done, accept done, pearl_lock done, claim done, settle now",
  );
  assert.equal(
    states({
      ...lock(4),
      pearl_leg: { state: "claimed", confirmations: 9 },
      evm_leg: { state: "claimed", final: true },
    }),
    "usdc_lock done, accept done, pearl_lock done, claim done, settle done",
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

test("the lock counts its confirmations until it is deep enough, and the deadline of a step ends with it", () => {
  const [, , counting] = stepsOf(deal(lock(2)), []);
  assert.deepEqual(counting?.depth, { have: 2, need: 4 });
  assert.equal(counting?.deadline, null);
  assert.deepEqual(stepsOf(deal({}), [])[2]?.deadline, { at: 100, word: "until" });
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
