// Which moments of a swap are told.

import assert from "node:assert/strict";
import { test } from "node:test";
import { momentsOf, nothingWords } from "./deadlines.ts";

const deadlines = {
  take_expires_at: 10,
  accept_bid_by: 50,
  lock_pearl_by: 100,
  claim_pearl_by: 200,
  pearl_refund_time: 300,
  evm_refund_time: 400,
};

type Legs = Parameters<typeof momentsOf>[0];

const told = (
  state: Legs["evm_leg"]["state"],
  final = false,
  pearl: Legs["pearl_leg"]["state"] = "none",
): readonly number[] =>
  momentsOf({ deadlines, evm_leg: { state, final }, pearl_leg: { state: pearl } }).map(({ at }) => at);

const NEW: Legs = { deadlines, evm_leg: { state: "none", final: false }, pearl_leg: { state: "none" } };

test("the end of a take is told until its USDC are locked, and the last moment for a bid until it is accepted", () => {
  assert.deepEqual(told("none"), [10, 50, 100, 200, 300, 400]);
  assert.deepEqual(told("locked"), [50, 100, 200, 300, 400]);
  for (const state of ["accepted", "claimed", "refunded", "cancelled"] as const)
    assert.deepEqual(told(state), [100, 200, 300, 400], state);
});

test("a side that is over for good has no moments: nobody is to lock or to hurry in a swap that is settled", () => {
  for (const state of ["claimed", "refunded", "cancelled"] as const) {
    for (const pearl of ["none", "claimed", "refunded"] as const) {
      assert.deepEqual(told(state, true, pearl), [], `${state}, ${pearl}`);
      assert.deepEqual(told(state, false, pearl), [100, 200, 300, 400], `${state} may be replaced, ${pearl}`);
    }
    for (const pearl of ["mempool", "confirmed", "claim_seen", "refund_seen"] as const)
      assert.deepEqual(told(state, true, pearl), [200, 300], `${state}, ${pearl}`);
  }
  assert.deepEqual(told("accepted", true, "claimed"), [100, 200, 300, 400]);
});

const wordsOf = (
  state: Legs["evm_leg"]["state"],
  final: boolean,
  pearl: Legs["pearl_leg"]["state"] = "none",
): string => nothingWords({ deadlines, evm_leg: { state, final }, pearl_leg: { state: pearl } });

test("of a swap that is over for good nothing comes next, whichever way it ended", () => {
  for (const state of ["claimed", "refunded", "cancelled"] as const) {
    assert.match(wordsOf(state, true), /the swap is over/, state);
    assert.match(wordsOf(state, false), /What comes next/, `${state} may be replaced`);
    assert.match(
      wordsOf(state, true, "mempool"),
      /What comes next/,
      `${state}, and PEARL that nobody has yet`,
    );
  }
  assert.match(wordsOf("none", false), /What comes next/);
});

test("a moment that the row does not have is not told", () => {
  const bid = momentsOf({ ...NEW, deadlines: { ...deadlines, take_expires_at: null } });
  assert.deepEqual(
    bid.map(({ at }) => at),
    [50, 100, 200, 300, 400],
  );
});

test("S-05: who takes PEARL back is told that nodes go by the median time of blocks", () => {
  const refund = momentsOf(NEW).find(({ name }) => name === "PEARL refund");
  assert.match(refund?.brings ?? "", /median time/);
});
