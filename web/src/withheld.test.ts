// Steps that the service does not offer while it does not see both chains well enough: a page that takes their absence
// for "nothing to do" lets deadlines run out.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type SwapFacts, withheldOf, withheldWords } from "./withheld.ts";

const LOCK = "ab".repeat(32);
const FULL = { txid: LOCK, vout: 1, amount_sat: "100000000" };
const SYNCED = { indexing_status: "synced", lag: 0 } as const;
const WELL = { ...SYNCED, evm: SYNCED, reasons: [] };

/** A deal whose USDC are locked, accepted and final, of which nothing is offered. */
function deal(changes: Partial<SwapFacts> = {}): SwapFacts {
  return {
    status: "USDC_LOCKED",
    evm_leg: { state: "accepted", final: true },
    pearl_leg: { state: "none", confirmations: 0 },
    secret_hex: null,
    terms_error: null,
    pearl_amount_sat: "100000000",
    pearl_lock_txid: null,
    pearl_lock_vout: null,
    pearl_lock_outputs: [],
    expired: false,
    deadlines: { take_expires_at: null, accept_bid_by: 50, lock_pearl_by: 100, claim_pearl_by: 200 },
    next_actions: [{ action: "refund_usdc" }],
    ...changes,
  };
}

const take = (changes: Partial<SwapFacts> = {}): SwapFacts =>
  deal({
    status: "DEAL_OPEN",
    evm_leg: { state: "none", final: false },
    deadlines: { take_expires_at: 30, accept_bid_by: null, lock_pearl_by: 100, claim_pearl_by: 200 },
    ...changes,
  });
const bid = (changes: Partial<SwapFacts> = {}): SwapFacts =>
  deal({ status: "BID_OPEN", evm_leg: { state: "locked", final: true }, ...changes });
const locked = (changes: Partial<SwapFacts> = {}): SwapFacts =>
  deal({
    status: "PEARL_LOCKED",
    pearl_leg: { state: "confirmed", confirmations: 9 },
    pearl_lock_txid: LOCK,
    pearl_lock_vout: 1,
    pearl_lock_outputs: [FULL],
    ...changes,
  });

function steps(swap: SwapFacts, now = 10): string {
  return (withheldOf(swap, now, WELL)?.steps ?? []).map(({ action, until }) => `${action} ${until}`).join();
}

test("S-54: a step that the row calls for and that is not offered is told, with its last moment", () => {
  assert.equal(steps(take()), "lock_usdc 30");
  assert.equal(steps(bid()), "accept_bid 50");
  assert.equal(steps(deal()), "lock_pearl 100");
  assert.equal(steps(locked()), "claim_pearl 200");
});

function offered(action: SwapFacts["next_actions"][number]["action"]): Partial<SwapFacts> {
  return { next_actions: [{ action }] };
}

test("a step that is offered, or too late, is not left out", () => {
  assert.equal(steps(take(offered("lock_usdc"))), "");
  assert.equal(steps(bid(offered("accept_bid"))), "");
  assert.equal(steps(deal(offered("lock_pearl"))), "");
  assert.equal(steps(locked(offered("claim_pearl"))), "");
  for (const [swap, until] of [
    [take(), 30],
    [bid(), 50],
    [deal(), 100],
    [locked(), 200],
  ] as const) {
    assert.notEqual(steps(swap, until), "", `${until} is the last moment`);
    assert.equal(steps(swap, until + 1), "");
  }
});

test("where the facts call for no step, none is left out", () => {
  assert.equal(steps(deal({ evm_leg: { state: "accepted", final: false } })), "", "not final");
  assert.equal(steps(bid({ evm_leg: { state: "locked", final: false } })), "", "not final");
  assert.equal(steps(deal({ terms_error: "TIMELOCK_MARGIN_TOO_SMALL" })), "", "wrong terms");
  assert.equal(steps(locked({ secret_hex: "cd".repeat(32) })), "", "the secret is public");
  assert.equal(steps(locked({ status: "LOCK_SUBMITTED" })), "", "not deep enough");
  assert.equal(steps(locked({ pearl_leg: { state: "refund_seen", confirmations: 9 } })), "", "spent now");
  assert.equal(steps(take({ expired: true })), "", "the take is dead");
  for (const state of ["claimed", "refunded", "cancelled"] as const)
    assert.equal(withheldOf(deal({ evm_leg: { state, final: true } }), 10, WELL), null, state);
});

test("S-15: an output below the amount is no lock that ends the seller's step", () => {
  const small = { ...FULL, amount_sat: "99999999" };
  assert.equal(steps(locked({ status: "LOCK_SUBMITTED", pearl_lock_outputs: [small] })), "lock_pearl 100");
});

test("S-21: what the escrow's owner has paused is not left out by the index", () => {
  const paused = { ...WELL, reasons: ["ESCROW_PAUSED" as const] };
  assert.equal(withheldOf(bid(), 10, paused), null);
  assert.equal(withheldOf(take(), 10, paused), null);
  assert.notEqual(withheldOf(deal(), 10, paused), null);
});

test("H-20: an index that is behind is told also where the row calls for nothing yet, until the swap is over", () => {
  const behind = { ...WELL, evm: { indexing_status: "syncing", lag: 40 } as const };
  const young = deal({ evm_leg: { state: "accepted", final: false } });
  assert.deepEqual(withheldOf(young, 10, behind), {
    steps: [],
    why: "The EVM index is 40 blocks behind its chain.",
  });
  assert.equal(withheldOf(deal({ evm_leg: { state: "claimed", final: true } }), 10, behind), null);
  const stalled = withheldOf(young, 10, { ...WELL, indexing_status: "stalled" });
  assert.equal(stalled?.why, "The Pearl index stands still.");
  assert.equal(withheldOf(young, 10, WELL), null);
  assert.equal(withheldOf(young, 10, null), null, "before the first answer of /health");
});

test("S-05: what is offered is not said to be left out, though the index of tokens is behind: swaps have one of their own", () => {
  const rebuilding = { ...WELL, indexing_status: "syncing", lag: 90_000 } as const;
  const standing = { ...WELL, evm: { indexing_status: "stalled", lag: 1 } as const };
  for (const [swap, action] of [
    [take(), "lock_usdc"],
    [bid(), "accept_bid"],
    [deal(), "lock_pearl"],
    [locked(), "claim_pearl"],
  ] as const)
    for (const health of [rebuilding, standing])
      assert.equal(withheldOf({ ...swap, ...offered(action) }, 10, health), null, action);
});

test("S-21: before the first answer of /health nobody knows whether the escrow is paused", () => {
  assert.equal(withheldOf(bid(), 10, null), null);
  assert.equal(withheldOf(take(), 10, null), null);
  assert.notEqual(withheldOf(deal(), 10, null), null);
});

test("the words say what is not offered, why, and that deadlines go on", () => {
  const words = (swap: SwapFacts, health: Parameters<typeof withheldOf>[2] = WELL): string => {
    const withheld = withheldOf(swap, 10, health);
    return withheld === null ? "" : withheldWords(withheld);
  };
  assert.match(
    words(deal()),
    /not said whether the seller can lock the PEARL at the lock address\. .*Deadlines go on/,
  );
  assert.match(words(deal()), /too few connections/);
  // RPCs that contradict each other leave the index synced, and so does a script that blocks are read for.
  assert.match(words(deal()), /the EVM RPCs do not agree.*have yet to be read for this swap/);
  assert.match(words(take()), /The ask may not be open any more/);
  assert.match(words(locked()), /whether the buyer can claim the PEARL with the secret\. .*no second node/);
  const behind = { ...WELL, evm: { indexing_status: "stalled", lag: 40 } as const };
  assert.match(
    words(deal({ evm_leg: { state: "accepted", final: false } }), behind),
    /^Steps that commit money .* not shown at the moment\. The EVM index stands still\. .*Deadlines go on/,
  );
});
